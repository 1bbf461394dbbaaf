/**
 * The texts of a stream of events, joined as a reader would join them: a secret
 * that the model spells over many deltas is one text here.
 */
import { isObject } from '../object.ts'
import { encodeFrame } from '../recording/frame.ts'
import type { Exchange, RecordedEvent, RecordedResponse } from '../recording/recording.ts'
import type { Redactor } from './redactor.ts'
import { isIdentifier, mapJsonTexts, parseJson } from './walk.ts'

/** The pieces of one text, in order; gives as many pieces. */
export type PiecesVisitor = (pieces: readonly string[], path: string) => readonly string[]

type Stream = Pick<Exchange, 'events' | 'end' | 'response'>

/** What an event is about goes on in the next one, or stands alone. */
type Texts = {
  /** Pieces by channel, in the order of the events. */
  channels: Map<string, { path: string; pieces: readonly string[] }>
  /** Names and ids of events, names of members, identifiers: each distinct one once, with where it was first. */
  alone: Map<string, string>
}

/** The events, and the tail of a stream that broke off, with their texts as `visit` gives them. */
export function mapStream(
  { events, end, response }: Stream,
  visit: PiecesVisitor,
): Pick<Exchange, 'events' | 'end'> {
  const { channels, alone } = collectTexts(events)
  const tail = end.tail === undefined ? null : splitTail(end.tail)
  const [before = '', ...tailTexts] = tail === null ? [] : visit([tail.before, tail.text], '')
  let isSame = true
  for (const [text, path] of alone) {
    const [visited = ''] = visit([text], path)
    isSame &&= visited === text
    alone.set(text, visited)
  }
  for (const channel of channels.values()) {
    const { pieces, path } = channel
    // Which text an unfinished event goes on with is not known: it may be any.
    const visited = visit(tail === null ? pieces : [...pieces, tail.text], path)
    channel.pieces = visited.slice(0, pieces.length)
    tailTexts.push(...visited.slice(pieces.length))
    isSame &&= pieces.every((piece, index) => piece === visited[index])
  }
  const mapped = isSame ? events : replaceTexts(events, { channels, alone }, response?.lineEnd)
  if (tail === null) return { events: mapped, end }
  // The one that most was taken out of.
  const [text = ''] = tailTexts.toSorted((a, b) => a.length - b.length)
  return { events: mapped, end: { ...end, tail: before + text } }
}

/**
 * As `mapStream`, for the events of a stream that came as one JSON list, as
 * Gemini gives them when it is not asked for events, or as lines of JSON; null
 * for any other text.
 */
export function mapList(text: string, visit: PiecesVisitor): string | null {
  const list = parseJson(text)
  const members = Array.isArray(list) ? list : text.trim().split('\n').map(parseJson)
  if (list !== members && members.length < 2) return null
  if (!members.every(isObject)) return null
  const events = members.map((member) => ({ dtMs: 0, data: JSON.stringify(member) }))
  const { events: mapped } = mapStream({ events, end: { kind: 'eof' }, response: null }, visit)
  if (mapped === events) return text
  const data = mapped.map((event) => event.data)
  return list === members ? `[${data.join(',')}]` : `${data.join('\n')}\n`
}

/**
 * Lines of JSON, or of text, without their secrets, also those that are cut
 * over several lines. A line in which nothing changes is given back as it is.
 */
export function redactLines(lines: readonly string[], redactor: Redactor): string[] {
  const events = lines.map((data) => ({ dtMs: 0, data }))
  const stream: Stream = { events, end: { kind: 'eof' }, response: null }
  mapStream(stream, (pieces) => {
    redactor.learn(pieces)
    // A key that a line begins with has no beginning any more when lines are joined.
    redactor.learn([pieces.join('\n')])
    return pieces
  })
  const redacted = mapStream(stream, (pieces) => redactor.redact(pieces)).events
  // A parser keeps one of two members of a name; and a number may be a secret.
  return inBatches(redacted.map(({ data }) => data)).flatMap((batch) =>
    redactor.find(batch.join('\n')).length === 0
      ? batch
      : batch.map((line) => redactor.redact([line])[0] ?? ''),
  )
}

/** Looking into one long text is faster than looking into its lines. */
const batchUnits = 64 * 1024

function inBatches(lines: readonly string[]): string[][] {
  const batches: string[][] = []
  let units = Infinity
  for (const line of lines) {
    if (units > batchUnits) {
      batches.push([])
      units = 0
    }
    batches.at(-1)?.push(line)
    units += line.length
  }
  return batches
}

function collectTexts(events: readonly RecordedEvent[]): Texts {
  const channels = new Map<string, { path: string; pieces: string[] }>()
  const alone = new Map<string, string>()
  for (const { data, event, id } of events) {
    for (const text of [event, id]) if (text !== undefined) alone.set(text, 'frame')
    mapJsonTexts(data, (text, path, name) => {
      const channel = name === null ? undefined : channels.get(name)
      if (channel !== undefined) channel.pieces.push(text)
      else if (name === null || isIdentifier(path)) alone.set(text, alone.get(text) ?? path)
      else channels.set(name, { path, pieces: [text] })
      return text
    })
  }
  return { channels, alone }
}

/** The events with other texts, which are asked for in the order in which they were collected. */
function replaceTexts(
  events: readonly RecordedEvent[],
  { channels, alone }: Texts,
  lineEnd: RecordedResponse['lineEnd'],
): RecordedEvent[] {
  const taken = new Map<string, number>()
  return events.map((event) => {
    const data = mapJsonTexts(event.data, (text, _path, name) => {
      const pieces = name === null ? undefined : channels.get(name)?.pieces
      if (name === null || pieces === undefined) return alone.get(text) ?? text
      const index = taken.get(name) ?? 0
      taken.set(name, index + 1)
      return pieces[index] ?? text
    })
    const marks = [event.event, event.id].map((text) => alone.get(text ?? '') ?? text)
    const isSame = data === event.data && marks[0] === event.event && marks[1] === event.id
    return isSame ? event : changeEvent(event, { data, event: marks[0], id: marks[1] }, lineEnd)
  })
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
 * The event with other texts. Cuts outside of what changed stay at their bytes;
 * a cut inside is dropped with the bytes it was between.
 */
function changeEvent(
  event: RecordedEvent,
  texts: { data: string; event: string | undefined; id: string | undefined },
  lineEnd: RecordedResponse['lineEnd'],
): RecordedEvent {
  const changed = {
    ...event,
    data: texts.data,
    ...(texts.event !== undefined && { event: texts.event }),
    ...(texts.id !== undefined && { id: texts.id }),
  }
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
