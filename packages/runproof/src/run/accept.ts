/**
 * Acceptance: whether what a turn left behind is what was asked for. It looks
 * at the final text and at the world (files, a command's exit code), never at
 * what the agent says about itself.
 */
import { spawn } from 'node:child_process'
import type { Accept } from '../scenario/step.ts'
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

/** @returns why the result is not acceptable, a line each; none: it is. */
export async function judgeAcceptance(
  conditions: readonly Accept[],
  context: AcceptContext,
): Promise<string[]> {
  const problems = await Promise.all(conditions.map((condition) => judgeOne(condition, context)))
  return problems.flat()
}

async function judgeOne(condition: Accept, context: AcceptContext): Promise<string[]> {
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
    return ['the scenario has no workspace.expected/ to compare the workspace with']
  }
  const changes = await compareWorkspace(context.workspaceExpected, context.cwd)
  return changes.map(({ summary }) => summary)
}

async function judgeJson(
  finalText: string,
  schema: Record<string, unknown> | boolean,
): Promise<string[]> {
  let value: unknown
  try {
    value = JSON.parse(finalText)
  } catch {
    return [`the final text is not JSON: ${show(finalText)}`]
  }
  const { Ajv } = await import('ajv')
  const ajv = new Ajv({ strict: false })
  if (ajv.validate(schema, value)) return []
  return (ajv.errors ?? []).map(
    ({ instancePath, message }) => `the final text's ${instancePath || 'value'} ${message}`,
  )
}

async function judgeCommand(
  { command, exitCode }: Extract<Accept, { command: string[] }>,
  { cwd, env, limitMs }: AcceptContext,
): Promise<string[]> {
  const [program = '', ...args] = command
  const shown = command.join(' ')
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-shownUnitsMax)
    })
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve([`${shown}: cannot be started: ${error.message}`]))
    child.once('close', (code, signal) => {
      if (code === exitCode) return resolve([])
      const how = signal === null ? `exited with ${code}` : `was ended by ${signal}`
      resolve([`${shown}: ${how}, expected ${exitCode}`, ...lines(output)])
    })
  })
}

const lines = (output: string): string[] => output.split('\n').filter((line) => line.trim() !== '')

function show(text: string): string {
  return JSON.stringify(text.length > shownUnitsMax ? `${text.slice(0, shownUnitsMax)}…` : text)
}
