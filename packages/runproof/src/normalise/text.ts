/**
 * The second stage of normalising: what may stand anywhere inside a string.
 * Folders first, then ids that a field has shown to be session ids, then, in the
 * seed's untyped style only, everything that looks like a UUID.
 */
import { foldersOf, type NormaliseContext } from './context.ts'
import { createFolderReplacer, escapeExpression } from './folder.ts'
import type { Zone } from './profile.ts'
import type { TokenTable } from './token.ts'

const idUnitsMin = 8

/** Shorter ids, and plain numbers, are too common as text to be replaced in it. */
export const isNamedInText = (id: string): boolean => id.length >= idUnitsMin && !/^\d+$/.test(id)

const uuid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const anyUuid = new RegExp(uuid, 'g')
const wholeUuid = new RegExp(`^${uuid}$`)

/** Keys whose values are one path. */
const pathKeys: ReadonlySet<unknown> = new Set(['path', 'cwd'])

/** Rewrites one string of a zone; `key` is the key it stands under. */
export type TextStage = (text: string, zone: Zone, key?: string | number) => string

/** @param sessionIds ids that fields have shown; the table knows their numbers. */
export function createTextStage(
  context: NormaliseContext,
  sessionIds: readonly string[],
  table: TokenTable,
): TextStage {
  const folders = createFolderReplacer(foldersOf(context))
  const ids = createIdReplacer(sessionIds, (id) =>
    context.tokens === 'untyped' ? '{{sessionId}}' : table.tokenOf('session:n', JSON.stringify(id)),
  )
  return (text, zone, key) => {
    const replaced = pathKeys.has(key) ? folders.replacePath(text) : folders.replace(text)
    if (context.tokens === 'untyped') return ids(replaced).replace(anyUuid, '{{sessionId}}')
    if (zone === 'model') return replaced
    if (zone === 'protocol' && wholeUuid.test(replaced))
      return table.tokenOf('id:n', JSON.stringify(replaced))
    return ids(replaced)
  }
}

function createIdReplacer(
  ids: readonly string[],
  tokenOf: (id: string) => string,
): (text: string) => string {
  const known = [...new Set(ids)].filter(isNamedInText).toSorted((a, b) => b.length - a.length)
  if (known.length === 0) return (text) => text
  const expression = new RegExp(
    `(?<![A-Za-z0-9])(?:${known.map(escapeExpression).join('|')})(?![A-Za-z0-9])`,
    'gu',
  )
  return (text) => text.replace(expression, tokenOf)
}
