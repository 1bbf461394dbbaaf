/** The texts that a header class pins, from the log of a run. */
import { describe, expect, it } from 'vitest'
import { parseLog } from '../../src/run/harvest.ts'
import { headerTexts } from '../../src/run/header.ts'

type Header = { system?: string; tools?: unknown[] }

const textsOf = (...headers: Header[]) => {
  const events = headers.map((header) => ({ type: 'request/header', data: { header } }))
  const lines = [{ type: 'session', version: 0, id: 's', createdAt: 1, cwd: '/tmp/w' }, ...events]
  return headerTexts(parseLog(lines.map((line) => JSON.stringify(line)).join('\n')), {
    cwd: '/tmp/w',
  })
}

const read = { name: 'read' }
const write = { name: 'write' }

describe('the texts of a header', () => {
  it('are those that the model was given, said once', () => {
    const header = { system: 'You work in /tmp/w.\nBe brief.', tools: [read] }
    expect(textsOf(header, header)).toEqual({
      systemPrompt: ['You work in {{cwd}}.', 'Be brief.'],
      toolSchemas: ['[', '  {', '    "name": "read"', '  }', ']'],
    })
    expect(textsOf()).toBe(null)
  })

  it('tell what they became on the way', () => {
    const texts = textsOf(
      { system: 'One.', tools: [read] },
      { system: 'Two.', tools: [read] },
      { system: 'Two.', tools: [read, write] },
    )
    expect(texts?.systemPrompt).toEqual(['One.', '', '{{system prompt 2}}', '', 'Two.'])
    expect(JSON.parse(texts?.toolSchemas.join('\n') ?? '')).toEqual([[read], [read, write]])
  })
})
