/**
 * A program for `crash.test.ts`: opens a log, writes one turn with a tool call
 * in it, and kills itself (SIGKILL) at its n-th operation on the file: before
 * it, after it, or with a write half done. With `stop` it only halts there
 * (SIGSTOP). Prints each acknowledged event as the log has it.
 *
 *     node crashing-writer.ts FILE N before|half|after|stop LABEL
 */
import { writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import process from 'node:process'
import { serializeEvent } from '@runproof/session-log'
import { openSessionLog } from '@runproof/session-log/node'
import type { OpenFile } from '@runproof/session-log/node'
import { header } from './header.ts'

const [file = '', at = '', moment = '', label = ''] = process.argv.slice(2)
let operations = 0

async function operate<T>(body: () => Promise<T>): Promise<T> {
  const last = ++operations === Number(at)
  if (last && moment !== 'after') die()
  const result = await body()
  if (last) die()
  return result
}

function die(): void {
  process.kill(process.pid, moment === 'stop' ? 'SIGSTOP' : 'SIGKILL')
}

const openFile: OpenFile = async (path, flags) => {
  const handle = await operate(() => open(path, flags))
  return {
    async write(bytes, offset, length) {
      if (operations + 1 === Number(at) && moment === 'in') {
        await handle.write(bytes, offset, Math.ceil(length / 2))
      }
      return operate(() => handle.write(bytes, offset, length))
    },
    truncate: (length) => operate(() => handle.truncate(length)),
    datasync: () => operate(() => handle.datasync()),
    close: () => operate(() => handle.close()),
  }
}

const log = await openSessionLog({ file, header, clock: { now: () => 1 }, openFile })
const append = async (...drafts: Parameters<typeof log.append>[0]): Promise<void> => {
  const events = await log.append(drafts)
  writeSync(1, events.map((event) => `${serializeEvent(event)}\n`).join(''))
}

const turn = 1 + log.events.filter(({ type }) => type === 'turn/start').length
const place = { turn, step: 1 }
const call = { type: 'tool-call' as const, id: `call_${turn}`, name: 'bash', arguments: '{}' }
await append({ type: 'turn/start', data: { turn } }, { type: 'test/label', data: { label } })
await append({ type: 'step/start', data: place })
await log.checkpoint()
await append({
  type: 'assistant/message',
  data: { ...place, content: [call] },
  surfaceOp: 'append',
})
await append({
  type: 'tool/call',
  data: { ...place, callId: call.id, name: call.name, arguments: call.arguments },
})
await log.checkpoint()
await append({
  type: 'tool/result',
  data: { ...place, callId: call.id, content: [], isError: false },
  surfaceOp: 'append',
})
await append(
  { type: 'step/end', data: place },
  { type: 'turn/end', data: { turn, reason: { kind: 'completed' } } },
)
await log.checkpoint()
await log.close()
