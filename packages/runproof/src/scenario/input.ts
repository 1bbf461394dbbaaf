/**
 * `input.json` of a scenario, version 1 (docs/formats/scenario.md), and the
 * input of foreign folders, which state no version and are read leniently.
 */
import { statuses, type Status } from '@runproof/progress'
import { z } from 'zod'
import { variablesSchema } from '../config/words.ts'
import { messageOf } from '../error.ts'
import { isRecord, type Message } from '../transcript/line.ts'
import { visible } from '../visible.ts'
import { createStepSchema, type Step } from './step.ts'

/** The kinds of option that ACP lets an agent offer. */
const permissionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
export type PermissionAnswer = { kind: (typeof permissionKinds)[number] }

export type ScenarioInput = {
  /** What the scenario shows, in one sentence. */
  description: string | null
  /** Name of the agent in `runproof.yml`; null: the folder decides. */
  agent: string | null
  /** Whether `replay.override.json` must be there; null: its presence decides. */
  overridden: boolean | null
  /** Whether a real provider streamed the model's part; null: not said. */
  recorded: boolean | null
  /** Scenarios of one class send the same system prompt and tools; one of them pins the text. */
  headerClass: string | null
  /** Further variables for the agent. */
  env: Record<string, string>
  /** The claim the last prompt must end in. */
  expect: { status: Status } | null
  /** Taken in order, one for each permission request. */
  permissionAnswers: PermissionAnswer[]
  steps: Step[]
}

const kind = z.enum(permissionKinds)

const ownSchema = z.strictObject({
  version: z.literal(1, { error: 'write "version": 1' }),
  description: z.string().nullable().default(null),
  agent: z.string().nullable().default(null),
  overridden: z.literal(true).optional(),
  recorded: z.boolean().nullable().default(null),
  headerClass: z.string().min(1).nullable().default(null),
  env: variablesSchema.default({}),
  expect: z
    .strictObject({ status: z.enum(statuses) })
    .nullable()
    .default(null),
  permissionAnswers: z.array(z.strictObject({ kind })).default([]),
  steps: z.array(createStepSchema('exact')).min(1),
})

/** What our own folders may write; its JSON Schema is docs/formats/scenario.schema.json. */
export const inputSchema: z.ZodType<ScenarioInput> = ownSchema.transform(
  ({ version: _version, overridden, ...rest }) => ({ ...rest, overridden: overridden === true }),
)

/** Made when the first foreign folder is read: most projects have none. */
let foreignInputSchema: z.ZodType<ScenarioInput> | undefined

const createForeignSchema = (): z.ZodType<ScenarioInput> =>
  z
    .object({
      permissionAnswers: z.array(z.object({ kind })).default([]),
      steps: z.array(createStepSchema('open')).min(1),
    })
    .transform((input) => ({
      description: null,
      agent: null,
      overridden: null,
      recorded: null,
      headerClass: null,
      env: {},
      expect: null,
      ...input,
    }))

/** @returns the input, or its problems, a sentence each that names the place; never throws. */
export function parseInput(
  text: string,
): { input: ScenarioInput; isForeign: boolean } | { problems: string[] } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problems: [`not JSON: ${visible(messageOf(error))}`] }
  }
  const isForeign = isRecord(value) && !saysOurs(value)
  const schema = isForeign ? (foreignInputSchema ??= createForeignSchema()) : inputSchema
  const parsed = schema.safeParse(value)
  if (parsed.success) return { input: parsed.data, isForeign }
  return { problems: parsed.error.issues.flatMap((issue) => describeIssue(issue, [])) }
}

const ownKeys: ReadonlySet<string> = new Set(
  Object.keys(ownSchema.shape).filter((key) => key !== 'permissionAnswers' && key !== 'steps'),
)

/** Whether it says what only our format knows: without its version that must not be passed over. */
function saysOurs(input: Message): boolean {
  const { steps } = input
  return (
    Object.keys(input).some((key) => ownKeys.has(key)) ||
    (Array.isArray(steps) && steps.some((step) => isRecord(step) && 'accept' in step))
  )
}

/** One sentence a problem; of a union only the branch that came furthest is told. */
function describeIssue(issue: z.core.$ZodIssue, prefix: PropertyKey[]): string[] {
  const path = [...prefix, ...issue.path]
  if (issue.code === 'invalid_union') {
    const [closest] = issue.errors.toSorted((one, other) => rank(one) - rank(other))
    if (closest !== undefined && closest.length > 0) {
      return closest.flatMap((inner) => describeIssue(inner, path))
    }
  }
  const where = path.map(String).join('.')
  return [visible(where === '' ? issue.message : `${where}: ${issue.message}`)]
}

/** A branch whose own keys are unknown or missing is further away than one with a wrong value. */
function rank(issues: readonly z.core.$ZodIssue[]): number {
  const distance = issues.map(({ code, path }) =>
    code === 'unrecognized_keys' ? 4 : path.length <= 1 ? 2 : 1,
  )
  return distance.reduce((sum, value) => sum + value, 0)
}
