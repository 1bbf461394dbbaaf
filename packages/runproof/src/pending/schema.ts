/** A file of the pending store, checked when it is read: somebody may have edited it. */
import { z } from 'zod'
import type { Difference } from '../compare/difference.ts'
import type { Inputs } from './inputs.ts'

const line = z.int().min(1)
const field = z.object({
  path: z.string(),
  expected: z.unknown().optional(),
  actual: z.unknown().optional(),
})
const event = z.string()
const fields = z.array(field)

const change = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('changed'),
    event,
    line,
    actualLine: line,
    expected: z.string(),
    actual: z.string(),
    fields,
  }),
  z.object({ kind: z.literal('missing'), event, line, expected: z.string() }),
  z.object({ kind: z.literal('extra'), event, actualLine: line, actual: z.string() }),
  z.object({ kind: z.literal('moved'), event, line, actualLine: line, expected: z.string() }),
  z.object({ kind: z.literal('renumbered'), event, line, actualLine: line, count: line, fields }),
])

const difference: z.ZodType<Difference> = z.object({
  scenario: z.string(),
  file: z.string(),
  kind: z.enum(['changed', 'missing', 'extra']),
  summary: z.string(),
  cause: z.string(),
  changes: z.array(change),
  changeCount: z.int().min(0),
})

const inputs: z.ZodType<Inputs> = z.object({
  folder: z.string(),
  digests: z.record(z.string(), z.string()),
})

export const pendingSchema: z.ZodObject<{
  version: z.ZodLiteral<1>
  path: z.ZodString
  expectedDigest: z.ZodNullable<z.ZodString>
  inputs: z.ZodType<Inputs>
  difference: z.ZodType<Difference>
  actualText: z.ZodNullable<z.ZodString>
}> = z.object({
  version: z.literal(1),
  /** Of the compared file, relative to the project's root, with slashes. */
  path: z.string(),
  /** SHA-256 of the golden that the run was compared with; null when there was none. */
  expectedDigest: z.string().nullable(),
  /** What the run was made with. */
  inputs,
  difference,
  actualText: z.string().nullable(),
})
