import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCapture } from '../src/capture.ts'

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })
const limit = fc.integer({ min: 2, max: 100 })

describe('a capture', () => {
  it('says the same however the bytes were cut', () => {
    fc.assert(
      fc.property(chunks, limit, (parts, bytesMax) => {
        const [cut, whole] = [createCapture(bytesMax), createCapture(bytesMax)]
        for (const part of parts) cut.push(part)
        whole.push(Buffer.concat(parts))
        expect([cut.text(), cut.omittedBytes()]).toEqual([whole.text(), whole.omittedBytes()])
      }),
    )
  })

  it('keeps everything within the limit, and beginning and end beyond it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), limit, (text, bytesMax) => {
        const bytes = Buffer.from(text)
        const capture = createCapture(bytesMax)
        capture.push(bytes)
        expect(capture.omittedBytes()).toBe(Math.max(0, bytes.length - bytesMax))
        if (bytes.length <= bytesMax) {
          expect(capture.text()).toBe(bytes.toString())
          return
        }
        // No character is cut in two.
        const [before = '', after = ''] = capture
          .text()
          .split(/\n\[… \d+ bytes of output left out …\]\n/)
        expect([bytes.toString().startsWith(before), bytes.toString().endsWith(after)]).toEqual([
          true,
          true,
        ])
      }),
    )
  })

  it('refuses a limit that is none', () => {
    expect(() => createCapture(1)).toThrow(TypeError)
  })
})
