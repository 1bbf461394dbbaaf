/**
 * The checker of the StreamChunk contract. It reads values of any shape (log
 * lines included) and reports what is wrong as data; it never throws.
 *
 * Checked: every chunk has the shape of its type; a block starts once, gets
 * deltas of its own kind while it is open, ends once, and ends as its deltas
 * said; `usage` comes at most once; exactly one `finish` comes and nothing
 * after it; a finish that is not an error or an abort leaves no block open.
 */
import { countOf, isObject, objectOf, type JsonObject } from './json.ts'

export type ChunkIssueCode =
  | 'not-a-chunk'
  | 'block-started-twice'
  | 'block-not-started'
  | 'block-already-ended'
  | 'block-of-other-type'
  | 'block-differs-from-deltas'
  | 'block-left-open'
  | 'usage-twice'
  | 'after-finish'
  | 'no-finish'

export type ChunkIssue = {
  code: ChunkIssueCode
  /** 0-based number of the chunk; for `no-finish` the number of chunks. */
  position: number
  /** The block's index, where one is concerned. */
  index?: number
  message: string
}

/** Checks a stream as it comes. `end()` tells what only the end can show; both give new issues only. */
export type ChunkChecker = { push(chunk: unknown): ChunkIssue[]; end(): ChunkIssue[] }

type OpenBlock = {
  type: string
  deltas: string | undefined
  /** What the deltas of a call named it: ids, and names where they gave one. */
  ids: Set<unknown>
  names: unknown[]
  ended: boolean
}

type Checking = {
  position: number
  blocks: Map<number, OpenBlock>
  hasUsage: boolean
  hasFinish: boolean
  report(code: ChunkIssueCode, message: string, index?: number): void
}

/** Issues of a whole stream, in order; an empty array means it is well-formed. */
export function checkChunks(chunks: Iterable<unknown>): ChunkIssue[] {
  const checker = createChunkChecker()
  const issues: ChunkIssue[] = []
  for (const chunk of chunks) issues.push(...checker.push(chunk))
  return [...issues, ...checker.end()]
}

export function createChunkChecker(): ChunkChecker {
  let found: ChunkIssue[] = []
  const state: Checking = {
    position: 0,
    blocks: new Map(),
    hasUsage: false,
    hasFinish: false,
    report(code, message, index) {
      const position = state.position
      found.push({ code, position, ...(index === undefined ? {} : { index }), message })
    },
  }
  const take = (): ChunkIssue[] => {
    const issues = found
    found = []
    return issues
  }
  return {
    push(chunk) {
      checkChunk(chunk, state)
      state.position += 1
      return take()
    },
    end() {
      if (!state.hasFinish) state.report('no-finish', 'the stream ends without a finish')
      return take()
    },
  }
}

function checkChunk(chunk: unknown, state: Checking): void {
  if (!isObject(chunk) || !hasShape(chunk)) {
    const type = isObject(chunk) ? JSON.stringify(chunk.type) : typeof chunk
    state.report('not-a-chunk', `no chunk has this shape (type ${type})`)
    return
  }
  if (state.hasFinish) state.report('after-finish', `${String(chunk.type)} after the finish`)
  switch (chunk.type) {
    case 'usage':
      if (state.hasUsage) state.report('usage-twice', 'a second usage')
      state.hasUsage = true
      return
    case 'finish':
      checkFinish(chunk, state)
      return
    default:
      checkBlockChunk(chunk, countOf(chunk.index) ?? 0, state)
  }
}

function checkFinish(chunk: JsonObject, state: Checking): void {
  const kind = objectOf(chunk.reason).kind
  if (!state.hasFinish && kind !== 'error' && kind !== 'aborted') {
    for (const [index, block] of state.blocks) {
      if (!block.ended) {
        state.report('block-left-open', `block ${index} is open at finish ${String(kind)}`, index)
      }
    }
  }
  state.hasFinish = true
}

const deltaTypes: Readonly<Record<string, string>> = {
  'text-delta': 'text',
  'reasoning-delta': 'reasoning',
  'tool-call-delta': 'tool-call',
}

function checkBlockChunk(chunk: JsonObject, index: number, state: Checking): void {
  const block = state.blocks.get(index)
  if (chunk.type === 'block-start') {
    if (block) state.report('block-started-twice', `block ${index} started before`, index)
    else {
      const type = String(chunk.blockType)
      state.blocks.set(index, { type, deltas: undefined, ids: new Set(), names: [], ended: false })
    }
    return
  }
  if (!block) {
    state.report('block-not-started', `block ${index} was never started`, index)
    return
  }
  if (block.ended) {
    state.report('block-already-ended', `block ${index} ended before`, index)
    return
  }
  const ended = chunk.type === 'block-end' ? objectOf(chunk.block) : undefined
  const type = ended ? String(ended.type) : deltaTypes[String(chunk.type)]
  if (type !== block.type) {
    state.report('block-of-other-type', `block ${index} is ${block.type}, not ${type}`, index)
  }
  if (!ended) {
    block.deltas = (block.deltas ?? '') + String(chunk.text ?? chunk.argumentsDelta)
    if (chunk.id !== undefined && chunk.id !== '') block.ids.add(chunk.id)
    if (chunk.name !== undefined) block.names.push(chunk.name)
    return
  }
  block.ended = true
  const whole = ended.text ?? ended.arguments
  // A log may drop the deltas and keep the block; then there is nothing to compare.
  if (block.deltas !== undefined && whole !== undefined && whole !== block.deltas) {
    state.report('block-differs-from-deltas', `block ${index} is not what its deltas said`, index)
  } else if (!isNamedAlike(block, ended)) {
    state.report('block-differs-from-deltas', `block ${index} is not the call of its deltas`, index)
  }
}

/** A name may come whole, with every delta, or in pieces. */
function isNamedAlike({ ids, names }: OpenBlock, { id, name }: JsonObject): boolean {
  const isOfId = [...ids].every((one) => one === id)
  return isOfId && (names.every((one) => one === name) || names.join('') === name)
}

const blockTypes: ReadonlySet<unknown> = new Set([
  'text',
  'reasoning',
  'image',
  'tool-call',
  'tool-result',
])

/** Whether the object has the fields of its chunk type; unknown further fields are fine. */
function hasShape(chunk: JsonObject): boolean {
  if (chunk.type === 'usage') {
    if (!isObject(chunk.usage)) return false
    const { inputTokens, outputTokens, ...details } = chunk.usage
    return [inputTokens, outputTokens, ...Object.values(details).filter(isGiven)].every(
      (count) => countOf(count) !== undefined,
    )
  }
  if (chunk.type === 'finish')
    return isObject(chunk.reason) && typeof chunk.reason.kind === 'string'
  if (countOf(chunk.index) === undefined) return false
  switch (chunk.type) {
    case 'block-start':
      return blockTypes.has(chunk.blockType)
    case 'text-delta':
    case 'reasoning-delta':
      return typeof chunk.text === 'string'
    case 'tool-call-delta':
      return typeof chunk.id === 'string' && typeof chunk.argumentsDelta === 'string'
    case 'block-end':
      return isObject(chunk.block) && blockTypes.has(chunk.block.type)
    default:
      return false
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined
}
