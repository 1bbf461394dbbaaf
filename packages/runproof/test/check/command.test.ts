/** The command itself: what it prints, how it ends, what it refuses. */
import { Ajv } from 'ajv'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { jsonLines, runproof } from '../command-line.ts'
import { briefly, check, fixture } from './check.ts'

const folder = mkdtempSync(join(tmpdir(), 'runproof-check-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const late = fixture('acp/authored/r2-late-update.jsonl')
const clean = fixture('acp/authored/two-prompts.jsonl')

describe('text', () => {
  it('groups violations by file and sums up', async () => {
    const { exitCode, stdout, stderr } = await runproof(['check', clean, late])
    expect(stdout.split('\n')).toEqual([
      `${clean} (acp)`,
      '  held: R1 R2 R3 R4 R5 R6 R7 R8 R12',
      '  not evaluated: R9 R10 R11 R13 (needs more than a transcript)',
      `${late} (acp)`,
      '  line 8  R2 error  tool_call: an update of a turn after its response at line 7, 10 ms later',
      '  line 9  R2 error  tool_call_update: an update of a turn after its response at line 7, 12.0 s later',
      '  line 10  R2 error  agent_message_chunk: an update of a turn after its response at line 7, 12.0 s later',
      '  held: R1 R3 R4 R5 R6 R7 R8 R12',
      '  not evaluated: R9 R10 R11 R13 (needs more than a transcript)',
      '2 files checked: 3 errors, 0 warnings',
      '',
    ])
    expect([exitCode, stderr]).toEqual([1, ''])
  })

  it('a warning alone is no failure', async () => {
    const { exitCode, stdout } = await runproof([
      'check',
      fixture('acp/authored/r4-background.jsonl'),
    ])
    expect(stdout).toContain('  line 9  R4 warning  response 2: the turn ends while c1 may go on')
    expect(stdout).toContain('1 file checked: 0 errors, 1 warning\n')
    expect(exitCode).toBe(0)
  })

  it('shows twenty of a kind and counts the rest; JSON has them all', async () => {
    const noise = fileOf('noise.jsonl', 'warming up\n'.repeat(50))
    const { stdout } = await runproof(['check', noise, '--from', 'acp'])
    expect(stdout.match(/R7 error/g)).toHaveLength(20)
    expect(stdout).toContain('  and 30 more of R7\n')
    expect((await check([noise, '--from', 'acp'])).violations).toHaveLength(50)
  })

  it('shows control characters, never sends them', async () => {
    const hostile = fixture('acp/negative/hostile.jsonl')
    for (const json of [[], ['--json']]) {
      const { stdout } = await runproof(['check', hostile, ...json])
      // oxlint-disable-next-line no-control-regex -- control characters are the subject
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
      expect(stdout).toMatch(/\\(?:x1b|u001b)\[2J/)
      expect(stdout).toContain(String.raw`\u202e`)
    }
  })
})

describe('JSON', () => {
  it('has one line a violation and one a file', async () => {
    const { violations, reports } = await check([late])
    expect(violations[0]).toEqual({
      rule: 'R2',
      severity: 'error',
      file: late,
      line: 8,
      event: 'tool_call',
      message: 'an update of a turn after its response at line 7, 10 ms later',
    })
    expect(reports).toEqual([
      {
        end: true,
        file: late,
        from: 'acp',
        lines: 10,
        errors: 3,
        warnings: 0,
        rules: expect.objectContaining({ R1: 'held', R2: 'violated', R9: 'not-evaluated' }),
        reasons: expect.objectContaining({ R9: 'needs more than a transcript' }),
      },
    ])
  })
})

it('fits docs/formats/check.schema.json, whatever the file', async () => {
  const url = new URL('../../../../docs/formats/check.schema.json', import.meta.url)
  const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(url, 'utf8')))
  const files = ['acp/authored', 'acp/negative', 'session-log'].flatMap((name) =>
    readdirSync(fixture(name))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => fixture(`${name}/${file}`)),
  )
  const { stdout } = await runproof(['check', ...files, '--json'])
  const lines = jsonLines(stdout)
  expect(lines.length).toBeGreaterThan(files.length)
  expect(lines.filter((line) => !validate(line))).toEqual([])
})

describe('input', () => {
  it('may be stdin, and noise before the first message', async () => {
    const stdin = `warming up\n{"jsonrpc":"2.0","id":1,"result":{}}\n`
    const { violations, reports } = await check(['-'], { stdin })
    expect(briefly(violations)).toEqual(['R7 1 line'])
    expect(reports[0]).toMatchObject({ file: 'stdin', from: 'acp', lines: 2 })
  })

  it('that cannot be read exits 2, after the others were checked', async () => {
    const missing = join(folder, 'missing.jsonl')
    const { exitCode, reports, stderr } = await check([missing, late, folder])
    expect(exitCode).toBe(2)
    expect(reports.map(({ file }) => file)).toEqual([late])
    expect(stderr).toMatch(/missing\.jsonl: there is no such file\n.*it is a folder/)
  })

  it.each([
    ['nothing', '', 'is empty: there is nothing to check'],
    ['no known format', '{"a":1}\n', 'cannot tell which protocol'],
    ['much of no known format', '{"a":1}\n'.repeat(100), 'cannot tell which protocol'],
    [
      'a format without rules',
      '{"run":"r","id":"1","seq":1,"kind":"text.delta","data":{"text":""}}\n',
      'is read as envelope, for which there are no rules; runproof status judges it',
    ],
  ])('%s', async (_, stdin, message) => {
    const { exitCode, stdout, stderr } = await runproof(['check', '-'], { stdin })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  it('may be told its format, of those that have rules', async () => {
    const { exitCode, stderr } = await runproof(['check', late, '--from', 'gemini'])
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      'runproof: --from gemini has no rules; choose one of: acp, session, recording\n',
    )
  })

  it('takes at least one file', async () => {
    const { exitCode, stderr } = await runproof(['check'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain("missing required argument 'file'")
  })
})
