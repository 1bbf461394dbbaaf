/**
 * One event as bytes: what every conforming decoder reads back as the same
 * event. HTML Standard, 9.2.5
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */

import type { SseEvent } from './parse.ts'

const encoder = new TextEncoder()

/**
 * The bytes of an event, ending with its blank line. The id is always written,
 * for ids are sticky: without it the event would get its predecessor's.
 * @throws TypeError on what the format cannot carry: CR in any field, LF or
 * NUL in `event` or `id`, an empty `event` (decoders read it as `message`), a
 * lone surrogate, or a field that is no string.
 */
export function encodeSse(event: SseEvent): Uint8Array {
  checkField('event', event.event, /[\r\n\0]/)
  checkField('id', event.id, /[\r\n\0]/)
  checkField('data', event.data, /\r/)
  if (event.event === '') throw new TypeError("event is empty: name it, or 'message'")
  const type = event.event === 'message' ? '' : line('event', event.event)
  const data = event.data.split('\n').map((value) => line('data', value))
  return encoder.encode(`${type}${line('id', event.id)}${data.join('')}\n`)
}

function line(name: string, value: string): string {
  return value === '' ? `${name}:\n` : `${name}: ${value}\n`
}

function checkField(name: string, value: string, forbidden: RegExp): void {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`)
  const found = forbidden.exec(value)
  if (found !== null) {
    throw new TypeError(
      `${name} has ${JSON.stringify(found[0])} at ${found.index}: no line can carry it`,
    )
  }
  if (!value.isWellFormed()) throw new TypeError(`${name} has a lone surrogate: it has no UTF-8`)
}
