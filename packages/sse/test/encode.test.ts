import { describe, expect, it } from 'vitest'
import { decodeSse, encodeSse, type SseEvent } from '@runproof/sse'

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe('encodeSse', () => {
  it.each<[SseEvent, string]>([
    [{ event: 'message', data: 'a', id: '' }, 'id:\ndata: a\n\n'],
    [
      { event: 'token', data: 'a\n\nb', id: '7' },
      'event: token\nid: 7\ndata: a\ndata:\ndata: b\n\n',
    ],
    [{ event: 'x', data: '', id: ' ' }, 'event: x\nid:  \ndata:\n\n'],
    [{ event: 'a:b', data: ' 你好\0', id: 'é' }, 'event: a:b\nid: é\ndata:  你好\0\n\n'],
  ])('writes %o', (event, text) => {
    expect(decode(encodeSse(event))).toBe(text)
  })

  it('writes the id always, so that an event does not get its predecessor’s', () => {
    const events = [
      { event: 'message', data: 'a', id: '1' },
      { event: 'message', data: 'b', id: '' },
    ]
    expect(decodeSse(events.map(encodeSse)).events).toEqual(events)
  })

  const event = { event: 'message', data: 'a', id: '' }
  it.each([
    [{ ...event, data: 'a\rb' }, /data has "\\r" at 1/],
    [{ ...event, id: 'a\n' }, /id has "\\n" at 1/],
    [{ ...event, id: '\r' }, /id has/],
    [{ ...event, id: 'a\0' }, /id has "\\u0000" at 1/],
    [{ ...event, event: 'a\nb' }, /event has/],
    [{ ...event, event: 'a\rb' }, /event has/],
    [{ ...event, event: 'a\0b' }, /event has/],
    [{ ...event, event: '' }, /event is empty/],
    [{ ...event, data: '\uD83D' }, /data has a lone surrogate/],
    [{ ...event, id: '\uDE42' }, /id has a lone surrogate/],
    [{ ...event, event: 'x\uD800' }, /event has a lone surrogate/],
    [{ ...event, data: 7 }, /data must be a string/],
    [{ event: 'message', data: 'a' }, /id must be a string/],
  ])('refuses %o', (refused, message) => {
    const encode = (): unknown => Reflect.apply(encodeSse, undefined, [refused])
    expect(encode).toThrow(TypeError)
    expect(encode).toThrow(message)
  })
})
