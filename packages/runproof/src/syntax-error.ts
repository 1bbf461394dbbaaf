/**
 * Where a text stops being JSON. The engine's own message often has no place;
 * the parser that has one is loaded only when there is something to explain.
 */

import type { ParseError } from 'jsonc-parser'

/** `line 3, column 7: value expected`, for a text that `JSON.parse` refused. */
export async function syntaxError(text: string): Promise<string> {
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true })
  const [first] = errors
  if (first === undefined) return 'not JSON'
  const before = text.slice(0, first.offset).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  const words = printParseErrorCode(first.error).replaceAll(/(?!^)(?=[A-Z])/g, ' ')
  return `line ${before.length}, column ${column}: ${words.toLowerCase()}`
}
