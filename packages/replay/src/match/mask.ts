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
import { folderNames, type RunContext } from './context.ts'

/** Replaces what is volatile. `speaker` keeps what the model wrote apart from all else. */
export type Masker = (text: string, speaker: Speaker) => string

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
      String.raw`()(?<![\w/])((?:${tempRoot})[\\/]+[\w+@-]+)(?![\w+@.-]*\.\w)`,
      'g',
    ),
  },
  // Only where the text says that it is the day of the run.
  {
    token: 'date',
    pattern: new RegExp(
      String.raw`(\b(?:[Tt]oday|[Cc]urrent)(?![a-z])[^\n\d]{0,40}?)((?:${date})(?:${timeOfDay})?)(?!\d)`,
      'g',
    ),
    isFlat: true,
  },
]

/** A masker of one request: it numbers what it sees, so make one for each. `own` come before all others. */
export function createMasker(folders: FolderMask | null, own: readonly OwnMask[] = []): Masker {
  const seen = new Map<string, string>()
  const counts = new Map<string, number>()
  const tokenOf = (token: string, value: string, speaker: Speaker): string => {
    const identity = `${speaker} ${token} ${value.toLowerCase()}`
    const known = seen.get(identity)
    if (known !== undefined) return known
    const count = (counts.get(speaker + token) ?? 0) + 1
    counts.set(speaker + token, count)
    const made = `{{${token}:${speaker === 'model' ? 'm' : ''}${count}}}`
    seen.set(identity, made)
    return made
  }
  return (text, speaker) => {
    let masked = folders === null ? text : folders(text)
    for (const { pattern, token } of own) masked = replaceOwn(masked, pattern, token)
    if (masked.length < matchUnitsMin) return masked
    for (const { token, pattern, hint, isFlat } of masks) {
      if (hint?.test(masked) === false) continue
      masked = masked.replace(pattern, (_, before: string, value: string) =>
        isFlat === true ? `${before}{{${token}}}` : before + tokenOf(token, value, speaker),
      )
    }
    return masked
  }
}

/** A mask of a context, compiled. */
export type OwnMask = { pattern: RegExp; token: string }

export function compileMasks({ masks = [] }: RunContext): OwnMask[] {
  return masks.map(({ match, token }) => ({
    pattern: new RegExp(match, 'dgu'),
    token: `{{${token}}}`,
  }))
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

/** Replaces the folders of a run. */
export type FolderMask = (text: string) => string

/**
 * The folders of a run as one mask, or null when none is given. A folder is
 * replaced with what lies in it, but not its siblings with longer names. Some
 * agents name a folder of their own after the working folder, with every other
 * character a hyphen; that is replaced too. macOS spells `/tmp` also
 * `/private/tmp`.
 */
export function createFolderMask(context: RunContext): FolderMask | null {
  const spellings = folderNames.flatMap((token) => {
    const path = context[token]?.replace(/[\\/]+$/, '') ?? ''
    if (path.length < 2) return []
    const slug = path.replaceAll(/[^0-9A-Za-z]/g, '-')
    return [
      { path, token: `{{${token}}}` },
      ...(slug === path ? [] : [{ path: slug, token: `{{${token}-slug}}` }]),
    ]
  })
  if (spellings.length === 0) return null
  // The longest first: one folder may lie in another.
  const sorted = spellings.toSorted((a, b) => b.path.length - a.path.length)
  const alternatives = sorted.map(({ path }) => escape(path)).join('|')
  const pattern = new RegExp(
    String.raw`(?<![\w-])(?:\/private)?(${alternatives})(?![\w.-]*[\w-])`,
    'g',
  )
  const tokens = new Map(sorted.map(({ path, token }) => [path, token]))
  return (text) => text.replace(pattern, (whole, path: string) => tokens.get(path) ?? whole)
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`)
}
