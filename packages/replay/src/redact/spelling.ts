/**
 * The ways a known secret is spelled: as it is (escapes are `view.ts`), as a
 * form spells blanks, in hexadecimal, and inside base64 text at each of the
 * three alignments, in both alphabets.
 *
 * Not covered, and said so in docs/guide/secrets.md: secrets that are
 * encrypted, compressed, hashed, reversed or cut up by the agent itself.
 */

/** Shorter spellings in base64 would be found by chance. */
const encodedUnitsMin = 10

export type Spelling = {
  text: string
  /** What the secret alone decides of a base64 text: the run around it belongs to it. */
  isBase64: boolean
}

/** All distinct spellings of a secret, the secret itself first. */
export function spellingsOf(secret: string): Spelling[] {
  const bytes = Buffer.from(secret, 'utf8')
  const hex = bytes.toString('hex')
  const exact = [secret, secret.replaceAll(' ', '+'), hex, hex.toUpperCase()]
  const inner = base64Spellings(bytes).filter(({ length }) => length >= encodedUnitsMin)
  return [
    ...[...new Set(exact)].map((text) => ({ text, isBase64: false })),
    ...[...new Set(inner)].map((text) => ({ text, isBase64: true })),
  ]
}

/**
 * The characters of a base64 text that these bytes alone decide, when the text
 * encodes them behind 0, 1 or 2 other bytes (modulo 3).
 */
function base64Spellings(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const first = Math.ceil((offset * 8) / 6)
    const end = Math.floor(((offset + bytes.length) * 8) / 6)
    const inner = text.slice(first, end)
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
