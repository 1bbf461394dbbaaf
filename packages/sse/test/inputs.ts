/**
 * Streams that look for trouble: pieces of server-sent events, every line end,
 * characters of each length, the ways UTF-8 goes wrong, and cuts anywhere.
 * Driven by a source of random numbers, so that fuzz run and property tests
 * share it and a seed repeats a case.
 */

/** A whole number in [0, below). */
export type Draw = (below: number) => number

const encoder = new TextEncoder()

export const wellFormed: readonly Uint8Array[] = [
  'data: ',
  'data:',
  'data',
  'data: {"delta":"hello"}\n\n',
  'event: text\ndata: one\ndata: two\r\n\r\n',
  'data: x\r\r',
  'event: ',
  'event:tool',
  'event',
  'id: ',
  'id:7',
  'id',
  'id: a\0b',
  'retry: 30',
  'retry:0400',
  'retry: 1x',
  'retry: 99999999999999999999',
  ': comment',
  ':',
  'Data: no',
  ' data: no',
  'datax: no',
  'x',
  ' ',
  '\0',
  'é',
  '你好',
  '🙂',
  '\uFEFF',
  '\uFFFD',
  '\u2028\u0085',
  'a line that is longer than thirty-two bytes, so that it takes the other way',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\r\n\r\n',
  '\r\r',
].map((text) => encoder.encode(text))

export const illFormed: readonly Uint8Array[] = [
  [0xff],
  [0xc0, 0xaf],
  [0x80],
  [0xbf],
  [0xc3],
  [0xe4, 0xbd],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xef],
  [0xef, 0xbb],
  [0xf0, 0x9f, 0x99],
  [0xf0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xc1, 0xbf],
  [0xe1, 0x80, 0xe1],
  [0xf0, 0x9f, 0x0a],
  [0xf1, 0x80, 0x80, 0xc0],
].map((bytes) => Uint8Array.from(bytes))

/**
 * A stream of up to `piecesMax` pieces.
 * @param faultyPercent how often a stream may hold ill-formed bytes.
 */
export function drawStream(draw: Draw, piecesMax: number, faultyPercent: number): Uint8Array {
  const isFaulty = draw(100) < faultyPercent
  const pieces: Uint8Array[] = draw(8) === 0 ? [encoder.encode('\uFEFF')] : []
  for (let count = draw(piecesMax + 1); count > 0; count--) {
    const pool = isFaulty && draw(10) === 0 ? illFormed : wellFormed
    pieces.push(pool[draw(pool.length)] ?? new Uint8Array(0))
  }
  return concat(pieces)
}

/** Cuts into chunks of random sizes; about one chunk in eight is empty. */
export function drawPartition(draw: Draw, bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = []
  const sizeMax = [2, 8, 40, 200, 6000][draw(5)] ?? 8
  for (let offset = 0; offset < bytes.length;) {
    const size = draw(8) === 0 ? 0 : 1 + draw(sizeMax)
    chunks.push(bytes.slice(offset, offset + size))
    offset += size
  }
  return chunks
}

export function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
  }
  return whole
}

/** The partitions of the seed: whole, each byte alone, and every cut in two. */
export function* everyPartition(bytes: Uint8Array): Generator<Uint8Array[]> {
  yield [bytes]
  yield Array.from(bytes, (_, index) => bytes.slice(index, index + 1))
  for (let cut = 0; cut <= bytes.length; cut++) yield [bytes.slice(0, cut), bytes.slice(cut)]
}
