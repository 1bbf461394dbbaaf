/** Golden files as lines: read whatever an editor or git made of the line ends, written with LF. */
import { readFile } from 'node:fs/promises'

/** The lines of a text; the end of the last one may be missing. */
export function parseLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** A file's lines, or null for no file. */
export async function readGolden(path: string | undefined): Promise<string[] | null> {
  return path === undefined ? null : parseLines(await readFile(path, 'utf8'))
}

/** The text of a file with these lines. */
export function serializeLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
