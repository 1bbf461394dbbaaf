/**
 * The texts of a stream of events, joined as a reader would join them: a secret
 * that the model spells over many deltas is one text here.
 */
import { encodeFrame } from '../recording/frame.ts'
import type { Exchange, RecordedEvent, RecordedResponse } from '../recording/recording.ts'
import { isIdentifier, mapJsonTexts } from './walk.ts'

/** The pieces of one text, in order; gives as many pieces. */
export type PiecesVisitor = (pieces: readonly string[], path: string) => readonly string[]

type Stream = Pick<Exchange, 'events' | 'end' | 'response'>

/** The pieces of a channel; given back in the order in which they came. */
type Channel = { path: string; pieces: readonly string[]; taken: number }

/** The events, and the tail of a stream that broke off, with their texts as `visit` gives them. */
export function mapStream(
  { events, end, response }: Stream,
  visit: PiecesVisitor,
): Pick<Exchange, 'events' | 'end'> {
  const channels = collectChannels(events)
  const tail = end.tail === undefined ? null : splitTail(end.tail)
  for (const channel of channels.values()) {
    if (tail === null) {
      channel.pieces = visit(channel.pieces, channel.path)
      continue
    }
    // Which text an unfinished event goes on with is not known: it may be any.
    const visited = visit([...channel.pieces, tail.text], channel.path)
    channel.pieces = visited.slice(0, -1)
    tail.text = visited.at(-1) ?? ''
  }
  const visitAlone = (text: string, path: string): string => visit([text], path)[0] ?? ''
  const mapped = events.map((event) => {
    const data = mapJsonTexts(event.data, (text, path, name) => {
      const channel = name === null ? undefined : channels.get(name)
      return channel?.pieces[channel.taken++] ?? visitAlone(text, path)
    })
    return data === event.data ? event : withData(event, data, response?.lineEnd)
  })
  if (tail === null) return { events: mapped, end }
  return { events: mapped, end: { ...end, tail: visitAlone(tail.before + tail.text, '') } }
}

function collectChannels(events: readonly RecordedEvent[]): Map<string, Channel> {
  const collected = new Map<string, { path: string; pieces: string[]; taken: number }>()
  for (const { data } of events) {
    mapJsonTexts(data, (text, path, name) => {
      if (name === null || isIdentifier(path)) return text
      const channel = collected.get(name)
      if (channel === undefined) collected.set(name, { path, pieces: [text], taken: 0 })
      else channel.pieces.push(text)
      return text
    })
  }
  return collected
}

/** A broken frame as what stands before the text it breaks off in, and that text. */
function splitTail(tail: string): { before: string; text: string } {
  let open = -1
  for (let at = 0; at < tail.length; at++) {
    if (tail[at] === '\\' && open !== -1) at++
    else if (tail[at] === '"') open = open === -1 ? at : -1
  }
  const start = open === -1 ? tail.length : open + 1
  return { before: tail.slice(0, start), text: tail.slice(start) }
}

/**
 * The event with other data. Cuts outside of what changed stay at their bytes;
 * a cut inside is dropped with the bytes it was between.
 */
function withData(
  event: RecordedEvent,
  data: string,
  lineEnd: RecordedResponse['lineEnd'],
): RecordedEvent {
  const changed = { ...event, data }
  if (event.cuts === undefined) return changed
  const before = encodeFrame(event, lineEnd)
  const after = encodeFrame(changed, lineEnd)
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same++
  let sameAtEnd = 0
  while (sameAtEnd < shorter - same && before.at(-1 - sameAtEnd) === after.at(-1 - sameAtEnd)) {
    sameAtEnd++
  }
  const cuts = event.cuts.flatMap((cut) => {
    if (cut <= same) return [cut]
    return cut >= before.length - sameAtEnd ? [cut + after.length - before.length] : []
  })
  return { ...changed, cuts: [...new Set(cuts)] }
}
