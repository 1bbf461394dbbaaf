import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { harvestLogs, isSessionLog, parseLog } from '../../src/run/harvest.ts'

const header = (id: string, createdAt: number, parentSession?: string): string =>
  `${JSON.stringify({ type: 'session', version: 0, id, createdAt, parentSession })}\n`

function folderOf(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'harvest-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

describe('harvestLogs', () => {
  it('finds logs at any depth: top sessions first, then children, by time, then id', async () => {
    const logs = await harvestLogs(
      folderOf({
        '--work--/a/session.jsonl': header('child-2', 30, 'top-1'),
        '--work--/b/session.jsonl': header('top-1', 20),
        '--work--/c/session.jsonl': header('child-1', 25, 'top-1'),
        'z.jsonl': header('top-0', 10),
        'y.jsonl': header('child-0', 25, 'top-1'),
        'session.lock': '',
        'notes.txt': 'not a log',
      }),
    )
    expect(logs.map((log) => log.header?.['id'])).toEqual([
      'top-0',
      'top-1',
      'child-0',
      'child-1',
      'child-2',
    ])
  })

  it('is empty when nothing was persisted', async () => {
    expect(await harvestLogs(folderOf({}))).toEqual([])
  })
})

describe('parseLog', () => {
  it.each([
    ['whole lines', 'a\nb\n', ['a', 'b']],
    ['a last line without its end', 'a\nb', ['a', 'b']],
    ['nothing', '', []],
  ])('%s', (_what, text, lines) => {
    const log = parseLog(text)
    expect(log.lines).toEqual(lines)
    expect(log.header).toBe(null)
    expect(isSessionLog(log)).toBe(false)
  })

  it('has the header of a session', () => {
    expect(isSessionLog(parseLog(header('x', 1)))).toBe(true)
  })
})
