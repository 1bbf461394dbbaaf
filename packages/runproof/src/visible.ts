/**
 * Untrusted text on its way to a terminal: ids, kinds, notes, model text, file
 * names. Control characters could move the cursor, set the title or forge a
 * line, bidirectional controls could reorder one; both become visible escapes.
 */

// C0, DEL, C1; line and paragraph separators; bidirectional marks, embeddings, overrides, isolates.
const dangerous = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g // oxlint-disable-line no-control-regex -- control characters are its subject

const escapeOf = (character: string): string => {
  const code = character.charCodeAt(0)
  return code <= 0xff
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

/** The text with every control character shown as `\x1b` or `\u202e`; a result of one line. */
export function visible(text: string): string {
  return text.replace(dangerous, escapeOf)
}

/** JSON on one line that is also safe to print: the same characters are JSON escapes. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(
    dangerous,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
