import { describe, expect, it } from 'vitest'
import { jsonLines, runproof } from '../command-line.ts'

const text =
  'retry: 250\nid: 7\nevent: status\ndata: one\ndata: two\n\ndata: \u001b[2J\n\ndata: cut'

describe('runproof sse', () => {
  it('shows each event on lines of its own, then how the stream ended', async () => {
    const { exitCode, stdout, stderr } = await runproof(['sse', '-'], { stdin: text })
    expect(stdout).toBe(
      [
        'status #7 | one',
        '          | two',
        'message #7 | \\x1b[2J',
        'END clean bytes, reconnect after 250 ms, last event id 7',
        '',
      ].join('\n'),
    )
    expect(stderr).toContain('the last 9 bytes, which hold data, are no event')
    expect(exitCode).toBe(0)
  })

  it('prints the same JSON lines whatever the size of the pieces', async () => {
    const whole = await runproof(['sse', '-', '--json'], { stdin: text })
    expect(jsonLines(whole.stdout)).toEqual([
      { event: 'status', data: 'one\ntwo', id: '7' },
      { event: 'message', data: '\u001b[2J', id: '7' },
      {
        end: true,
        retryMs: 250,
        lastEventId: '7',
        tailDiscarded: { bytes: 9, hadData: true },
        error: null,
      },
    ])
    for (const size of ['1', '2', '7']) {
      expect(await runproof(['sse', '-', '--json', '--chunk', size], { stdin: text })).toEqual(
        whole,
      )
    }
  })

  it('delivers what comes before a bad byte, then exits 1 with its place', async () => {
    const stdin = Buffer.concat([Buffer.from('data: ok\n\ndata: '), Buffer.of(0xff, 0x0a, 0x0a)])
    const strict = await runproof(['sse', '-', '--json'], { stdin })
    expect(strict.exitCode).toBe(1)
    expect(jsonLines(strict.stdout)).toMatchObject([{ data: 'ok' }, { error: { offset: 16 } }])
    expect(strict.stderr).toContain('at byte 16')
    const replaced = await runproof(['sse', '-', '--utf8', 'replace'], { stdin })
    expect(replaced).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('\uFFFD') })
  })

  it.each([
    [['sse', '-', '--utf8', 'lenient'], /strict or replace/],
    [['sse', '-', '--chunk', '0'], /from 1/],
    [['sse', '/nowhere/at/all'], /there is no such file/],
  ])('%j exits 2 and says what to do', async (argv, message) => {
    const result = await runproof(argv)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toMatch(message)
  })
})
