/**
 * Makes two texts of two runs comparable: the working folder, ids and times
 * become tokens, everything else stays.
 *
 * Invariants: a text is normalised with its own run's folder; equal ids of
 * one text stay equal and different ones different (`{{id:1}}`, `{{id:2}}` in
 * the order they are first seen); a normalised text is a fixed point.
 */

export type NormaliseOptions = {
  /** The run's working folder. */
  cwd?: string | undefined
  /** All ids are one token, as in logs that were scrubbed that way. */
  oneId?: boolean
}

export const cwdToken = '{{cwd}}'
/** The id token of scrubbed logs, which hides which id it was. */
export const flatIdToken = '{{sessionId}}'
const timeToken = '{{time}}'

const uuid = /\b[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}\b/g
/** ISO 8601 with a time of day, and milliseconds since 1970 between 2001 and 2286. */
const isoTime = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g
const epochMs = /(?<![\w.-])[1-9]\d{12}(?![\w.-])/g

export function normaliseText(text: string, options: NormaliseOptions): string {
  const { cwd, oneId = false } = options
  const ids = new Map<string, string>()
  const idToken = (id: string): string => {
    const key = id.toLowerCase()
    const token = ids.get(key) ?? `{{id:${ids.size + 1}}}`
    ids.set(key, token)
    return oneId ? flatIdToken : token
  }
  return replaceFolder(text, cwd)
    .replaceAll(uuid, idToken)
    .replaceAll(isoTime, timeToken)
    .replaceAll(epochMs, timeToken)
}

/** Replaces the folder and what is in it, not a sibling with a longer name. macOS spells `/tmp` also `/private/tmp`. */
function replaceFolder(text: string, cwd: string | undefined): string {
  if (cwd === undefined || !isAbsolute(cwd) || cwd.length < 2) return text
  const path = escape(cwd.replace(/[/\\]+$/, ''))
  return text.replaceAll(new RegExp(`(?:/private)?${path}(?![\\w.-]*[\\w-])`, 'g'), cwdToken)
}

/** Lines with the folder that are looked for; where so many are not found, none is. */
const folderLinesMax = 100

/** Tokens of other scrubbers in such a line; the ways to divide a text among more are too many to try. */
const foreignTokensMax = 2

const foreignToken = /\{\{(?!id:\d+\}|(?:cwd|time|sessionId)\})[\w:]+\}\}/g

/**
 * The folder that stands in `other` where `text` (normalised) has its token:
 * taken from the first line of `other` that is the line of `text` but for
 * folder, ids and times. undefined when there is none.
 */
export function findFolder(text: string, other: string): string | undefined {
  const others = other.split('\n')
  const lines = text
    .split('\n')
    .filter((line) => line.includes(cwdToken))
    .filter((line) => (line.match(foreignToken)?.length ?? 0) <= foreignTokensMax)
  for (const line of lines.slice(0, folderLinesMax)) {
    const [start = '', ...rest] = line.split(cwdToken)
    const pattern = [
      `^${loosely(start)}(?<cwd>.+?)${loosely(rest[0] ?? '')}`,
      ...rest.slice(1).map((part) => `\\k<cwd>${loosely(part)}`),
    ].join('')
    const expression = new RegExp(`${pattern}$`)
    for (const candidate of others) {
      const cwd = expression.exec(candidate)?.groups?.cwd
      if (cwd !== undefined && isAbsolute(cwd)) return cwd
    }
  }
  return undefined
}

/** A pattern for a part of a normalised line; its tokens stand for what they replaced. */
function loosely(part: string): string {
  return part.replaceAll(/(\{\{[\w:]+\}\})|[^{]+|\{/g, (text, token?: string) =>
    token === undefined ? escape(text) : tokenPattern(token),
  )
}

/**
 * What may stand where a token is. Ids and times have shapes of their own:
 * were they anything, a long line with many of them could be divided in more
 * ways than can be tried. A token of another scrubber is one word.
 */
function tokenPattern(token: string): string {
  const shapes =
    token === timeToken
      ? [isoTime, epochMs]
      : /^\{\{(?:id:\d+|sessionId)\}\}$/.test(token)
        ? [uuid]
        : []
  const alternatives = [escape(token), ...shapes.map(({ source }) => source)]
  return `(?:${shapes.length > 0 ? alternatives.join('|') : String.raw`[^\s"]{1,200}?`})`
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[/\\])/.test(path)
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`)
}
