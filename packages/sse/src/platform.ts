/**
 * The two things a decoder asks of its platform: text of a range of bytes, and
 * the place of one byte. Node's `Buffer` does both several times faster than
 * the web's means, so it is used where it is a global; browsers and workers
 * get `TextDecoder` and `Uint8Array`. Nothing is imported.
 *
 * Both ways decode UTF-8 as the WHATWG Encoding Standard does
 * (https://encoding.spec.whatwg.org/#utf-8-decoder): one U+FFFD for each
 * maximal ill-formed part; a byte order mark is kept as U+FEFF.
 */

export type Platform = {
  /** Text of `bytes[start, end)`. */
  decode: (bytes: Uint8Array, start: number, end: number) => string
  /** Index of the first `byte` at or after `from`, or -1. */
  indexOf: (bytes: Uint8Array, byte: number, from: number) => number
  /** Index of the last `byte`, or -1. */
  lastIndexOf: (bytes: Uint8Array, byte: number) => number
}

/** What is used of `Buffer.prototype`; every method works on any Uint8Array. */
type BufferMethods = {
  utf8Slice?: (this: Uint8Array, start: number, end: number) => string
  indexOf: (this: Uint8Array, byte: number, from: number) => number
  lastIndexOf: (this: Uint8Array, byte: number) => number
}

declare const Buffer: { prototype: BufferMethods } | undefined

/** The means of browsers and workers, here since they are everywhere. */
export function createWebPlatform(): Platform {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return {
    decode: (bytes, start, end) => decoder.decode(bytes.subarray(start, end)),
    indexOf: (bytes, byte, from) => bytes.indexOf(byte, from),
    lastIndexOf: (bytes, byte) => bytes.lastIndexOf(byte),
  }
}

/** The fastest means of the running platform. */
export function detectPlatform(): Platform {
  if (typeof Buffer === 'undefined') return createWebPlatform()
  const { utf8Slice, indexOf, lastIndexOf } = Buffer.prototype
  // A bundler's stand-in for Buffer has no utf8Slice, and its own decoding.
  if (utf8Slice === undefined) return createWebPlatform()
  return {
    decode: (bytes, start, end) => utf8Slice.call(bytes, start, end),
    indexOf: (bytes, byte, from) => indexOf.call(bytes, byte, from),
    lastIndexOf: (bytes, byte) => lastIndexOf.call(bytes, byte),
  }
}
