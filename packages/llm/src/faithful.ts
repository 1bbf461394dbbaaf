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
  const written = new Map<number, string>()
  const ended = new Set<number>()
  const blocks = new Map(outline.blocks.map((block) => [block.index, block]))

  const write = (block: BlockOutline, text: string | undefined): void => {
    const before = written.get(block.index)
    if (text === undefined) return
    written.set(block.index, (before ?? '') + text)
    if (text !== '' || block.type === 'tool-call') writer.delta(block, text, before === undefined)
  }
  const started = new Set<number>()

  for (const chunk of chunks) {
    if (chunk.type === 'finish') return
    if (chunk.type === 'usage') continue
    const block = blocks.get(chunk.index)
    if (!block || ended.has(chunk.index)) continue
    if (!started.has(chunk.index)) {
      started.add(chunk.index)
      writer.start(block)
    }
    if (chunk.type !== 'block-end') {
      write(block, deltaText(chunk))
      continue
    }
    const before = written.get(chunk.index)
    if (block.text.startsWith(before ?? '')) {
      const rest = block.text.slice((before ?? '').length)
      if (rest !== '' || (before === undefined && block.type === 'tool-call')) write(block, rest)
    }
    ended.add(chunk.index)
    writer.end(block)
  }
}

function deltaText(chunk: StreamChunk): string | undefined {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return chunk.text
  return chunk.type === 'tool-call-delta' ? chunk.argumentsDelta : undefined
}
