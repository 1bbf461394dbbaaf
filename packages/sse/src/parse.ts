/**
 * From the text of blocks to events: fields, comments, dispatch, and the two
 * values that outlive a block. Rules: HTML Standard, 9.2.6 "Interpreting an
 * event stream"
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
 *
 * Invariant: a block is a run of lines up to and including a blank line, and
 * nothing but `lastEventId` and `retryMs` passes from one to the next.
 */

/** One dispatched event. */
export type SseEvent = {
  /** Its type; `message` when the stream named none. */
  event: string
  /** The values of its `data` lines, joined by LF. May be empty. */
  data: string
  /** The last event id when it was dispatched: sticky, empty when none was set. */
  id: string
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const colon = 0x3a

export class BlockParser {
  /** The id of the next event, unless its block sets one; counts from a blank line. */
  lastEventId = ''
  /** The last valid `retry` in milliseconds; counts from the end of its line. */
  retryMs: number | null = null
  /** Whether the last text ended inside a block that has a `data` line. */
  hasPendingData = false

  readonly #copies: boolean

  /** @param copy give every event strings of its own, not slices of the parsed text. */
  constructor(copy: boolean) {
    this.#copies = copy
  }

  /**
   * Interprets the lines of `text`, the decoded `bytes[start, end)`. It begins
   * where a block begins and ends after a line terminator. Of the lines behind
   * the last blank line only `retry` has an effect. The events are added to
   * `before`, if given.
   *
   * The hot loop of this package. Line ends come from the engine's `indexOf`
   * and values from `slice`, which copies nothing. Where text and bytes run in
   * step, single characters are looked up in the bytes: a string is dearer to
   * index, and `startsWith` at a position dearer than all the rest together.
   */
  parse(
    text: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    before?: SseEvent[],
  ): SseEvent[] {
    const { length } = text
    // Only a text of which every unit is one byte is as long as its bytes.
    const isInStep = length === end - start
    let events = before
    let type = ''
    let data: string | undefined
    // Taken over at a blank line only.
    let id = this.lastEventId
    // The next of each at or behind `lineStart`, once looked for; the end when there is none.
    let nextReturn = -1
    let nextFeed = -1
    let lineStart = 0
    while (lineStart < length) {
      const at = start + lineStart
      // At the start nothing can have put them out of step yet.
      const inStep = isInStep || lineStart === 0
      const first = inStep ? bytes[at] : text.charCodeAt(lineStart)
      if (first === lineFeed || first === carriageReturn) {
        this.lastEventId = id
        if (data !== undefined) {
          const event = this.#createEvent(type, data)
          // A literal is sized for its one event; most chunks have no second.
          if (events === undefined) events = [event]
          else events.push(event)
        }
        type = ''
        data = undefined
        lineStart += first === carriageReturn && text.charCodeAt(lineStart + 1) === lineFeed ? 2 : 1
        continue
      }
      if (nextReturn < lineStart) nextReturn = indexOrEnd(text, '\r', lineStart)
      if (nextFeed < lineStart) nextFeed = indexOrEnd(text, '\n', lineStart)
      const lineEnd = nextReturn < nextFeed ? nextReturn : nextFeed
      const nextLine = nextReturn + 1 < nextFeed ? nextReturn + 1 : nextFeed + 1
      if (first === 0x64 && (inStep ? isDataInBytes(bytes, at) : isDataInText(text, lineStart))) {
        const valueStart = lineStart + 5
        const second = inStep ? bytes[at + 5] : text.charCodeAt(valueStart)
        const value = text.slice(second === space ? valueStart + 1 : valueStart, lineEnd)
        data = data === undefined ? value : `${data}\n${value}`
      } else if (
        first === 0x65 &&
        (inStep ? isEventInBytes(bytes, at) : isEventInText(text, lineStart))
      ) {
        type = text.slice(skipSpace(text, lineStart + 6), lineEnd)
      } else if (first !== colon) {
        const { name, value } = splitLine(text.slice(lineStart, lineEnd))
        if (name === 'id' && !value.includes('\0')) id = this.#copies ? copyText(value) : value
        else if (name === 'retry') this.retryMs = parseRetry(value) ?? this.retryMs
        else if (name === 'data') data = data === undefined ? '' : `${data}\n`
        else if (name === 'event') type = ''
      }
      lineStart = nextLine
    }
    this.hasPendingData = data !== undefined
    return events ?? []
  }

  #createEvent(type: string, data: string): SseEvent {
    const event = type === '' ? 'message' : type
    const id = this.lastEventId
    if (this.#copies) return { event: copyText(event), data: copyText(data), id }
    return { event, data, id }
  }
}

/** Name and value of a line without its terminator; a comment has the name ''. */
export function splitLine(line: string): { name: string; value: string } {
  const colonAt = line.indexOf(':')
  if (colonAt === -1) return { name: line, value: '' }
  return { name: line.slice(0, colonAt), value: line.slice(skipSpace(line, colonAt + 1)) }
}

function isDataInBytes(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at + 1] === 0x61 &&
    bytes[at + 2] === 0x74 &&
    bytes[at + 3] === 0x61 &&
    bytes[at + 4] === colon
  )
}

function isDataInText(text: string, at: number): boolean {
  return (
    text.charCodeAt(at + 1) === 0x61 &&
    text.charCodeAt(at + 2) === 0x74 &&
    text.charCodeAt(at + 3) === 0x61 &&
    text.charCodeAt(at + 4) === colon
  )
}

function isEventInBytes(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at + 1] === 0x76 &&
    bytes[at + 2] === 0x65 &&
    bytes[at + 3] === 0x6e &&
    bytes[at + 4] === 0x74 &&
    bytes[at + 5] === colon
  )
}

function isEventInText(text: string, at: number): boolean {
  return (
    text.charCodeAt(at + 1) === 0x76 &&
    text.charCodeAt(at + 2) === 0x65 &&
    text.charCodeAt(at + 3) === 0x6e &&
    text.charCodeAt(at + 4) === 0x74 &&
    text.charCodeAt(at + 5) === colon
  )
}

function skipSpace(text: string, at: number): number {
  return text.charCodeAt(at) === space ? at + 1 : at
}

function indexOrEnd(text: string, search: string, from: number): number {
  const index = text.indexOf(search, from)
  return index === -1 ? text.length : index
}

/** ASCII digits only; larger values than JavaScript counts exactly become the largest it does. */
function parseRetry(value: string): number | null {
  return /^[0-9]+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : null
}

/** A string of its own: a slice of a fresh concatenation, which engines flatten to slice it. */
function copyText(value: string): string {
  return ` ${value}`.slice(1)
}
