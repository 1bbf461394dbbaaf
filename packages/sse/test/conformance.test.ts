import { describe, expect, it } from 'vitest'
import { decodeSse, type SseEvent } from '@runproof/sse'
import { fromBase64, hasShared, readShared, unlessShared } from './fixtures.ts'
import { concat, everyPartition } from './inputs.ts'

type WebPlatformCase = {
  name: string
  level: 'bytes' | 'bytes+state' | 'http'
  bytes_base64: string
  events: SseEvent[]
  retry_ms: number | null
  initial_last_event_id?: string
  last_event_id_committed?: string
}

type ByteCase = {
  name: string
  source: string
  chunks_base64: string[]
  expected_events: SseEvent[]
}

function readCases<Case>(path: string): Case[] {
  return hasShared ? JSON.parse(readShared(path)).cases : []
}

/** Of a long stream every 97th cut, as in the facts' count. */
function* partitionsOf(stream: Uint8Array): Generator<Uint8Array[]> {
  let index = 0
  for (const chunks of everyPartition(stream)) {
    if (stream.length < 2000 || index < 2 || (index - 2) % 97 === 0) yield chunks
    index++
  }
}

const webPlatform = readCases<WebPlatformCase>('conformance/wpt-eventsource-cases.json')

describe.skipIf(!hasShared)(`the web platform’s cases${unlessShared}`, () => {
  const ofBytes = webPlatform.filter(({ level }) => level === 'bytes')

  it.each(ofBytes)('$name', (given) => {
    for (const chunks of partitionsOf(fromBase64(given.bytes_base64))) {
      const { events, end } = decodeSse(chunks, { utf8: 'replace' })
      expect(events).toEqual(given.events)
      expect(end.retryMs).toBe(given.retry_ms)
      if (given.last_event_id_committed !== undefined) {
        expect(end.lastEventId).toBe(given.last_event_id_committed)
      }
    }
  })

  it('are 26 at the level of bytes, 1007 judgements', () => {
    const partitions = ofBytes.flatMap(({ bytes_base64 }) => [
      ...partitionsOf(fromBase64(bytes_base64)),
    ])
    expect(ofBytes).toHaveLength(26)
    expect(partitions).toHaveLength(1007)
  })
})

const byteCases = readCases<ByteCase>('conformance/sse-byte-cases.json')

describe.skipIf(!hasShared)(`bytes from public reports${unlessShared}`, () => {
  it.each(byteCases)('$name ($source)', ({ chunks_base64, expected_events }) => {
    const reported = chunks_base64.map(fromBase64)
    for (const utf8 of ['strict', 'replace'] as const) {
      for (const chunks of [reported, ...everyPartition(concat(reported))]) {
        expect(decodeSse(chunks, { utf8 }).events).toEqual(expected_events)
      }
    }
  })

  it('are some', () => {
    expect(byteCases.length).toBeGreaterThanOrEqual(10)
  })
})
