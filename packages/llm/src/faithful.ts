/**
 * Encoding that cannot lie: what is written is read back with the wire's own
 * decoder, and when it says anything else than what was asked for, the wire
 * cannot express it and the call is refused, naming the first difference.
 *
 * So no wire needs a list of what it lacks, and none can drop a field silently.
 * It costs one more pass over the events.
 */
import { outlineStream, type BlockOutline, type StreamOutline } from './assemble.ts'
import type { StreamChunk } from './chunk.ts'
import { LlmError } from './error.ts'
import { isSameJson } from './json.ts'
import type { SseEvent, WireDecoder } from './wire.ts'

/** Events of the chunks as `write` makes them, refused when `decoder` reads them differently. */
export function encodeFaithfully(
  wire: string,
  chunks: Iterable<StreamChunk>,
  decoder: WireDecoder,
  write: (chunks: readonly StreamChunk[], outline: StreamOutline) => SseEvent[],
): SseEvent[] {
  const given = [...chunks]
  const outline = outlineStream(given)
  const events = write(given, outline)
  const back = outlineStream([...events.flatMap((event) => decoder.push(event)), ...decoder.end()])
  const difference = firstDifference(outline, back)
  if (difference) {
    throw new LlmError(`${wire} cannot express ${difference}`, 'UNSUPPORTED_CONTENT')
  }
  return events
}

function firstDifference(given: StreamOutline, back: StreamOutline): string | undefined {
  for (const [at, block] of given.blocks.entries()) {
    const other = back.blocks[at]
    if (!other || !isSameBlock(block, other)) {
      return `block ${block.index} (${block.type}): it would be read back as ${show(other)}`
    }
  }
  if (back.blocks.length > given.blocks.length) {
    return `the stream: one more block would be read back, ${show(back.blocks.at(-1))}`
  }
  for (const part of ['usage', 'finish', 'replayState'] as const) {
    if (!isSameJson(given[part], back[part])) {
      return `${part} ${show(given[part])}: it would be read back as ${show(back[part])}`
    }
  }
  return undefined
}

function isSameBlock(left: BlockOutline, right: BlockOutline): boolean {
  const fields = ['type', 'text', 'id', 'name'] as const
  return fields.every((field) => left[field] === right[field])
}

const shownCharsMax = 160

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, shownCharsMax)
}

/** What a wire does for each step of a block; calls of one block come in this order. */
export type BlockWriter = {
  start(block: BlockOutline): void
  /** `isFirst` names a tool call: its first delta always comes, even empty. */
  delta(block: BlockOutline, text: string, isFirst: boolean): void
  end(block: BlockOutline): void
}

/**
 * Walks the chunks in their order, making up for a missing `block-start` and
 * for text that only the `block-end` holds.
 */
export function writeBlocks(
  chunks: readonly StreamChunk[],
  outline: StreamOutline,
  writer: BlockWriter,
): void {
  const blocks = new Map(outline.blocks.map((block) => [block.index, block]))
  const progress = new Map<number, { written: string | undefined; ended: boolean }>()
  for (const chunk of chunks) {
    if (chunk.type === 'finish') return
    const block = chunk.type === 'usage' ? undefined : blocks.get(chunk.index)
    if (!block) continue
    let step = progress.get(block.index)
    if (!step) {
      step = { written: undefined, ended: false }
      progress.set(block.index, step)
      writer.start(block)
    }
    if (step.ended) continue
    const { written } = step
    const text = chunk.type === 'block-end' ? restOf(block, written) : deltaText(chunk)
    if (text !== undefined) {
      step.written = (written ?? '') + text
      if (text !== '' || block.type === 'tool-call')
        writer.delta(block, text, written === undefined)
    }
    if (chunk.type === 'block-end') {
      step.ended = true
      writer.end(block)
    }
  }
}

/** What the deltas left out; undefined when that is nothing, or when they said something else. */
function restOf({ text }: BlockOutline, written: string | undefined): string | undefined {
  if (written === undefined) return text
  return text.length > written.length && text.startsWith(written)
    ? text.slice(written.length)
    : undefined
}

function deltaText(chunk: StreamChunk): string | undefined {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return chunk.text
  return chunk.type === 'tool-call-delta' ? chunk.argumentsDelta : undefined
}
