/**
 * The steps of a scenario's script and what a prompt must achieve
 * (docs/formats/scenario.md). One schema serves our folders, where an unknown
 * key is a mistake, and foreign ones, where it is somebody else's addition.
 */
import { z } from 'zod'
import { commandSchema } from '../config/words.ts'

/** Part of a JSON object: every key given must be there with a matching value. */
type Pattern = Record<string, unknown>

/** What to wait for, exactly one of three; `update` is a kind, or part of an update. */
export type WaitFor = {
  /** A file of the workspace that must exist. */
  file?: string | undefined
  update?: string | Pattern | undefined
  /** Part of any message of the agent. */
  message?: Pattern | undefined
  timeoutMs?: number | undefined
}

/** When a prompt is cancelled; `permission`: while the agent's request for permission is open. */
export type CancelMoment = 'update' | 'sent' | 'permission' | { waitFor: WaitFor }

/** One condition of acceptance. All of a step's conditions must hold. */
export type Accept =
  | { equals: string }
  | { matches: string }
  | { jsonSchema: Pattern | boolean }
  | { workspace: true }
  | { command: string[]; exitCode: number }

export type Step =
  | { op: 'initialize'; terminalOutput?: boolean | undefined }
  | { op: 'newSession' }
  | { op: 'newSessionExpectError'; additionalDirectories?: string[] | undefined }
  | { op: 'prompt'; text: string; accept: Accept[] }
  | { op: 'promptExpectError'; text: string }
  | { op: 'promptAndCancel'; text: string; when: CancelMoment }
  | { op: 'cancel' }
  | { op: 'setConfigOption' | 'setConfigOptionExpectError'; configId: string; value: ConfigValue }
  | { op: 'setMode' | 'setModeExpectError'; modeId: string }
  | { op: 'loadSession'; restart: boolean }
  | ({ op: 'waitFor' } & WaitFor)
  | { op: 'send'; message: Pattern; until?: Pattern | undefined }

/** Whether the step begins a turn. */
export const isPrompt = ({ op }: Step): boolean =>
  op === 'prompt' || op === 'promptExpectError' || op === 'promptAndCancel'

type ConfigValue = string | boolean

const waitMsMax = 3_600_000

/** How objects treat keys that the schema does not know. */
type MakeObject = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.ZodObject<Shape>

/** @param keys `exact`: an unknown key is a problem; `open`: it is dropped */
export function createStepSchema(keys: 'exact' | 'open'): z.ZodType<Step> {
  const object: MakeObject = keys === 'exact' ? z.strictObject : z.object
  const text = z.string()
  const pattern = z.record(z.string(), z.unknown())
  const accept = z.array(acceptSchema).default([])
  const configValue = { configId: z.string(), value: z.union([z.string(), z.boolean()]) }
  const wait = {
    file: z.string().min(1).optional(),
    update: z.union([z.string(), pattern]).optional(),
    message: pattern.optional(),
    timeoutMs: z.int().min(1).max(waitMsMax).optional(),
  }
  const waitFor = object(wait).refine(namesOne, namesOneProblem)
  const moment = z.union([z.enum(['update', 'sent', 'permission']), object({ waitFor })])
  const extraFolders = z.array(z.string()).optional()
  return z.discriminatedUnion('op', [
    object({ op: z.literal('initialize'), terminalOutput: z.boolean().optional() }),
    object({ op: z.literal('newSession') }),
    object({ op: z.literal('newSessionExpectError'), additionalDirectories: extraFolders }),
    object({ op: z.literal('prompt'), text, accept }),
    object({ op: z.literal('promptExpectError'), text }),
    object({ op: z.literal('promptAndCancel'), text, when: moment.default('update') }),
    object({ op: z.literal('cancel') }),
    object({ op: z.literal('setConfigOption'), ...configValue }),
    object({ op: z.literal('setConfigOptionExpectError'), ...configValue }),
    object({ op: z.literal('setMode'), modeId: z.string() }),
    object({ op: z.literal('setModeExpectError'), modeId: z.string() }),
    object({ op: z.literal('loadSession'), restart: z.boolean().default(false) }),
    object({ op: z.literal('waitFor'), ...wait }).refine(namesOne, namesOneProblem),
    object({ op: z.literal('send'), message: pattern, until: pattern.optional() }),
  ])
}

const acceptSchema: z.ZodType<Accept> = z.union([
  z.strictObject({ equals: z.string() }),
  z.strictObject({
    matches: z.string().refine(isPattern, { message: 'is not a regular expression' }),
  }),
  z.strictObject({ jsonSchema: z.union([z.record(z.string(), z.unknown()), z.boolean()]) }),
  z.strictObject({ workspace: z.literal(true) }),
  z.strictObject({ command: commandSchema, exitCode: z.int().min(0).max(255).default(0) }),
])

const namesOneProblem = { message: 'names exactly one of "file", "update", "message"' }

function namesOne({ file, update, message }: WaitFor): boolean {
  return [file, update, message].filter((one) => one !== undefined).length === 1
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== ''
  } catch {
    return false
  }
}
