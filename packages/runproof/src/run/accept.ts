/**
 * Acceptance: whether what a turn left behind is what was asked for. It looks
 * at the final text and at the world (files, a command's exit code), never at
 * what the agent says about itself.
 *
 * Invariant: a condition that could not be judged is a problem of the scenario,
 * neither accepted nor rejected: a check that never ran proves nothing, also
 * not that a result is bad.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Problem } from '../drive/problem.ts'
import { spawnReason } from '../launch/process.ts'
import type { Accept } from '../scenario/step.ts'
import { visible } from '../visible.ts'
import { compareWorkspace } from './workspace.ts'

export type AcceptContext = {
  finalText: string
  /** The run's working folder. */
  cwd: string
  /** The scenario's `workspace.expected/`, when there is one. */
  workspaceExpected: string | null
  env: Readonly<Record<string, string>>
  /** For a command. */
  limitMs: number
}

const shownUnitsMax = 400

/** Why the result is not acceptable, a line each (none: it is), or why nobody can tell. */
export type Judgement = { rejections: string[] } | { problem: Problem }

/** After the exit of a command: what it started may hold its pipes open for ever. */
const drainMs = 500

/** Takes the conditions one after the other, as a command may change the files that the next one looks at. */
export async function judgeAcceptance(
  conditions: readonly Accept[],
  context: AcceptContext,
): Promise<Judgement> {
  const rejections: string[] = []
  for (const condition of conditions) {
    const judged = await judgeOne(condition, context)
    if (!Array.isArray(judged)) return { problem: judged }
    rejections.push(...judged)
  }
  return { rejections }
}

function cannotJudge(why: string, ...details: string[]): Problem {
  return { code: 'not-judged', message: `the result cannot be judged: ${why}`, details }
}

async function judgeOne(condition: Accept, context: AcceptContext): Promise<string[] | Problem> {
  const { finalText } = context
  if ('equals' in condition) {
    if (finalText === condition.equals) return []
    return [`the final text is ${show(finalText)}, not ${show(condition.equals)}`]
  }
  if ('matches' in condition) {
    if (new RegExp(condition.matches, 'u').test(finalText)) return []
    return [`the final text ${show(finalText)} does not match ${condition.matches}`]
  }
  if ('jsonSchema' in condition) return judgeJson(finalText, condition.jsonSchema)
  if ('command' in condition) return judgeCommand(condition, context)
  if (context.workspaceExpected === null) {
    return cannotJudge('the scenario has no workspace.expected/ to compare the workspace with')
  }
  const changes = await compareWorkspace(context.workspaceExpected, context.cwd)
  return changes.map(({ summary }) => summary)
}

async function judgeJson(
  finalText: string,
  schema: Record<string, unknown> | boolean,
): Promise<string[] | Problem> {
  const { Ajv } = await import('ajv')
  const ajv = new Ajv({ strict: false })
  try {
    ajv.compile(schema)
  } catch (error) {
    return cannotJudge(`"jsonSchema" is no usable schema: ${visible(String(error))}`)
  }
  let value: unknown
  try {
    value = JSON.parse(finalText)
  } catch {
    return [`the final text is not JSON: ${show(finalText)}`]
  }
  if (ajv.validate(schema, value)) return []
  return (ajv.errors ?? []).map(
    ({ instancePath, message }) => `the final text's ${instancePath || 'value'} ${message}`,
  )
}

async function judgeCommand(
  { command, exitCode }: Extract<Accept, { command: string[] }>,
  { cwd, env, limitMs }: AcceptContext,
): Promise<string[] | Problem> {
  const [program = '', ...args] = command
  const shown = command.join(' ')
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-shownUnitsMax)
    })
  }
  let isLate = false
  const timer = setTimeout(() => (isLate = child.kill('SIGKILL')), limitMs)
  const end = await endOf(child)
  clearTimeout(timer)
  if ('reason' in end) {
    // The system does not say which of the two it has not found.
    const reason = existsSync(cwd) ? end.reason : 'the working folder is gone'
    return cannotJudge(`${shown} cannot be started: ${reason}`)
  }
  const { code, signal } = end
  if (isLate) return cannotJudge(`${shown} did not end within ${limitMs} ms`, ...lines(output))
  if (code === exitCode) return []
  const how = signal === null ? `exited with ${code}` : `was ended by ${signal}`
  return [`${shown}: ${how}, expected ${exitCode}`, ...lines(output)]
}

type CommandEnd = { code: number | null; signal: NodeJS.Signals | null } | { reason: string }

/** How it ended, with all it said, unless somebody else holds its pipes. */
function endOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ reason: spawnReason(error) }))
    child.once('exit', (code, signal) => {
      const done = (): void => {
        clearTimeout(timer)
        child.stdout?.destroy()
        child.stderr?.destroy()
        resolve({ code, signal })
      }
      const timer = setTimeout(done, drainMs)
      child.once('close', done)
    })
  })
}

const lines = (output: string): string[] => output.split('\n').filter((line) => line.trim() !== '')

function show(text: string): string {
  return JSON.stringify(text.length > shownUnitsMax ? `${text.slice(0, shownUnitsMax)}…` : text)
}
