import { describe, expect, it } from 'vitest'
import { scrubLogLine } from '../../src/record/scrub.ts'

describe('scrubLogLine', () => {
  it.each<[string, object, object]>([
    [
      'the header of a request',
      {
        type: 'request/header',
        seq: 3,
        data: {
          header: { config: { model: 'm' }, system: 'You are.', tools: [{}] },
          reason: 'initial',
        },
      },
      {
        type: 'request/header',
        seq: 3,
        data: {
          header: { config: { model: 'm' }, system: '{{system}}', tools: '{{tools}}' },
          reason: 'initial',
        },
      },
    ],
    [
      'a change of it',
      {
        type: 'request/header-delta',
        data: { system: { keepStart: 1, keepEnd: 2, insert: ['a', 'b'] } },
      },
      {
        type: 'request/header-delta',
        data: { system: { keepStart: 1, keepEnd: 2, insert: ['{{system}}', '{{system}}'] } },
      },
    ],
  ])('takes the text out of %s', (_what, event, expected) => {
    expect(scrubLogLine(JSON.stringify(event))).toBe(JSON.stringify(expected))
  })

  it.each([
    '{"type":"user/message","data":{"content":"about \\"request/header\\""}}',
    '{"type":"request/header","data":null}',
    '{"type": "tool/call", "data": {}}',
  ])('leaves %s as it is', (line) => {
    expect(scrubLogLine(line)).toBe(line)
  })
})
