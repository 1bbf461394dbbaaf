/**
 * Known folders in text, in every spelling, as `{{token}}`: as given, with macOS'
 * `/private`, with slashes or backslashes, any case of a Windows path, `\\?\`,
 * Git Bash's `/c/…` and WSL's `/mnt/c/…`, JSON-escaped once or more, URL-encoded.
 *
 * Invariants: the longest folder wins; a match ends where a name ends (`/tmp/a`
 * is not found in `/tmp/ab` or `/tmp/a.bak`) and does not start inside a longer
 * path (`/mnt/tmp/a`); below a Windows folder separators become slashes, so that
 * one golden serves every system.
 */

/** Folders by token name; several spellings of one folder may be given. */
export type Folders = Readonly<Record<string, string | readonly string[]>>

export type FolderReplacer = {
  replace: (text: string) => string
  /** The same for a text that is one path as a whole: every separator becomes a slash on Windows. */
  replacePath: (text: string) => string
}

type Pattern = { length: number; needle: string; expression: RegExp; token: string }

/** Passes over one text: each finds what the one before uncovered. */
const passesMax = 8

/** Characters after which a name goes on; a dot alone may end a sentence. */
const nameEnd = String.raw`(?![\p{L}\p{N}_~-]|\.[\p{L}\p{N}_])`

/** macOS serves these under `/private` too. */
const privateFolders: ReadonlySet<string> = new Set(['tmp', 'var', 'etc'])

const drivePath = /^(?:\\\\\?\\|\/\/\?\/)?([A-Za-z]):[\\/](.+)$/
const sharePath = /^\\\\(?:\?\\UNC\\)?([^\\/?]+[\\/].+)$/

/** Folders without a name (`/`, `C:\`) and texts that are no absolute path are left out. */
export function createFolderReplacer(folders: Folders): FolderReplacer {
  const spellings = Object.entries(folders).flatMap(([token, paths]) =>
    [paths].flat().map((path) => ({ token: `{{${token}}}`, path })),
  )
  const patterns = spellings
    .flatMap(({ token, path }) => {
      const pattern = patternOf(path)
      return pattern === null ? [] : [{ ...pattern, token }]
    })
    .toSorted((a, b) => b.length - a.length)
  const isWindows = spellings.some(({ path }) => drivePath.test(path) || path.startsWith('\\\\'))

  const replaceOnce = (text: string): string => {
    const lower = text.toLowerCase()
    let result = text
    for (const { needle, expression, token } of patterns) {
      if (!lower.includes(needle)) continue
      result = replaceFolder(result, expression, token)
    }
    return result
  }
  // A path inside a path shows only when the outer one is gone.
  const replace = (text: string): string => {
    let result = replaceOnce(text)
    for (let pass = 1, before = text; result !== before && pass < passesMax; pass++) {
      before = result
      result = replaceOnce(before)
    }
    return result
  }
  return {
    replace,
    replacePath: (text) => (isWindows ? replace(text).replaceAll('\\', '/') : replace(text)),
  }
}

function replaceFolder(text: string, expression: RegExp, token: string): string {
  let result = ''
  let done = 0
  for (const match of text.matchAll(expression)) {
    const tail = match.groups?.['tail'] ?? ''
    const slashed = tail.replaceAll(/\\+/g, '/').replaceAll(/%5c/gi, '%2F')
    result += text.slice(done, match.index) + token + slashed
    done = match.index + match[0].length
  }
  return done === 0 ? text : result + text.slice(done)
}

function patternOf(path: string): Omit<Pattern, 'token'> | null {
  const drive = drivePath.exec(path)
  const share = drive === null ? sharePath.exec(path) : null
  const isWindows = drive !== null || share !== null
  if (!isWindows && !path.startsWith('/')) return null
  const body = drive?.[2] ?? share?.[1] ?? path
  const names = body.split(isWindows ? /[\\/]+/ : /\/+/).filter((name) => name !== '')
  const last = names.at(-1)
  if (last === undefined) return null
  const source = isWindows ? windowsSource(names, drive?.[1]) : posixSource(names)
  return {
    length: path.length,
    needle: needleOf(last),
    expression: new RegExp(source, isWindows ? 'giu' : 'gu'),
  }
}

function posixSource(names: readonly string[]): string {
  const isPrivate = names[0] === 'private' && privateFolders.has(names[1] ?? '')
  const [first = '', ...rest] = isPrivate ? names.slice(1) : names
  const separator = String.raw`(?<separator>\/|\\+\/|%2[Ff]|%252[Ff])`
  const alias = privateFolders.has(first) ? String.raw`(?:private\k<separator>)?` : ''
  const below = rest.map((name) => String.raw`\k<separator>` + nameSource(name)).join('')
  const notInside = String.raw`(?<!\/[\p{L}\p{N}_.~-]+|\}\})`
  return notInside + separator + alias + nameSource(first) + below + nameEnd
}

function windowsSource(names: readonly string[], drive: string | undefined): string {
  const start = String.raw`(?:(?<![\p{L}\p{N}])|(?<=\\[nrt])|(?<=\[[\d;]*m))`
  const separator = String.raw`(?<separator>\\+|\/+|%5c|%2f)`
  const below = String.raw`(?:\k<separator>|\/)`
  const [first = '', second = '', ...more] = names.map(nameSource)
  // file:///C:/a and file:///tmp/a shall both read file://{{cwd}}.
  const verbatim = String.raw`(?:(?<=file:\/\/)\/)?(?:[\\\/]{2,}\?[\\\/]+)?`
  const head =
    drive === undefined
      ? String.raw`[\\\/]{2,}(?:\?[\\\/]+unc[\\\/]+)?` + first + separator + second
      : String.raw`(?:${verbatim}${drive}(?::|%3a)|\/(?:cygdrive\/|mnt\/)?${drive}(?=\/))` +
        separator +
        first +
        (second === '' ? '' : below + second)
  const rest = more.map((name) => below + name).join('')
  // What follows is a path too: quotes and blanks end it, its separators are rewritten.
  const tail = String.raw`(?<tail>(?:${below}[^\s\\\/"'${'`'}<>|:*?]+)*${below}?)`
  return start + head + rest + nameEnd + tail
}

/** One name as itself, JSON-escaped or percent-encoded. */
function nameSource(name: string): string {
  const escaped = JSON.stringify(name).slice(1, -1)
  const ascii = escaped.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const encoded = [encodeURIComponent(name.toWellFormed()), encodeURI(name.toWellFormed())]
  const lower = encoded.map((text) => text.replaceAll(/%../g, (code) => code.toLowerCase()))
  const spellings = [...new Set([name, escaped, ascii, ...encoded, ...lower])]
  return `(?:${spellings.map(escapeExpression).join('|')})`
}

/** A piece of the name that no spelling changes: texts without it need no search. */
function needleOf(name: string): string {
  const runs = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['']
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}

export const escapeExpression = (text: string): string =>
  text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
