/**
 * The rules of a project (`normalise:` in `runproof.yml`), checked and compiled.
 * They are the only part of normalising that may rewrite what a model wrote.
 */
import type { NormaliseRule } from './context.ts'
import { matchesPath, parseSelector, type Path, type Selector } from './selector.ts'
import { isTokenName, tokenPattern, type TokenTable } from './token.ts'

/** Rules on values or strings, in their order. */
export type CompiledRules = {
  /** The token that replaces the value at `path` as a whole, or null. */
  tokenAt(path: Path, value: unknown, table: TokenTable): string | null
  /** The string with every match replaced. */
  rewrite(text: string, path: Path, table: TokenTable): string
}

type Compiled = { selector: Selector | null; expression: RegExp | null; token: string }

/** @returns what is wrong with a rule, in one sentence, or null. */
export function problemOfRule(rule: NormaliseRule): string | null {
  const { path, match, token } = rule
  if (path === undefined && match === undefined) return 'a rule needs a path, a match or both'
  if (!isTokenName(token)) {
    return `token ${JSON.stringify(token)} is not a name such as duration, or job:n to number values`
  }
  if (path !== undefined && parseSelector(path) === null) {
    return `path ${JSON.stringify(path)} is not a path such as result.sessions[*].updatedAt`
  }
  if (match === undefined) return null
  try {
    return new RegExp(match, 'u').test('')
      ? `match ${JSON.stringify(match)} matches nothing at all, and so everywhere`
      : null
  } catch (error) {
    return `match ${JSON.stringify(match)} is no regular expression: ${String(error)}`
  }
}

/** @throws TypeError for a rule with a problem: check rules of users first. */
export function compileRules(rules: readonly NormaliseRule[]): CompiledRules {
  const compiled = rules.map(compileRule)
  const valueRules = compiled.filter(({ expression }) => expression === null)
  const textRules = compiled.filter(({ expression }) => expression !== null)
  return {
    tokenAt(path, value, table) {
      const rule = valueRules.find(({ selector }) => selectorMatches(selector, path))
      return rule === undefined ? null : table.tokenOf(rule.token, JSON.stringify(value))
    },
    rewrite(text, path, table) {
      let result = text
      for (const { selector, expression, token } of textRules) {
        if (expression === null || (selector !== null && !matchesPath(selector, path))) continue
        result = replaceMatches(result, expression, (found) => table.tokenOf(token, found))
      }
      return result
    },
  }
}

const selectorMatches = (selector: Selector | null, path: Path): boolean =>
  selector !== null && matchesPath(selector, path)

function compileRule(rule: NormaliseRule): Compiled {
  const problem = problemOfRule(rule)
  if (problem !== null) throw new TypeError(`normalise rule: ${problem}`)
  return {
    selector: rule.path === undefined ? null : parseSelector(rule.path),
    expression: rule.match === undefined ? null : new RegExp(rule.match, 'gdu'),
    token: rule.token,
  }
}

/** Replaces each match, or its first group; what overlaps a token stays. */
function replaceMatches(
  text: string,
  expression: RegExp,
  tokenOf: (found: string) => string,
): string {
  const tokens = [...text.matchAll(tokenPattern)].map(
    ({ 0: token, index }) => [index, index + token.length] as const,
  )
  let result = ''
  let done = 0
  for (const match of text.matchAll(expression)) {
    const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0]
    const overlaps = tokens.some(([from, to]) => start < to && end > from)
    if (end === start || start < done || overlaps) continue
    result += text.slice(done, start) + tokenOf(text.slice(start, end))
    done = end
  }
  return result + text.slice(done)
}
