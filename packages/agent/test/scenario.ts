/** Runs a scenario folder of the DeepSeek Harness against the built agent, keyless. */
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { initializeParams, promptParams, startDriver, type Driver, type Message } from './driver.ts'
import { objectsAt, parseObject, type Json } from './json.ts'

export type Outcome = {
  driver: Driver
  cwd: string
  root: string
  /** Everything the agent wrote to stdout. */
  lines: string[]
  /** The persisted log as lines; empty when no turn ran. */
  log: string[]
  report: Json
}

export function temporaryFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `runproof-${name}-`)))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Answers permission requests by kind, first come first served; `cancelled` when there is none left. */
export function answerPermissions(answers: readonly Json[]): (message: Message) => Json {
  const queue = [...answers]
  return ({ params }) => {
    const wanted = queue.shift()?.['kind']
    const option = objectsAt(params, 'options').find(({ kind }) => kind === wanted)
    return {
      outcome: option
        ? { outcome: 'selected', optionId: option['optionId'] }
        : { outcome: 'cancelled' },
    }
  }
}

export async function runScenario(
  folder: string,
  env: Record<string, string> = {},
): Promise<Outcome> {
  const cwd = temporaryFolder('cwd')
  const root = temporaryFolder('sessions')
  const workspace = join(folder, 'workspace')
  if (existsSync(workspace)) cpSync(workspace, cwd, { recursive: true })
  const override = join(folder, 'replay.override.json')
  const reportFile = join(root, 'report.json')
  const input = parseObject(readFileSync(join(folder, 'input.json'), 'utf8'))
  const driver = startDriver({
    cwd,
    env: {
      RUNPROOF_MODE: 'replay',
      RUNPROOF_SESSION_FILE: join(folder, 'session.jsonl'),
      ...(existsSync(override) && { RUNPROOF_OVERRIDE_FILE: override }),
      RUNPROOF_SESSIONS_ROOT: root,
      RUNPROOF_REPORT: reportFile,
      ...env,
    },
    answer: answerPermissions(objectsAt(input, 'permissionAnswers')),
  })
  let sessionId = ''
  for (const step of objectsAt(input, 'steps')) {
    const answer = await takeStep(driver, step, { cwd, sessionId })
    const opened = answer.result?.['sessionId']
    if (typeof opened === 'string') sessionId = opened
  }
  await driver.close()
  return {
    driver,
    cwd,
    root,
    lines: driver.lines,
    log: readLog(root),
    report: parseObject(readFileSync(reportFile, 'utf8')),
  }
}

async function takeStep(
  driver: Driver,
  step: Json,
  { cwd, sessionId }: { cwd: string; sessionId: string },
): Promise<Message> {
  const { op, text, configId, value, additionalDirectories } = step
  switch (op) {
    case 'initialize':
      return driver.call('initialize', initializeParams)
    case 'newSession':
    case 'newSessionExpectError':
      return driver.call('session/new', {
        cwd,
        mcpServers: [],
        ...(Array.isArray(additionalDirectories) && { additionalDirectories }),
      })
    case 'prompt':
    case 'promptExpectError':
      return driver.call('session/prompt', promptParams(sessionId, String(text)))
    case 'promptAndCancel': {
      const answer = driver.call('session/prompt', promptParams(sessionId, String(text)))
      await driver.waitFor(({ method }) => method === 'session/update')
      driver.notify('session/cancel', { sessionId })
      return answer
    }
    case 'setConfigOption':
      return driver.call('session/set_config_option', { sessionId, configId, value })
    default:
      throw new Error(`unknown step ${String(op)}`)
  }
}

/** The one session log under a root, as lines. */
export function readLog(root: string): string[] {
  const files = globSync('**/session.jsonl', { cwd: root })
  if (files.length > 1) throw new Error(`several logs: ${files.join(', ')}`)
  return files[0] === undefined ? [] : readFileSync(join(root, files[0]), 'utf8').trim().split('\n')
}
