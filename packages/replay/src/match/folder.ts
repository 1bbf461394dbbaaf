/**
 * The folders of a run in its texts: each becomes a token, and what lies in it
 * keeps its place below.
 */
import { folderNames, type RunContext } from './context.ts'

/** Replaces the folders of a run. */
export type FolderMask = (text: string) => string

/**
 * The folders of a run as one mask, or null when none is given. A folder is
 * replaced with what lies in it, but not its siblings with longer names. Some
 * agents name a folder of their own after the working folder, with every other
 * character a hyphen, and some write paths from the root without its slash; both
 * are replaced too, unless the folder lies at the root: its name alone is a word
 * like any other. macOS spells `/tmp` also `/private/tmp`.
 */
export function createFolderMask(context: RunContext): FolderMask | null {
  const spellings = folderNames.flatMap((token) => {
    const path = context[token]?.replace(/[\\/]+$/, '') ?? ''
    if (path.length < 2) return []
    const isAtRoot = /^\/[^/]+$/.test(path)
    const slug = isAtRoot ? path : path.replaceAll(/[^0-9A-Za-z]/g, '-')
    const fromRoot = isAtRoot ? path : path.replace(/^\//, '')
    return [
      { path, token: `{{${token}}}` },
      ...(slug === path ? [] : [{ path: slug, token: `{{${token}-slug}}` }]),
      ...(fromRoot === path ? [] : [{ path: fromRoot, token: `{{${token}-from-root}}` }]),
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
