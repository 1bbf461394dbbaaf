/** `runproof status` over ACP transcripts and session logs. */
import { describe, expect, it } from 'vitest'
import { fixture } from '../check/check.ts'
import { jsonLines, runproof } from '../command-line.ts'

const approval = fixture('acp/authored/approval.jsonl')
const prompts = fixture('acp/authored/two-prompts.jsonl')

describe('status --from acp', () => {
  it('prints one block a run, an approval in between', async () => {
    const { stdout, stderr, exitCode } = await runproof(['status', approval])
    expect(stdout.match(/^.*(?:=> \w+|\[\S+\])/gm)).toEqual([
      'prompt-1/1:1 text.delta => running',
      'prompt-1/1:2 tool.requested => running',
      'prompt-1/1:3 tool.requested => running',
      'prompt-1/1:4 approval.wait => waiting',
      'prompt-1/1:5 run.ended => waiting',
      'EOF => waiting',
      '[prompt-1/2]',
      'prompt-1/2:1 tool.requested => running',
      'prompt-1/2:2 tool.requested => running',
      'prompt-1/2:3 tool.started => running',
      'prompt-1/2:4 tool.failed => running',
      'prompt-1/2:5 tool.finished => running',
      'prompt-1/2:6 text.delta => running',
      'prompt-1/2:7 run.ended => checking',
      'EOF => checking',
    ])
    expect(stderr).toContain('read as acp')
    expect(exitCode).toBe(0)
  })

  it('holds --expect against the last run of each task', async () => {
    expect((await runproof(['status', approval, '--expect', 'checking'])).exitCode).toBe(0)
    expect((await runproof(['status', prompts, '--expect', 'checking'])).exitCode).toBe(0)
    const { exitCode, stderr } = await runproof(['status', approval, '--expect', 'done'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/run prompt-1: expected the claim "done" at the end, it is "checking"/)
  })

  it('judges one run with --run', async () => {
    const args = ['status', prompts, '--run', 'prompt-2/1', '--json', '--expect', 'checking']
    const { stdout, exitCode } = await runproof(args)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ run: 'prompt-2/1', finalText: 'None.' })
    expect(exitCode).toBe(0)
  })

  it('does not print what a hostile transcript would', async () => {
    const { stdout, stderr } = await runproof(['status', fixture('acp/negative/hostile.jsonl')])
    // oxlint-disable-next-line no-control-regex -- control characters are the subject
    expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u202a-\u202e]/)
    expect(stdout).toContain('EOF => unknown')
  })

  it('claims nothing of a transcript without a prompt', async () => {
    const stdin = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}\n'
    const { stdout } = await runproof(['status', '-', '--json'], { stdin })
    expect(jsonLines(stdout)).toMatchObject([{ eof: true, run: null, status: 'unknown' }])
  })
})

describe('status --from session', () => {
  it('prints one block a turn', async () => {
    const log = fixture('session-log/two-turns.jsonl')
    const { stdout, stderr } = await runproof(['status', log, '--json'])
    const ends = stdout.split('\n').filter((line) => line.startsWith('{"eof"'))
    expect(ends.map((line): unknown => JSON.parse(line))).toMatchObject([
      {
        run: 'turn-1/1',
        status: 'checking',
        finalText: 'Four minutes.',
        tools: { call_a: 'returned' },
      },
      { run: 'turn-2/1', status: 'checking', finalText: 'No.' },
    ])
    expect(stderr).toContain('read as session')
  })

  it('never claims an end that the log does not have', async () => {
    const { stdout } = await runproof(['status', fixture('session-log/crashed-in-tool.jsonl')])
    expect(stdout).toContain('EOF => unknown')
  })
})
