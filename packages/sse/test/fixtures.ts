/** The cases under fixtures/sse: a folder is a case, and a new folder a new test. */

import { existsSync, readFileSync, readdirSync } from 'node:fs'
import type { SseDecoderOptions, SseEnd, SseEvent } from '@runproof/sse'

export type Fixture = {
  name: string
  about: string
  stream: Uint8Array
  options: SseDecoderOptions
  events: SseEvent[]
  end: SseEnd
}

const root = new URL('../../../fixtures/sse/', import.meta.url)

export function readFixtures(): Fixture[] {
  return ['authored', 'negative'].flatMap((group) =>
    readdirSync(new URL(`${group}/`, root)).map((name) => {
      const folder = new URL(`${group}/${name}/`, root)
      const expected: Omit<Fixture, 'name' | 'stream'> = JSON.parse(
        readFileSync(new URL('expected.json', folder), 'utf8'),
      )
      const stream = new Uint8Array(readFileSync(new URL('stream.sse', folder)))
      return { ...expected, name, stream, options: expected.options ?? {} }
    }),
  )
}

/** The cases that others gave us beside the repository; only there while it is developed. */
export const shared: URL = new URL('../../../../shared/', import.meta.url)
export const hasShared: boolean = existsSync(new URL('conformance/sse-cases.json', shared))
export const unlessShared: string = hasShared ? '' : ' (skipped: ../shared is not here)'

export function readShared(path: string): string {
  return readFileSync(new URL(path, shared), 'utf8')
}

export function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'))
}
