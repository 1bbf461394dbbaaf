/**
 * The built package where it has to run: without Buffer, as in browsers, and
 * in a worker. `npm test` builds it first.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'

const dist = new URL('../dist/', import.meta.url)
const wire = 'data: 你好 🙂\\n\\nid: 1\\ndata: second\\n\\n'
const decoded = ['你好 🙂', 'second']

/** A program that decodes `wire` from chunks of every size and gives the data of the events. */
const program = `
  const { createSseDecoder, encodeSse } = await import(${JSON.stringify(new URL('index.js', dist).href)})
  const { createSseDecoderStream } = await import(${JSON.stringify(new URL('stream.js', dist).href)})
  const bytes = new TextEncoder().encode('${wire}')
  const seen = []
  for (let size = 1; size <= bytes.length; size++) {
    const decoder = createSseDecoder()
    for (let at = 0; at < bytes.length; at += size) {
      for (const event of decoder.push(bytes.subarray(at, at + size))) seen.push(event.data)
    }
    if (decoder.end().error !== null) throw new Error('error at size ' + size)
  }
  const stream = new Blob([bytes, encodeSse({ event: 'x', data: 'end', id: '' })]).stream()
  for await (const event of stream.pipeThrough(createSseDecoderStream())) seen.push(event.data)
`
const wireBytes = new TextEncoder().encode(wire.replaceAll('\\n', '\n')).length
const expected = [...Array.from({ length: wireBytes }, () => decoded).flat(), ...decoded, 'end']

function run(options: string[], code: string): { stdout: string; stderr: string } {
  return spawnSync(process.execPath, [...options, '--input-type=module', '--eval', code], {
    encoding: 'utf8',
  })
}

describe('the built package', () => {
  it('runs without Buffer and process, as in a browser', () => {
    const code = `const print = process.stdout.write.bind(process.stdout)
      delete globalThis.Buffer
      delete globalThis.process
      ${program}
      print(JSON.stringify(seen))`
    const { stdout, stderr } = run([], code)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(expected)
  })

  it('runs in a worker', async () => {
    const code = `(async () => { ${program} require('node:worker_threads').parentPort.postMessage(seen) })()`
    const worker = new Worker(code, { eval: true })
    const seen = await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
    })
    await worker.terminate()
    expect(seen).toEqual(expected)
  })

  it('takes lines of 16 MiB and events of 64 MiB unless told otherwise', () => {
    const code = `
      import { createSseDecoder } from ${JSON.stringify(new URL('index.js', dist).href)}
      const comment = new Uint8Array(1024 * 1024).fill(0x3a)
      comment[comment.length - 1] = 0x0a
      const ofLine = createSseDecoder()
      for (let count = 0; count < 17; count++) ofLine.push(comment.subarray(0, -1))
      const ofEvent = createSseDecoder()
      for (let count = 0; count < 65; count++) ofEvent.push(comment)
      console.log(JSON.stringify([ofLine.error, ofEvent.error]))`
    const { stdout, stderr } = run([], code)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([
      { code: 'line-too-long', offset: 16 * 1024 * 1024 },
      { code: 'event-too-large', offset: 64 * 1024 * 1024 },
    ])
  })

  it('lets go of the chunks of kept events when it copies', () => {
    const code = `
      import { createSseDecoder } from ${JSON.stringify(new URL('index.js', dist).href)}
      const line = new TextEncoder().encode('data: ' + 'x'.repeat(100) + '\\n\\n')
      const chunk = new Uint8Array(line.length * 200)
      for (let at = 0; at < chunk.length; at += line.length) chunk.set(line, at)
      const kept = []
      function grownBy(copy) {
        gc()
        const before = process.memoryUsage().heapUsed
        const decoder = createSseDecoder({ copy })
        for (let count = 0; count < 500; count++) kept.push(decoder.push(chunk)[0])
        gc()
        return (process.memoryUsage().heapUsed - before) / 500
      }
      console.log(JSON.stringify({ sliced: grownBy(false), copied: grownBy(true) }))
      globalThis.kept = kept`
    const { stdout, stderr } = run(['--expose-gc'], code)
    expect(stderr).toBe('')
    const { sliced, copied } = JSON.parse(stdout)
    // A kept slice keeps the 21 kB of its chunk's text, a copy its 100 bytes.
    expect(sliced).toBeGreaterThan(15_000)
    expect(copied).toBeLessThan(1500)
  })

  it('is small: without comments below 20 KiB, gzipped below 6 KiB', () => {
    const files = readdirSync(dist).filter((file) => file.endsWith('.js'))
    expect(files).toContain('index.js')
    const code = files
      .map((file) => readFileSync(new URL(file, dist), 'utf8'))
      .join('\n')
      .replaceAll(/^\s*(?:\/\*\*[^]*?\*\/|\/\/.*)$/gm, '')
      .replaceAll(/\n\s*/g, '\n')
    expect(code.length).toBeLessThan(20 * 1024)
    expect(gzipSync(code).length).toBeLessThan(6 * 1024)
  })
})
