/**
 * Answers name folders of the run they were recorded in: an agent would read
 * and write there. The live run's folders take their place.
 *
 * A folder is written with slashes, which need no escape in JSON, on any
 * system. A name that a model spelled over many deltas is found as well: it then
 * stands in the first of them.
 */
import { folderNames, type RunContext } from '../match/context.ts'
import { encodeFrame } from '../recording/frame.ts'
import type { Exchange, RecordedEvent, RecordedResponse } from '../recording/recording.ts'
import { replaceSpans } from '../redact/span.ts'
import { mapStream } from '../redact/stream.ts'

/** What stands in a recording, and what takes its place. */
type Replacement = { from: string; to: string }

/** @param recorded folders of the recorded run, as far as its texts still hold them. */
export function placeFolders(exchange: Exchange, recorded: RunContext, live: RunContext): Exchange {
  const replacements = folderNames.flatMap((name): Replacement[] => {
    const to = live[name]?.replaceAll('\\', '/')
    if (to === undefined) return []
    const from = recorded[name]
    return [{ from: `{{${name}}}`, to }, ...(from === undefined ? [] : [{ from, to }])]
  })
  // The longest first: one folder may lie in another.
  replacements.sort((a, b) => b.from.length - a.from.length)
  if (replacements.length === 0) return exchange
  const { body, response, end } = exchange
  const events = exchange.events.map((event) =>
    placeInEvent(event, replacements, response?.lineEnd),
  )
  return {
    ...exchange,
    ...mapStream({ events, end, response }, (pieces) => placeInPieces(pieces, replacements)),
    body: body === null ? null : replaceAll(body, replacements),
  }
}

/** Folders that no piece holds as a whole. */
function placeInPieces(
  pieces: readonly string[],
  replacements: readonly Replacement[],
): readonly string[] {
  if (pieces.length < 2) return pieces
  const text = pieces.join('')
  const found = replacements.find(({ from }) => text.includes(from))
  if (found === undefined) return pieces
  const { from, to } = found
  const spans = []
  for (
    let start = text.indexOf(from);
    start !== -1;
    start = text.indexOf(from, start + from.length)
  ) {
    spans.push({ start, end: start + from.length, rule: 'folder', value: to })
  }
  const placed = replaceSpans(pieces, spans, ({ value }) => value)
  return placeInPieces(
    placed,
    replacements.filter((one) => one !== found),
  )
}

function replaceAll(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((result, { from, to }) => result.replaceAll(from, () => to), text)
}

function placeInEvent(
  event: RecordedEvent,
  replacements: readonly Replacement[],
  lineEnd: RecordedResponse['lineEnd'],
): RecordedEvent {
  const data = replaceAll(event.data, replacements)
  if (data === event.data) return event
  const placed = { ...event, data }
  if (event.cuts === undefined) return placed
  // The bytes before the first folder and behind the last keep their cuts; a
  // cut between them is put where the first folder begins.
  const before = encodeFrame(event, lineEnd)
  const after = encodeFrame(placed, lineEnd)
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const moved = event.cuts.map((cut) => {
    if (cut <= head) return cut
    return cut >= before.length - tail ? cut + after.length - before.length : head
  })
  return { ...placed, cuts: [...new Set(moved)].filter((cut) => cut > 0) }
}
