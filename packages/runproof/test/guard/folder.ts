/** A sound scenario folder of our own, to be broken one way at a time. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFolder } from '../pending/folder.ts'

export type Files = Record<string, string>

export const json = (value: unknown): string => JSON.stringify(value)
export const jsonl = (values: readonly unknown[]): string =>
  values.map((value) => `${json(value)}\n`).join('')

const prompt = { op: 'prompt', text: 'Say hello.' }
export const input = {
  version: 1,
  headerClass: 'main',
  steps: [{ op: 'initialize' }, { op: 'newSession' }, prompt],
}

export const header = {
  type: 'session',
  version: 0,
  id: '0b1d9d6e-7a1c-4f0e-9a57-52d0a7b7a001',
  createdAt: 1700000000000,
  cwd: '/tmp/runproof-Ab12cd/workspace',
}

export type LogEvent = Record<string, unknown> & { type: string }

const events: LogEvent[] = [
  { type: 'turn/start', data: { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } } },
  {
    type: 'user/message',
    data: { content: [{ type: 'text', text: 'Say hello.' }], source: { kind: 'user' } },
    surfaceOp: 'append',
  },
  { type: 'step/start', data: { turn: 1, step: 1 } },
  {
    type: 'request/header',
    data: {
      header: { config: { model: 'm' }, system: '{{system}}', tools: '{{tools}}' },
      reason: 'initial',
    },
  },
  {
    type: 'assistant/chunk',
    data: { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'Hello.' } },
  },
  { type: 'step/end', data: { turn: 1, step: 1 } },
  { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } },
]

/** Events as a log numbers and dates them. */
export const numbered = (list: readonly LogEvent[]): LogEvent[] =>
  list.map((event, seq) => ({ ...event, seq, time: 1700000000000 + seq }))

/** The events of one turn. */
export const turn: LogEvent[] = numbered(events)

export const golden = [
  { jsonrpc: '2.0', id: '{{rpc:1}}', result: { protocolVersion: 1 } },
  { jsonrpc: '2.0', id: '{{rpc:2}}', result: { sessionId: '{{session:1}}' } },
  {
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: '{{session:1}}',
      update: {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: 'Hello.' },
      },
    },
  },
  { jsonrpc: '2.0', id: '{{rpc:3}}', result: { stopReason: 'end_turn' } },
]

export const sound: Files = {
  'input.json': json(input),
  'session.jsonl': jsonl([header, ...turn]),
  'stdout.golden.jsonl': jsonl(golden),
  'progress.golden.txt': 'EOF => checking\n',
  'system-prompt.golden.md': 'You are small.\n',
  'tool-schemas.golden.json': '[]\n',
}

/** A folder that writes no version, as the DeepSeek Harness's. */
export const foreign: Files = {
  'input.json': json({ steps: input.steps }),
  'session.jsonl': sound['session.jsonl'] ?? '',
  'stdout.golden.jsonl': jsonl([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, result: { sessionId: '{{sessionId}}' } },
    { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } },
  ]),
}

/** Writes files by path below a new folder. @returns the folder. */
export async function writeFiles(files: Files, root?: string): Promise<string> {
  const folder = root ?? (await createFolder())
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

export const without = (files: Files, ...names: string[]): Files =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)))
