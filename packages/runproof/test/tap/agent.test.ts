/** A real agent behind the tap: what the editor wrote and read is what the agent read and wrote. */
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { check, rulesWith } from '../check/check.ts'
import { runproof } from '../command-line.ts'
import { folder, readTranscript, removeFolder, startTap } from './tap.ts'

afterAll(removeFolder)

const agent = fileURLToPath(new URL('../../../agent/bin/runproof-agent.js', import.meta.url))
const log = fileURLToPath(
  new URL('../../../../scenarios/runproof-agent/tool-bash/session.jsonl', import.meta.url),
)

it.skipIf(process.platform === 'win32' || !existsSync(log))(
  'gets and gives every byte',
  async () => {
    // What goes into the agent and comes out of it, beyond the tap.
    const around = `tee "${folder}/in.bin" | "${process.execPath}" "${agent}" | tee "${folder}/out.bin"`
    const env = {
      HOME: folder,
      RUNPROOF_MODE: 'replay',
      RUNPROOF_SESSION_FILE: log,
      RUNPROOF_SESSIONS_ROOT: join(folder, 'sessions'),
    }
    const tap = startTap(['--out', 'run.jsonl', '--', 'sh', '-c', around], { env })
    let sent = ''
    const send = (id: number, method: string, params: object): void => {
      const line = `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
      sent += line
      tap.child.stdin.write(line)
    }
    send(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} })
    for await (const line of createInterface({ input: tap.child.stdout })) {
      const { id, result }: { id?: number; result?: { sessionId: string } } = JSON.parse(line)
      const prompt = [{ type: 'text', text: 'Run: echo SNAPSHOT. Then say DONE.' }]
      if (id === 1) send(2, 'session/new', { cwd: folder, mcpServers: [] })
      if (id === 2) send(3, 'session/prompt', { sessionId: result?.sessionId, prompt })
      if (id === 3) tap.child.stdin.end()
    }
    expect((await tap.ended).code).toBe(0)
    const received = await tap.stdout
    expect(readFileSync(join(folder, 'in.bin'), 'utf8')).toBe(sent)
    expect(readFileSync(join(folder, 'out.bin')).equals(received)).toBe(true)

    const lines = readTranscript('run.jsonl')
    const side = (dir: string): string =>
      lines
        .flatMap((line) => (line.dir === dir && 'm' in line ? [`${JSON.stringify(line.m)}\n`] : []))
        .join('')
    expect(side('>')).toBe(sent)
    expect(side('<')).toBe(received.toString())

    const file = join(folder, 'run.jsonl')
    const checked = await check([file])
    expect(checked.violations).toEqual([])
    expect(rulesWith(checked, 'held')).toContain('R1')
    const { stdout } = await runproof(['status', file, '--json'])
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('"status":"checking"')
  },
)
