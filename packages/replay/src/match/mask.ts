/**
 * Texts of two runs made comparable: what differs from run to run and means
 * nothing becomes a token.
 *
 * What has an identity (ids, folders) becomes a numbered token, numbered as it
 * is first seen in one request: `{{uuid:1}}`, `{{uuid:2}}`. Two requests agree
 * when the same places hold the same one. Times have none, since two of them
 * may be equal by chance: `{{time}}`. A mask looks at the text and at the
 * folders of its own run only, never at a clock, so a recording matches on any
 * day. What only one agent writes is said by the masks of its context.
 */
import { ReplayError } from '../error.ts'
import type { RunContext } from './context.ts'
import { createFolderMask } from './folder.ts'

/**
 * What the model wrote comes from the recording, the rest from the live run,
 * so the numbering of one must not depend on the other.
 */
export type Speaker = 'run' | 'model'

type Mask = {
  token: string
  /** Two groups: what stands before and stays, and what is replaced. */
  pattern: RegExp
  /** Part of every match, much faster to look for than the whole pattern. */
  hint?: RegExp
  /** Without identity: all are one token. */
  isFlat?: true
}

const letter = '[0-9A-Za-z]'
const hex = '[0-9A-Fa-f]'

const tempRoot = [
  String.raw`(?:\/private)?\/tmp`,
  String.raw`(?:\/private)?\/var\/folders\/[\w+-]+\/[\w+-]+\/T`,
  String.raw`[A-Za-z]:[\\/]+Users[\\/]+[^\\/\s"']+[\\/]+AppData[\\/]+Local[\\/]+Temp`,
].join('|')

