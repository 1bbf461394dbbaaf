/** Streams that providers really sent: replaying a recording yields the recording. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { wires } from '@runproof/llm'
import type { WireName } from '@runproof/llm'
import { parseRecording, serializeRecording } from '@runproof/replay'
import { decodeSse } from '@runproof/sse'
import { ask, recordingOf } from '../recording/recordings.ts'
import { emulate, paths, send } from './client.ts'

const folder = new URL('../../../../../shared/recordings/', import.meta.url)
const hasRecordings = existsSync(folder)
const note = hasRecordings ? '' : ' (skipped: ../shared/recordings is not here)'

const folders: Record<string, WireName> = {
  deepseek: 'deepseek',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  anthropic: 'anthropic',
  google: 'gemini',
}

const files = Object.entries(folders).flatMap(([name, wire]) =>
  hasRecordings
    ? readdirSync(new URL(name, folder)).map((file) => ({ file: `${name}/${file}`, wire }))
    : [],
)

describe(`real streams${note}`, () => {
  it.each(files)('$file is replayed as it came', async ({ file, wire }) => {
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n')
    const payloads = wires[wire].readPayloads(lines)
    const events = payloads.map(({ event, data }, index) => ({
      dtMs: index % 3,
      data,
      ...(event === 'message' ? {} : { event }),
      ...(index % 5 === 0 ? { cuts: [4, 9] } : {}),
    }))
    const text = serializeRecording(recordingOf([{ path: paths[wire], events }], { wire }))
    expect(parseRecording(text).issues).toEqual([])
    const { url } = await emulate({ recordings: [{ file, text }] })
    const received = await send(url, { path: paths[wire], body: ask('hello') })
    expect(received.end).toBe('whole')
    expect(decodeSse([Buffer.from(received.text)]).events).toEqual(payloads)
  })
})
