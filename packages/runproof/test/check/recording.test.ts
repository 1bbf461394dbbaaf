/** The rules P1–P5 over recordings, sound and spoiled. */
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { check, fixture } from './check.ts'

const file = fixture('recording/valid/tool-round.openai-chat.jsonl')
const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
const find = (type: string, from = 0): number =>
  lines.findIndex((line, index) => index >= from && line.startsWith(`{"type":"${type}"`))
const at = {
  blob: find('blob'),
  reference: lines.findIndex((line) => line.includes('"$blob"')),
  request: find('exchange/request'),
  response: find('exchange/response'),
  event: find('exchange/event'),
  end: find('exchange/end'),
}

const without = (index: number): string[] => lines.toSpliced(index, 1)
const changed = (index: number, from: string | RegExp, to: string): string[] =>
  lines.with(index, (lines[index] ?? '').replace(from, to))

type Case = [name: string, lines: string[], rule: string, severity: string, line: number]

const cases: Case[] = [
  ['no header', without(0), 'P1', 'error', 1],
  ['a byte order mark', lines.with(0, `\uFEFF${lines[0]}`), 'P1', 'error', 1],
  ['a version from the future', changed(0, '"version":1', '"version":2'), 'P1', 'error', 1],
  ['a torn line', changed(at.event, /.{5}$/, ''), 'P1', 'error', at.event + 1],
  ['a type from the future', changed(at.event, '/event', '/smell'), 'P1', 'error', at.event + 1],
  ['a lost response', without(at.response), 'P2', 'error', at.response + 1],
  ['a lost end', without(at.end), 'P2', 'error', at.request + 1],
  [
    'a response twice',
    lines.toSpliced(at.response, 0, lines[at.response] ?? ''),
    'P2',
    'error',
    at.response + 2,
  ],
  ['a lost blob', without(at.blob), 'P3', 'error', at.reference],
  ['a changed blob', changed(at.blob, '"value":', '"value":0,"was":'), 'P3', 'error', at.blob + 1],
  [
    'a changed request',
    changed(at.request, '"stream":true', '"stream":false'),
    'P4',
    'warning',
    at.request + 1,
  ],
  ['a lost end of the stream', without(at.end - 1), 'P5', 'warning', at.request + 1],
]

describe('check --from recording', () => {
  it.each(cases)('finds %s', async (_, spoiled, rule, severity, line) => {
    expect(spoiled).not.toEqual(lines)
    const stdin = `${spoiled.join('\n')}\n`
    const { violations, exitCode } = await check(['-', '--from', 'recording'], { stdin })
    expect(violations[0]).toMatchObject({ rule, severity, line })
    expect(exitCode).toBe(severity === 'error' ? 1 : 0)
  })

  it('finds nothing in sound ones, and says what it could not see', async () => {
    const folder = fixture('recording/valid')
    const files = readdirSync(folder).map((name) => `${folder}/${name}`)
    const { violations, reports } = await check(files)
    expect(violations).toEqual([])
    expect(reports).toHaveLength(files.length)
    for (const { from, rules } of reports) {
      expect(from).toBe('recording')
      expect(Object.values(rules)).not.toContain('violated')
    }
    expect(reports.find((one) => one.file === file)?.rules).toEqual({
      P1: 'held',
      P2: 'held',
      P3: 'held',
      P4: 'held',
      P5: 'held',
    })
  })

  it('judges nothing behind a header that is none', async () => {
    const { reports } = await check(['-', '--from', 'recording'], { stdin: '{}\n{}\n' })
    expect(reports[0]?.rules).toMatchObject({ P1: 'violated', P2: 'not-evaluated' })
    expect(reports[0]?.errors).toBe(1)
  })
})
