/**
 * Fixtures that somebody touched: lines deleted, edited, swapped, files cut or
 * removed. Each is refused before the run or reported after it, in a sentence
 * that names the file.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProject, resultsOf } from '../project.ts'
import { ownConfig, ownScenarios } from '../own.ts'

type Change = (lines: string[]) => string[]

const drop =
  (index: number): Change =>
  (lines) =>
    lines.toSpliced(index, 1)
const swap =
  (index: number): Change =>
  (lines) => {
    const [one = '', other = ''] = lines.slice(index, index + 2)
    return lines.toSpliced(index, 2, other, one)
  }
const replace =
  (from: string | RegExp, to: string): Change =>
  (lines) =>
    lines.map((line) => line.replace(from, to))
const cut: Change = (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? '').slice(0, 20)]
const empty: Change = () => []

async function runChanged(file: string, change: Change | null) {
  const project = createProject({ 'runproof.yml': ownConfig })
  const folder = join(project.root, 'scenarios', 'runproof-agent', 'tool-edit')
  cpSync(join(ownScenarios, 'tool-edit'), folder, { recursive: true })
  const input = join(folder, 'input.json')
  const { headerClass: _pinned, ...value } = JSON.parse(readFileSync(input, 'utf8'))
  writeFileSync(input, JSON.stringify(value))
  const path = join(folder, file)
  if (change === null) rmSync(path, { recursive: true })
  else {
    const lines = change(readFileSync(path, 'utf8').trimEnd().split('\n'))
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  }
  const { stdout } = await project.test([], { json: true })
  const [result] = resultsOf(stdout)
  return result ?? expect.unreachable('one scenario gives one result')
}

const log = 'session.jsonl'
const golden = 'stdout.golden.jsonl'
const progress = 'progress.golden.txt'

describe('a touched fixture', () => {
  it.each<[string, string, Change | null]>([
    ['the log is gone', log, null],
    ['the log is empty', log, empty],
    ['the log lost its header', log, drop(0)],
    ['the log lost a chunk', log, drop(6)],
    ['the log lost its end', log, drop(-1)],
    ['the log is torn', log, cut],
    ['two events of the log are swapped', log, swap(5)],
    ['the log is of a newer version', log, replace('"version":0', '"version":1')],
    ['the transcript is empty', golden, empty],
    ['the transcript lost a line', golden, drop(3)],
    ['two lines of the transcript are swapped', golden, swap(4)],
    ['the transcript was edited', golden, replace('"status":"completed"', '"status":"failed"')],
    ['the transcript is torn', golden, cut],
    ['the claims are empty', progress, empty],
    ['a claim was edited', progress, replace('=> done', '=> checking')],
    ['a claim was lost', progress, drop(2)],
    ['the expected workspace was edited', 'workspace.expected/config.ini', replace('RELEASE', 'X')],
    ['the expected workspace is gone', 'workspace.expected', null],
    ['the input is torn', 'input.json', cut],
  ])('%s', async (_what, file, change) => {
    const { passed, failures } = await runChanged(file, change)
    expect(passed).toBe(false)
    expect(failures.length).toBeGreaterThan(0)
    const [name = ''] = file.split('/')
    expect(failures.map(({ message }) => message).join('\n')).toContain(name)
    for (const { message } of failures) expect(message.split('\n')).toHaveLength(1)
  })

  it.each<[string, Change, string[]]>([
    ['another answer', replace(/Done\./g, 'Dome.'), ['claim', golden, progress]],
    [
      'another tool call',
      replace(/RELEASE/g, 'PROD'),
      ['claim', golden, progress, 'workspace.expected/config.ini'],
    ],
  ])(
    'a log edited into %s is another run, and shows in what it leads to',
    async (_what, change, seen) => {
      const { failures } = await runChanged(log, change)
      expect(
        failures.map(({ code, message }) => (code === 'claim' ? code : message.split(':')[0])),
      ).toEqual(seen)
    },
  )
})
