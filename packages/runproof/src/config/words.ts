/** What can be handed to a process: words of a command, variables of an environment. */
import { z } from 'zod'

// The system ends a word at NUL, and a variable's name at its first "=".
const word = z.string().regex(/^[^\u0000]*$/, { message: 'holds a NUL character' }) // oxlint-disable-line no-control-regex -- NUL is its subject
const variableName = z.string().regex(/^[^=\u0000]+$/, { message: 'is no name of a variable' }) // oxlint-disable-line no-control-regex -- NUL is its subject

/** A program and its arguments. */
export const commandSchema: z.ZodType<string[]> = z
  .array(word)
  .min(1)
  .refine(([program]) => program !== '', {
    message: 'begins with an empty word, not with a program',
  })

/** Variables by name. */
export const variablesSchema: z.ZodType<Record<string, string>> = z.record(variableName, word)
