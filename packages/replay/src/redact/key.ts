/** Keys of recorded requests. */
import { contextOf } from '../match/context.ts'
import { createKeyer } from '../match/key.ts'
import type { Recording } from '../recording/recording.ts'

/** The recording with every key as its request is now. */
export function withKeys(recording: Recording): Recording {
  const keyOf = createKeyer(contextOf(recording.provenance))
  const exchanges = recording.exchanges.map((exchange) => {
    const { key } = keyOf(recording.wire, exchange.request)
    return { ...exchange, request: { ...exchange.request, key } }
  })
  return { ...recording, exchanges }
}
