/**
 * A response under construction: what every decoder writes into. It numbers
 * the blocks, pairs starts and ends, and holds the rules of the end that are
 * the same on every wire.
 *
 * Rules of the end:
 * - a stop with a tool call in it is `tool-calls`: the caller has work to do;
 * - `tool-calls` without a tool call, or a call without a name or an id, has
 *   lost something: MALFORMED_RESPONSE;
 * - a stop with no text, no reasoning, no call and nothing kept for replay is
 *   EMPTY_RESPONSE;
 * - a failure ends the stream where it stands: open blocks stay open, and no
 *   usage is given, since a broken stream has no count to trust.
 *
 * Invariant: one `finish`, and nothing after it.
 */
import { blockOf, type Block, type FinishReason, type StreamChunk, type Usage } from './chunk.ts'
import { malformed, type LlmFailure } from './error.ts'
import type { ReplayState } from './replay-state.ts'

export const emptyResponseMessage = 'the model ended its answer without saying anything'

/** A block in progress; `text` holds the arguments of a tool call. */
export type ResponseBlock = {
  readonly index: number
  readonly type: Block['type']
  text: string
  id: string
  name: string
  ended: boolean
}

/** What a wire knows at its own end. */
type ResponseEnd = { usage?: Usage | undefined; replayState?: ReplayState | undefined }

export type Response = {
  readonly finished: boolean
  readonly blocks: readonly ResponseBlock[]
  start(type: 'text' | 'reasoning'): ResponseBlock
  startCall(id: string, name: string): ResponseBlock
  /**
   * Adds a delta; an empty one only announces a tool call, else it is nothing.
   * More text after the end of the block fails the response.
   */
  append(block: ResponseBlock, text: string): void
  /** Ends a block; again is nothing. */
  end(block: ResponseBlock): void
  endAll(): void
  finish(reason: FinishReason, end?: ResponseEnd): void
  fail(failure: LlmFailure): void
  /** The chunks since the last call. */
  take(): StreamChunk[]
}

export function createResponse(): Response {
  let chunks: StreamChunk[] = []
  let finished = false
  const blocks: ResponseBlock[] = []

  /** A reader may fail in the middle of an event; what it still says then is nothing. */
  const emit = (chunk: StreamChunk): void => {
    if (!finished) chunks.push(chunk)
  }
  const open = (type: Block['type'], id: string, name: string): ResponseBlock => {
    const block = { index: blocks.length, type, text: '', id, name, ended: false }
    blocks.push(block)
    emit({ type: 'block-start', index: block.index, blockType: type })
    return block
  }

  const response: Response = {
    get finished() {
      return finished
    },
    blocks,
    start: (type) => open(type, '', ''),
    startCall: (id, name) => open('tool-call', id, name),
    append(block, text) {
      const { index, type, id, name } = block
      if (block.ended) {
        if (text !== '') response.fail(malformed(`more text for block ${index} after its end`))
        return
      }
      if (type === 'tool-call') {
        emit({ type: 'tool-call-delta', index, id, name, argumentsDelta: text })
      } else if (text !== '') emit({ type: `${type}-delta`, index, text })
      block.text += text
    },
    end(block) {
      if (block.ended) return
      block.ended = true
      emit({ type: 'block-end', index: block.index, block: blockOf(block) })
    },
    endAll() {
      for (const block of blocks) response.end(block)
    },
    finish(reason, { usage, replayState } = {}) {
      if (usage) emit({ type: 'usage', usage })
      const settled = settle(reason, blocks, replayState !== undefined)
      emit({
        type: 'finish',
        reason: settled,
        ...(replayState && settled.kind !== 'error' ? { replayState } : {}),
      })
      finished = true
    },
    fail(failure) {
      emit({ type: 'finish', reason: { kind: 'error', ...failure } })
      finished = true
    },
    take() {
      const taken = chunks
      chunks = []
      return taken
    },
  }
  return response
}

function settle(
  reason: FinishReason,
  blocks: readonly ResponseBlock[],
  hasReplayState: boolean,
): FinishReason {
  const calls = blocks.filter((block) => block.type === 'tool-call')
  if (reason.kind !== 'stop' && reason.kind !== 'tool-calls') return reason
  if (calls.some(({ id, name }) => id === '' || name === '')) {
    return { kind: 'error', ...malformed('a tool call without a name or an id') }
  }
  if (calls.length > 0) return { kind: 'tool-calls' }
  if (reason.kind === 'stop') {
    if (hasReplayState || blocks.some((block) => block.text !== '')) return reason
    return { kind: 'error', message: emptyResponseMessage, code: 'EMPTY_RESPONSE' }
  }
  return { kind: 'error', ...malformed('the response ended for a tool call but holds none') }
}
