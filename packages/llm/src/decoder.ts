/**
 * The frame around every wire's reader: parses the payloads, keeps the limit,
 * and closes the stream once. What is the same on every wire is decided here.
 *
 * - Blank data and, where it is not the wire's own end, `[DONE]` are nothing.
 * - Data that is no JSON object: MALFORMED_RESPONSE.
 * - The body ends before the wire's own end: STREAM_CLOSED.
 */
import { malformed } from './error.ts'
import { isObject, parseJson, type JsonObject } from './json.ts'
import { createResponse, type Response } from './response.ts'
import { doneData, type SseEvent, type WireDecoder } from './wire.ts'

/** Payload text of one response, in UTF-16 units, beyond which it is given up. */
const responseCharsMax = 268_435_456

/** How a wire reads one response. It ends it by `response.finish` or `response.fail`. */
export type WireReader = {
  read(payload: JsonObject, event: SseEvent): void
  /** The literal `[DONE]`. */
  done?(): void
  /** The body ended and the response is not finished. */
  end?(): void
}

const streamClosedMessage = 'the stream closed before the response was complete'

export function createDecoder(open: (response: Response) => WireReader): WireDecoder {
  const response = createResponse()
  const reader = open(response)
  let chars = 0
  let closed = false
  return {
    push(event) {
      if (closed || response.finished) return []
      chars += event.data.length
      if (chars > responseCharsMax) {
        response.fail(malformed(`the response is longer than ${responseCharsMax} characters`))
      } else readEvent(event, reader, response)
      return response.take()
    },
    end() {
      if (!closed && !response.finished) reader.end?.()
      closed = true
      response.fail({ message: streamClosedMessage, code: 'STREAM_CLOSED' })
      return response.take()
    },
  }
}

function readEvent(event: SseEvent, reader: WireReader, response: Response): void {
  const data = event.data.trim()
  if (data === '') return
  if (data === doneData) {
    reader.done?.()
    return
  }
  const payload = parseJson(data)
  if (!isObject(payload)) {
    response.fail(malformed(`the payload is not a JSON object: ${data.slice(0, 80)}`))
    return
  }
  try {
    reader.read(payload, event)
  } catch (error) {
    // Writing a value out as JSON recurses; a hostile one is nested deeper than the stack.
    if (!(error instanceof RangeError)) throw error
    response.fail(malformed('the payload is nested too deeply'))
  }
}
