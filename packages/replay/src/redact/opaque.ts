/**
 * Values that only the provider can read: signatures of thoughts, encrypted
 * reasoning. They look like secrets and are none, and a changed one would be
 * refused, so detectors leave them alone. By path, per wire: the same name in a
 * tool's arguments is an ordinary text.
 */
import { familyOf, type WireFamily } from '../match/endpoint.ts'
import type { WireName } from '@runproof/llm'

/** Paths of JSON values: keys with dots, `*` for a member of an array. */
const opaquePaths: Readonly<Record<WireFamily, readonly string[]>> = {
  chat: [
    'messages.*.reasoning_details.*.data',
    'messages.*.reasoning_details.*.signature',
    'messages.*.extra_content.google.thought_signature',
    'messages.*.tool_calls.*.extra_content.google.thought_signature',
    ...['delta', 'message'].flatMap((part) => [
      `choices.*.${part}.reasoning_details.*.data`,
      `choices.*.${part}.reasoning_details.*.signature`,
      `choices.*.${part}.extra_content.google.thought_signature`,
      `choices.*.${part}.tool_calls.*.extra_content.google.thought_signature`,
    ]),
  ],
  responses: [
    'input.*.encrypted_content',
    'item.encrypted_content',
    'output.*.encrypted_content',
    'response.output.*.encrypted_content',
  ],
  // `signature` of thinking, `data` of redacted_thinking. A base64 source has its `data` deeper.
  anthropic: [
    'messages.*.content.*.signature',
    'messages.*.content.*.data',
    'content_block.signature',
    'content_block.data',
    'delta.signature',
    'content.*.signature',
    'content.*.data',
  ],
  gemini: ['contents', 'candidates'].flatMap((list) => {
    const parts = list === 'contents' ? 'contents.*.parts.*' : 'candidates.*.content.parts.*'
    return [`${parts}.thoughtSignature`, `${parts}.thought_signature`]
  }),
}

/** Tells opaque values by their path. */
export function opaqueOf(wire: WireName): (path: string) => boolean {
  const paths = new Set(opaquePaths[familyOf(wire)])
  return (path) => paths.has(path)
}
