/** An HTTP client that sees what arrives, chunk by chunk, and how it ends. */
import { Agent, request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import type { WireName } from '@runproof/llm'
import { createEmulator } from '@runproof/replay/emulator'
import type { Emulator, EmulatorOptions } from '@runproof/replay/emulator'

export type Sent = {
  path?: string
  method?: string
  headers?: Record<string, string>
  /** A value is sent as JSON; bytes and text as they are. */
  body?: unknown
  signal?: AbortSignal
  /** Told about each chunk as it comes. */
  onChunk?: (chunk: string, all: readonly string[]) => void
}

export type Received = {
  status: number
  headers: IncomingHttpHeaders
  chunks: string[]
  text: string
  /** `whole`, or the code of what broke the response off. */
  end: string
}

/** Sends a request and reads the answer to its end; a broken answer is no error. */
export function send(url: string, sent: Sent): Promise<Received> {
  const { path = '/v1/chat/completions', method = 'POST', headers = {}, body, signal } = sent
  return new Promise((resolve, reject) => {
    const chunks: string[] = []
    const options = { method, headers, agent: new Agent({ keepAlive: false }), signal }
    const outgoing = request(`${url}${path}`, options, (response) => {
      const done = (end: string): void =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          chunks,
          text: chunks.join(''),
          end,
        })
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk.toString())
        sent.onChunk?.(chunk.toString(), chunks)
      })
      response.on('end', () => done('whole'))
      response.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (chunks.length === 0) reject(error)
    })
    outgoing.end(
      body === undefined || typeof body === 'string' || body instanceof Uint8Array
        ? body
        : JSON.stringify(body),
    )
  })
}

/** An emulator that ends with its test. */
export async function emulate(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await createEmulator(options)
  onTestFinished(() => emulator.close())
  return emulator
}

/** Path of the model call of each wire. */
export const paths: Readonly<Record<WireName, string>> = {
  deepseek: '/chat/completions',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
}
