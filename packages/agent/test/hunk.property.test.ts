import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHunk } from '../src/tools/hunk.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  .map((lines) => lines.join('\n'))

describe('a hunk', () => {
  it('turns the old text into the new one where it is put', () => {
    fc.assert(
      fc.property(text, text, (oldText, newText) => {
        const hunk = createHunk(oldText, newText)
        // Some occurrence of the old part, replaced by the new part, is the change.
        const candidates: string[] = []
        for (
          let at = oldText.indexOf(hunk.oldText);
          at >= 0;
          at = oldText.indexOf(hunk.oldText, at + 1)
        ) {
          candidates.push(
            oldText.slice(0, at) + hunk.newText + oldText.slice(at + hunk.oldText.length),
          )
          if (candidates.length > 50) break
        }
        expect(candidates).toContain(newText)
      }),
    )
  })

  it('keeps three lines around the change and no more', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`)
    const changed = lines.with(10, 'other')
    expect(createHunk(`${lines.join('\n')}\n`, `${changed.join('\n')}\n`)).toEqual({
      oldText: lines.slice(7, 14).join('\n'),
      newText: changed.slice(7, 14).join('\n'),
    })
  })
})
