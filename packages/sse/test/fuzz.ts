/**
 * Random streams in random partitions: the built decoder against the
 * reference, a million partitions unless told otherwise. Prints its seed; the
 * same seed repeats the run.
 *
 *     node packages/sse/test/fuzz.ts [PARTITIONS] [SEED]
 */

import { isDeepStrictEqual } from 'node:util'
import { decodeSse } from '@runproof/sse'
import { drawPartition, drawStream, type Draw } from './inputs.ts'
import { decodeByReference, unlimited, type ReferenceOptions } from './reference.ts'

const partitionsPerStream = 20

const partitionCount = Number(process.argv[2] ?? 1_000_000)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 32)

/** xorshift32: small, and the same on every machine. */
function createDraw(from: number): Draw {
  let state = from >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

function drawOptions(draw: Draw): ReferenceOptions {
  const utf8 = draw(2) === 0 ? 'strict' : 'replace'
  if (draw(2) === 0) return { utf8, ...unlimited }
  return { utf8, lineBytesMax: 1 + draw(60), eventBytesMax: 1 + draw(120) }
}

const draw = createDraw(seed)
const outcomes = new Map<string, number>()
let done = 0
console.log(`sse fuzz: ${partitionCount} partitions, seed ${seed}`)
while (done < partitionCount) {
  const options = drawOptions(draw)
  // Some streams are long enough for chunks that are read in place.
  const stream = drawStream(draw, draw(200) === 0 ? 1500 : 30, 40)
  const expected = decodeByReference(stream, options)
  const outcome = expected.end.error?.code ?? 'no error'
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  for (let i = 0; i < partitionsPerStream; i++, done++) {
    const chunks = drawPartition(draw, stream)
    const { events, end } = decodeSse(chunks, options)
    if (isDeepStrictEqual({ events, end }, expected)) continue
    console.error('differs', JSON.stringify({ seed, done, options, bytes: [...stream] }))
    console.error('chunk sizes', chunks.map(({ length }) => length).join(' '))
    console.error('expected', JSON.stringify(expected))
    console.error('decoded ', JSON.stringify({ events, end }))
    process.exit(1)
  }
}
console.log(`all as the reference says: ${JSON.stringify(Object.fromEntries(outcomes))}`)
