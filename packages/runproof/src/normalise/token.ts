/**
 * Tokens that stand for volatile values: `{{session:1}}`. Equal values of a kind
 * get one token and different ones different tokens, numbered by first sight, so
 * swapped or confused ids still show.
 */

/** A token text, as written into goldens. */
export const tokenPattern: RegExp = /\{\{[^{}]*\}\}/g

/** `time` writes `{{time}}`, `job:n` numbers distinct values of the kind `job`. */
type TokenName = string

export type TokenTable = {
  /** The token of a value; a numbered name makes a new number at the first sight of `key`. */
  tokenOf(name: TokenName, key: string): string
  /** The number that `key` has among its kind, from 1. */
  numberOf(kind: string, key: string): number
}

export function createTokenTable(): TokenTable {
  const kinds = new Map<string, Map<string, number>>()
  const numberOf = (kind: string, key: string): number => {
    const numbers = kinds.get(kind) ?? new Map<string, number>()
    kinds.set(kind, numbers)
    const number = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, number)
    return number
  }
  return {
    numberOf,
    tokenOf(name, key) {
      const kind = name.endsWith(':n') ? name.slice(0, -2) : null
      return kind === null ? `{{${name}}}` : `{{${kind}:${numberOf(kind, key)}}}`
    },
  }
}

/** Whether a text may name a token: a word, with `:n` when it is numbered. */
export const isTokenName = (text: string): boolean => /^[A-Za-z][\w-]*(?::n)?$/.test(text)

/** Whether a style reads these lines: `{{session:1}}` is typed, `{{sessionId}}` is not. */
export const hasUntypedToken = (text: string): boolean => text.includes('{{sessionId}}')
