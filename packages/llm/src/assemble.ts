/**
 * Chunks to a message: what a consumer keeps of a stream when it is over, or
 * when it broke off.
 *
 * Tolerant on purpose, since logs lose chunks: a missing `block-start` or
 * `block-end` is made up for, deltas after a `block-end` are ignored, and a
 * `block-end` has the last word on its block. Strictness is the checker's job.
 */
import { blockOf, type Block, type FinishReason, type StreamChunk, type Usage } from './chunk.ts'

/** One block as a stream tells it; `text` holds the arguments of a tool call. */
export type BlockOutline = {
  index: number
  type: Block['type']
  text: string
  /** Tool calls only, else `''`. */
  id: string
  name: string
  ended: boolean
}

/** A whole stream: its blocks by index, ascending, and what came at its end. */
export type StreamOutline = {
  blocks: BlockOutline[]
  usage?: Usage
  finish?: FinishReason
  replayState?: unknown
}

export type AssembledMessage = {
  content: Block[]
  usage?: Usage
  /** Absent when the stream broke off without one. */
  finish?: FinishReason
  /** Only with a message whose blocks are all there, so that it fits them. */
  replayState?: unknown
  /** No finish, an error or an abort: `content` is what a reader may keep of a prefix. */
  interrupted: boolean
}

/** What the chunks up to and including the first `finish` say. */
export function outlineStream(chunks: Iterable<StreamChunk>): StreamOutline {
  const blocks = new Map<number, BlockOutline>()
  const open = (index: number, type: Block['type']): BlockOutline => {
    const known = blocks.get(index)
    if (known) return known
    const block = { index, type, text: '', id: '', name: '', ended: false }
    blocks.set(index, block)
    return block
  }
  const outline: StreamOutline = { blocks: [] }
  for (const chunk of chunks) {
    if (chunk.type === 'usage') outline.usage = chunk.usage
    else if (chunk.type === 'finish') {
      outline.finish = chunk.reason
      if (chunk.replayState !== undefined) outline.replayState = chunk.replayState
      break
    } else readBlockChunk(chunk, open)
  }
  outline.blocks = [...blocks.values()].toSorted((a, b) => a.index - b.index)
  return outline
}

type BlockChunk = Exclude<StreamChunk, { type: 'usage' | 'finish' }>

function readBlockChunk(
  chunk: BlockChunk,
  open: (index: number, type: Block['type']) => BlockOutline,
): void {
  switch (chunk.type) {
    case 'block-start':
      // Pictures and tool results have no form as a block of an answer.
      if (chunk.blockType !== 'image' && chunk.blockType !== 'tool-result') {
        open(chunk.index, chunk.blockType)
      }
      return
    case 'text-delta':
    case 'reasoning-delta': {
      const block = open(chunk.index, chunk.type === 'text-delta' ? 'text' : 'reasoning')
      if (!block.ended) block.text += chunk.text
      return
    }
    case 'tool-call-delta': {
      const block = open(chunk.index, 'tool-call')
      if (block.ended) return
      block.text += chunk.argumentsDelta
      block.id ||= chunk.id
      block.name ||= chunk.name ?? ''
      return
    }
    case 'block-end': {
      const block = open(chunk.index, chunk.block.type)
      if (block.ended) return
      block.ended = true
      block.type = chunk.block.type
      if (chunk.block.type === 'tool-call') {
        block.text = chunk.block.arguments
        block.id = chunk.block.id
        block.name = chunk.block.name
      } else block.text = chunk.block.text
    }
  }
}

/** The ends after which a tool call is meant: the model said all of it and wants it run. */
const endsWithCalls: ReadonlySet<string> = new Set(['stop', 'tool-calls', 'pause'])

/**
 * The message of a stream. Tool calls are kept only where the answer came to
 * an end of its own (`stop`, `tool-calls`, `pause`): one that was cut
 * (`max-tokens`), withheld (`content-filter`) or declined (`refusal`) must not
 * run. An interrupted stream keeps only text and reasoning that is not blank.
 */
export function assembleMessage(chunks: Iterable<StreamChunk>): AssembledMessage {
  const { blocks, usage, finish, replayState } = outlineStream(chunks)
  const interrupted = !finish || finish.kind === 'error' || finish.kind === 'aborted'
  const content = blocks
    .filter((block) => {
      if (block.type === 'tool-call') return !!finish && endsWithCalls.has(finish.kind)
      return !interrupted || block.text.trim() !== ''
    })
    .map(blockOf)
  return {
    content,
    ...(usage ? { usage } : {}),
    ...(finish ? { finish } : {}),
    ...(replayState !== undefined && content.length === blocks.length ? { replayState } : {}),
    interrupted,
  }
}
