import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compareWorkspace } from '../../src/run/workspace.ts'

type Files = Record<string, string | Uint8Array>

function folderOf(files: Files): string {
  const root = mkdtempSync(join(tmpdir(), 'workspace-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (typeof content === 'string' && content.startsWith('->')) {
      symlinkSync(content.slice(2), join(root, path))
    } else writeFileSync(join(root, path), content)
  }
  return root
}

describe('compareWorkspace', () => {
  it.each<[string, Files, Files, string[]]>([
    ['equal files', { a: '1', 'b/c': '2' }, { a: '1', 'b/c': '2' }, []],
    [
      'an empty folder',
      { a: '1' },
      { a: '1', 'empty/.keep': '' },
      ['empty/.keep is there and should not be'],
    ],
    ['a missing file', { a: '1', b: '2' }, { a: '1' }, ['b is missing']],
    ['other contents', { a: 'one' }, { a: 'two!' }, ['a has other contents (4 bytes, expected 3)']],
    [
      'bytes that are no text',
      { a: new Uint8Array([0xff, 1]) },
      { a: new Uint8Array([0xff, 2]) },
      ['a has other contents (2 bytes, expected 2)'],
    ],
    [
      'a link for a file',
      { a: 'x' },
      { a: '->b' },
      ['a has other contents (18 bytes, expected 1)'],
    ],
    [
      'a link to elsewhere',
      { a: '->b' },
      { a: '->c' },
      ['a has other contents (18 bytes, expected 18)'],
    ],
    ['the same link', { a: '->b' }, { a: '->b' }, []],
  ])('%s', async (_what, expected, actual, summaries) => {
    const changes = await compareWorkspace(folderOf(expected), folderOf(actual))
    expect(changes.map(({ summary }) => summary)).toEqual(summaries)
  })
})
