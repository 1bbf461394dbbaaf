/**
 * Five ways to read server-sent events that look right and are not; each works
 * on ordinary streams. They are here to show that the cases catch them.
 */

import { createSseDecoder, type SseEvent } from '@runproof/sse'
import { concat } from './inputs.ts'

export type WrongStrategy = {
  name: string
  /** A fixture of ours, and a case of the seed, on which it fails. */
  caughtBy: { fixture: string; seedCase: string }
  decode: (chunks: readonly Uint8Array[]) => SseEvent[]
}

function decodeRight(chunks: readonly Uint8Array[]): SseEvent[] {
  const decoder = createSseDecoder()
  return chunks.flatMap((chunk) => decoder.push(chunk))
}

function textOf(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(concat(chunks))
}

/** The data lines of a block of LF lines. */
function dataOf(block: string): string[] {
  return block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
}

export const wrongStrategies: readonly WrongStrategy[] = [
  {
    name: 'decodes the text of each chunk alone',
    caughtBy: { fixture: 'characters', seedCase: 'unicode_multiline_crlf' },
    decode: (chunks) =>
      decodeRight(chunks.map((chunk) => new TextEncoder().encode(new TextDecoder().decode(chunk)))),
  },
  {
    name: 'splits at two LF',
    caughtBy: { fixture: 'carriage-return', seedCase: 'cr_only' },
    decode: (chunks) => {
      const blocks = textOf(chunks).split('\n\n').slice(0, -1)
      return blocks.flatMap((block) => decodeRight([new TextEncoder().encode(`${block}\n\n`)]))
    },
  },
  {
    name: 'adds the blank line that is missing at the end',
    caughtBy: { fixture: 'unfinished-event', seedCase: 'json_without_final_blank' },
    decode: (chunks) => decodeRight([...chunks, new TextEncoder().encode('\n\n')]),
  },
  {
    name: 'skips events whose data is empty or white space',
    caughtBy: { fixture: 'empty-data', seedCase: 'empty_data_is_event' },
    decode: (chunks) => decodeRight(chunks).filter(({ data }) => data.trim() !== ''),
  },
  {
    name: 'takes every block for JSON',
    caughtBy: { fixture: 'no-data', seedCase: 'meta_only_then_data' },
    decode: (chunks) =>
      textOf(chunks)
        .replaceAll('\r\n', '\n')
        .split('\n\n')
        .slice(0, -1)
        .map((block) => {
          const data = dataOf(block).join('\n')
          JSON.parse(data)
          return { event: 'message', data, id: '' }
        }),
  },
]

/** Whether a strategy throws or gives other events under any of the partitions. */
export function fails(
  { decode }: WrongStrategy,
  partitions: Iterable<Uint8Array[]>,
  expected: readonly SseEvent[],
): boolean {
  for (const chunks of partitions) {
    try {
      if (JSON.stringify(decode(chunks)) !== JSON.stringify(expected)) return true
    } catch {
      // A crash on well-formed input is a failure, too.
      return true
    }
  }
  return false
}
