import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLines, type Line } from '../src/lines.ts'

const utf8 = new TextEncoder()

async function linesOf(chunks: Uint8Array[], bytesMax?: number): Promise<Line[]> {
  const lines: Line[] = []
  const source = (async function* () {
    yield* chunks
  })()
  for await (const batch of readLines(source, bytesMax)) lines.push(...batch)
  return lines
}

describe('readLines', () => {
  it('numbers lines, counts blank ones, takes LF and CRLF, and keeps a last line without end', async () => {
    const lines = await linesOf([utf8.encode('one\r\n\n  \ntwo\nthree')])
    expect(lines).toEqual([
      { number: 1, text: 'one' },
      { number: 4, text: 'two' },
      { number: 5, text: 'three' },
    ])
  })

  it('reports a line that is not UTF-8 and goes on', async () => {
    const bytes = Uint8Array.of(0x61, 0x0a, 0xff, 0xfe, 0x0a, 0x62, 0x0a)
    expect(await linesOf([bytes])).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: '\ufffd\ufffd', problem: 'not UTF-8' },
      { number: 3, text: 'b' },
    ])
  })

  it('reports a line over the limit, drops it and goes on', async () => {
    const lines = await linesOf([utf8.encode('1234'), utf8.encode('56\nok\n')], 5)
    expect(lines).toEqual([
      { number: 1, text: '', problem: 'longer than 5 bytes' },
      { number: 2, text: 'ok' },
    ])
  })

  it('gives the same lines under every partition', async () => {
    const text = fc
      .array(fc.constantFrom('a', '中', '🙂', '\n', '\r\n', '\r', ' '), { maxLength: 40 })
      .map((parts) => parts.join(''))
    const cuts = fc.array(fc.nat(120), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(text, cuts, async (whole, offsets) => {
        const bytes = utf8.encode(whole)
        const marks = [0, ...offsets.map((offset) => offset % (bytes.length + 1)), bytes.length]
        marks.sort((a, b) => a - b)
        const pieces = marks.slice(1).map((mark, index) => bytes.subarray(marks[index], mark))
        expect(await linesOf(pieces)).toEqual(await linesOf([bytes]))
      }),
    )
  })
})