const weekday = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?'
const month =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)'
const date = [
  String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}`,
  String.raw`\d{1,2}[-/.]\d{1,2}[-/.]\d{4}`,
  String.raw`(?:${weekday},? )?${month} \d{1,2},? \d{4}`,
  String.raw`(?:${weekday},? )?\d{1,2}\.? ${month},? \d{4}`,
].join('|')
const timeOfDay = String.raw`,?(?: at)? \d{1,2}:\d{2}(?::\d{2})?(?:\s[AP]M)?(?: (?:GMT|UTC)(?:[+-]\d{1,2}:?\d{0,2})?)?`

/** No mask matches a shorter text. */
const matchUnitsMin = '/tmp/a'.length

/** In this order, each over the whole text. */
const masks: readonly Mask[] = [
  // A live request has the secret where a recorded one has its placeholder: which one is not told.
  { token: 'secret', pattern: /()(\{\{secret:\d+\}\})/g, hint: /\{\{secret:/, isFlat: true },
  {
    token: 'uuid',
    pattern: new RegExp(
      `()(?<!${letter})(${hex}{8}(?:-${hex}{4}){3}-${hex}{12})(?!${letter})`,
      'g',
    ),
    hint: new RegExp(`-${hex}{4}-${hex}{4}-`),
  },
  {
    token: 'time',
    pattern:
      /()(?<!\d)(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)/g,
    isFlat: true,
  },
  // From 2017 to 2049; wider, it would hide other numbers of 13 digits.
  { token: 'ms', pattern: /()(?<![\d.])((?:1[5-9]|2[0-4])\d{11})(?!\d|\.\d)/g, isFlat: true },
  { token: 'hex', pattern: /(\bChunk ID: )([0-9a-f]+)/g },
  { token: 'seconds', pattern: /(\bWall time: )(\d+(?:\.\d+)?)/g, isFlat: true },
  { token: 'id', pattern: /()\b((?:ses|msg|prt)_[A-Za-z0-9]{20,})/g },
  // A folder, not a file: a name with a suffix was chosen, one without was often drawn.
  {
    token: 'folder',
    pattern: new RegExp(
      String.raw`()(?<![\w/])((?:${tempRoot})[\\/]+[\w+@-]+)(?![\w+@-]|[\w+@.-]*\.\w)`,
      'g',
    ),
  },
  // Only where the text says that it is the day of the run.
  {
    token: 'date',
    pattern: new RegExp(
      String.raw`(\b(?:[Tt]oday|[Cc]urrent)(?![a-z])[^\n\d{]{0,40}?)((?:${date})(?:${timeOfDay})?)(?!\d)`,
      'g',
    ),
    isFlat: true,
  },
]

/** Literal text, or what is to be numbered. */
type Piece = string | { token: string; value: string }

/** Takes a text apart: what is volatile without identity is a token already. */
export type Scanner = (text: string) => readonly Piece[]

/** UTF-16 units of the texts that a scanner remembers; then it forgets all of them. */
const rememberedUnitsMax = 4 * 1024 * 1024

/**
 * A scanner of the texts of one run. A conversation is sent again with every
 * request, so what was taken apart once is remembered.
 */
export function createScanner(context: RunContext): Scanner {
  const folders = createFolderMask(context)
  const own = compileMasks(context)
  const remembered = new Map<string, readonly Piece[]>()
  let units = 0
  return (text) => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    const placed = folders === null ? text : folders(text)
    const pieces = takeApart(
      own.reduce((masked, mask) => replaceOwn(masked, mask.pattern, mask.token), placed),
    )
    if (units + text.length > rememberedUnitsMax) {
      remembered.clear()
      units = 0
    }
    if (text.length > rememberedUnitsMax) return pieces
    units += text.length
    remembered.set(text, pieces)
    return pieces
  }
}

function takeApart(text: string): readonly Piece[] {
  if (text.length < matchUnitsMin) return [text]
  return masks.reduce<readonly Piece[]>(
    (pieces, mask) =>
      pieces.flatMap((piece) => (typeof piece === 'string' ? split(piece, mask) : [piece])),
    [text],
  )
}

function split(text: string, { token, pattern, hint, isFlat }: Mask): Piece[] {
  if (hint?.test(text) === false) return [text]
  const pieces: Piece[] = []
  let done = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, before = '', value = ''] = match
    pieces.push(text.slice(done, match.index) + before)
    pieces.push(isFlat === true ? `{{${token}}}` : { token, value })
    done = match.index + whole.length
  }
  return done === 0 ? [text] : [...pieces, text.slice(done)]
}

/** Replaces what is volatile. `speaker` keeps what the model wrote apart from all else. */
export type Masker = (text: string, speaker: Speaker) => string

/** A masker of one request: it numbers what it sees, so make one for each. */
export function createMasker(scan: Scanner): Masker {
  const tokens = new Map<string, string>()
  const counts = new Map<string, number>()
  const tokenOf = (token: string, value: string, speaker: Speaker): string => {
    const identity = `${speaker} ${token} ${value}`
    const known = tokens.get(identity)
    if (known !== undefined) return known
    const count = (counts.get(speaker + token) ?? 0) + 1
    counts.set(speaker + token, count)
    const made = `{{${token}:${speaker === 'model' ? 'm' : ''}${count}}}`
    tokens.set(identity, made)
    return made
  }
  return (text, speaker) => {
    const pieces = scan(text)
    const [first = ''] = pieces
    if (pieces.length === 1 && typeof first === 'string') return first
    return pieces
      .map((piece) =>
        typeof piece === 'string' ? piece : tokenOf(piece.token, piece.value, speaker),
      )
      .join('')
  }
}

type OwnMask = { pattern: RegExp; token: string }

/** @throws ReplayError `bad-config` for what is no regular expression. */
function compileMasks({ masks: own = [] }: RunContext): OwnMask[] {
  return own.map(({ match, token }) => {
    try {
      return { pattern: new RegExp(match, 'dgu'), token: `{{${token}}}` }
    } catch (error) {
      const message = `the mask ${token} is no regular expression: ${match}`
      throw new ReplayError('bad-config', message, { cause: error })
    }
  })
}

/** Replaces each match, or only its first group. */
function replaceOwn(text: string, pattern: RegExp, token: string): string {
  let result = ''
  let done = 0
  for (const { indices } of text.matchAll(pattern)) {
    const [start, end] = indices?.[1] ?? indices?.[0] ?? [done, done]
    if (start === end) continue
    result += text.slice(done, start) + token
    done = end
  }
  return done === 0 ? text : result + text.slice(done)
}
