import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeId, findSession, listSessions, sessionFile } from '@runproof/session-log/node'
import { fixtureText } from '../logs.ts'
import { makeFolder } from './folder.ts'

describe('paths', () => {
  it.each([
    ['/work/tea shop', 'abc-1', '--work-tea~0020shop--/abc-1'],
    ['C:\\tea\\pot', 'A b', '--C-tea-pot--/~0041~0020b'],
    ['/', '../x', '----/~002e~002e~002fx'],
    ['/höhe', 'ß', '--h~00f6he--/~00df'],
  ])('of a session in %s called %s', (cwd, id, path) => {
    expect(sessionFile({ root: '/r', cwd, id })).toBe(join('/r', path, 'session.jsonl'))
  })

  it('keep within the limits of a file name', () => {
    const path = sessionFile({ root: '/r', cwd: `/${'very/'.repeat(200)}end`, id: 'x' })
    const folder = path.split('/')[2] ?? ''
    expect(folder.length).toBeLessThan(130)
    expect(folder).toMatch(/-very-end--$/)
  })

  it('of two ids are never the same, whatever the case folding', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
        expect(encodeId(a).toLowerCase() === encodeId(b).toLowerCase()).toBe(a === b)
        expect(encodeId(a)).toMatch(/^[a-z0-9_~-]+$/)
      }),
    )
    expect(() => encodeId('')).toThrow(TypeError)
  })
})

/** Puts a log where a session of this id has it. */
function place(root: string, id: string, text: string, cwd = '/tmp/kitchen'): string {
  const file = sessionFile({ root, cwd, id })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

describe('listing', () => {
  it('gives header, first prompt and last change, the newest first', async () => {
    const root = makeFolder()
    const old = place(root, 'old', fixtureText('compacted'))
    const young = place(root, 'young', fixtureText('two-turns'), '/tmp/cellar')
    utimesSync(old, 100, 100)
    utimesSync(young, 200, 200)
    const { sessions, bad } = await listSessions(root)
    expect(bad).toEqual([])
    expect(sessions).toMatchObject([
      {
        file: young,
        updatedAt: 200_000,
        firstPrompt: 'How long should the tea steep? Look in steep.txt.',
        header: { cwd: '/tmp/rp-kitchen' },
      },
      { file: old, updatedAt: 100_000, firstPrompt: 'One.' },
    ])
  })

  it('survives bad logs and names them', async () => {
    const root = makeFolder()
    const good = place(root, 'good', fixtureText('next-generation-header'))
    const newer = place(root, 'newer', '{"type":"session","version":3,"id":"n","createdAt":1}\n')
    const noise = place(root, 'noise', 'hello\n')
    const half = place(root, 'half', `${fixtureText('compacted').split('\n')[0]}\nnot an event\n`)
    place(root, 'unborn', '')
    mkdirSync(sessionFile({ root, cwd: '/x', id: 'folder' }), { recursive: true })
    mkdirSync(join(root, 'empty'))
    writeFileSync(join(root, 'stray.txt'), 'not a folder')
    const { sessions, bad } = await listSessions(root)
    // A log with a sound header is listed; opening it tells the rest.
    expect(new Map(sessions.map(({ file, firstPrompt }) => [file, firstPrompt]))).toEqual(
      new Map([
        [good, null],
        [half, null],
      ]),
    )
    expect(new Map(bad.map(({ file, code }) => [file, code]))).toEqual(
      new Map([
        [noise, 'bad-header'],
        [sessionFile({ root, cwd: '/x', id: 'folder' }), 'io'],
        [newer, 'newer-version'],
      ]),
    )
  })

  it.skipIf(process.getuid?.() === 0)(
    'survives a folder it may not read (not as root)',
    async () => {
      const root = makeFolder()
      const file = place(root, 'closed', fixtureText('compacted'))
      chmodSync(dirname(dirname(file)), 0)
      expect((await listSessions(root)).bad).toMatchObject([{ code: 'io' }])
      chmodSync(dirname(dirname(file)), 0o755)
    },
  )

  it('of a root that is not there is empty; a root that is no folder is an error', async () => {
    const root = makeFolder()
    expect(await listSessions(join(root, 'none'))).toEqual({ sessions: [], bad: [] })
    writeFileSync(join(root, 'file'), '')
    await expect(listSessions(join(root, 'file'))).rejects.toThrow(/ENOTDIR/)
  })

  it('finds a session by its id under any cwd', async () => {
    const root = makeFolder()
    const file = place(root, 'here', fixtureText('compacted'))
    expect(await findSession(root, 'here')).toBe(file)
    expect(await findSession(root, 'there')).toBeUndefined()
  })
})
