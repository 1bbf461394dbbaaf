/** The lines of `progress.golden.txt`, made from what crossed the wire. */
import { describe, expect, it } from 'vitest'
import { createClaims } from '../../src/run/claims.ts'
import type { TranscriptLine } from '../../src/transcript/line.ts'

const sessionId = 's'
const prompt: TranscriptLine = {
  t: 0,
  dir: '>',
  m: { jsonrpc: '2.0', id: 1, method: 'session/prompt', params: { sessionId, prompt: [] } },
}
const update = (of: object): TranscriptLine => ({
  t: 1,
  dir: '<',
  m: { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: of } },
})
const text = update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'a' } })
const call = update({
  sessionUpdate: 'tool_call',
  toolCallId: 'c',
  title: 'Look',
  status: 'failed',
})
const stranger = update({ sessionUpdate: 'tool_call_update', toolCallId: 'x', status: 'failed' })
const cancel: TranscriptLine = {
  t: 2,
  dir: '>',
  m: { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } },
}

/** The events of the golden, with what each led to. */
function tell(joinChunks: boolean, ...lines: TranscriptLine[]): string[] {
  const claims = createClaims({ quietMs: 0, joinChunks })
  for (const line of [prompt, ...lines]) claims.push(line)
  const [, ...told] = claims.lines()
  return told.map((line) => line.replace(/ \| [^×]+/, ' ').trim())
}

describe('a text that came in pieces', () => {
  it.each<[string, TranscriptLine[], string[]]>([
    ['and no more', [text, text], ['text.delta => running']],
    [
      'before and after a cancel',
      [text, cancel, text, text],
      ['text.delta => running', 'cancel.requested => cancelling'],
    ],
    [
      'before a cancel alone',
      [text, text, cancel],
      ['text.delta => running', 'cancel.requested => cancelling'],
    ],
  ])('%s is one line where chunks are joined', (_, lines, told) => {
    expect(tell(true, ...lines)).toEqual(told)
  })

  it.each<[string, TranscriptLine[], string]>([
    ['a call', [text, cancel, call, text], 'text.delta => cancelling'],
    ['another claim', [text, cancel, stranger, text], 'text.delta => unknown'],
  ])('is told again behind %s', (_, lines, last) => {
    expect(tell(true, ...lines).at(-1)).toBe(last)
  })

  it('is told piece by piece where they are not', () => {
    expect(tell(false, text, cancel, text, text)).toEqual([
      'text.delta => running ×2',
      'cancel.requested => cancelling',
      'text.delta => cancelling ×2',
    ])
  })
})
