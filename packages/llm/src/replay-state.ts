/**
 * Replay state: what a provider wants back with the next request and no block
 * can hold (reasoning signatures, encrypted reasoning, server-side tool items,
 * phases, citations).
 *
 * A response is a list of the provider's own items in its order. Each is kept
 * as `raw`, less the texts that blocks already carry; `blocks` names those
 * blocks by their `index`. So a log holds every text once, and the provider's
 * items can be put together again exactly.
 *
 * A state is used only by the wire that made it, and only while the message
 * still has all its blocks; otherwise the request is built from the blocks
 * alone. It is plain JSON.
 */
import { countOf, isObject, isSameJson, objectsOf, type JsonObject } from './json.ts'
import type { WireName } from './wire.ts'

export type ReplayItem = { raw: JsonObject; blocks?: number[] }

export type ReplayState = {
  wire: WireName
  items: ReplayItem[]
  /** Anthropic: the container that a continued server-side tool runs in. */
  container?: string
}

/**
 * Reads a stored state. Undefined when there is none, when another wire made
 * it, or when it does not cover exactly the blocks of these indexes, each once.
 */
export function readReplayState(
  wire: WireName,
  value: unknown,
  indexes: readonly number[],
): ReplayState | undefined {
  if (!isObject(value) || value.wire !== wire) return undefined
  const items: ReplayItem[] = []
  for (const item of objectsOf(value.items)) {
    if (!isObject(item.raw)) return undefined
    const blocks =
      Array.isArray(item.blocks) && item.blocks.flatMap((index) => countOf(index) ?? [])
    items.push({ raw: item.raw, ...(blocks && { blocks }) })
  }
  const covered = items.flatMap((item) => item.blocks ?? []).toSorted((a, b) => a - b)
  if (!isSameJson(covered, indexes)) return undefined
  return {
    wire,
    items,
    ...(typeof value.container === 'string' ? { container: value.container } : {}),
  }
}

/** The items of a message: those of its state, else one for each block with nothing to add. */
export function replayItems(
  state: ReplayState | undefined,
  indexes: readonly number[],
): ReplayItem[] {
  return state?.items ?? indexes.map((index) => ({ raw: {}, blocks: [index] }))
}
