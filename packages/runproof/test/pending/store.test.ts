import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareLines } from '../../src/compare/compare.ts'
import type { Difference } from '../../src/compare/difference.ts'
import { writeAtomically } from '../../src/pending/atomic.ts'
import { digestInputs, type Inputs } from '../../src/pending/inputs.ts'
import { createPendingStore } from '../../src/pending/store.ts'
import { writerOf } from '../../src/pending/writable.ts'
import { createFolder } from './folder.ts'

function differenceOf(scenario: string, file: string): Difference {
  const difference = compareLines({ scenario, file, expected: ['{"a":1}'], actual: ['{"a":2}'] })
  if (difference === null) throw new Error('no difference')
  return difference
}

const stdout = 'stdout.golden.jsonl'
const none: Inputs = { folder: 'nowhere', digests: {} }
const differing = differenceOf('demo/one', stdout)

async function createScene() {
  const root = await createFolder()
  const golden = join(root, 'scenarios', 'one', stdout)
  await mkdir(join(golden, '..'), { recursive: true })
  await writeFile(golden, '{"a":1}\n')
  return { root, golden, store: createPendingStore(root) }
}

describe('the store of pending differences', () => {
  it('gives back what was written, by key, and ignores itself in git', async () => {
    const { root, golden, store } = await createScene()
    expect(await store.list()).toEqual({ pending: [], problems: [] })
    await store.write(differenceOf('demo/two', stdout), '{"a":2}\n', golden, none)
    await store.write(differing, '{"a":2}\n', golden, none)
    await store.write(differing, '{"a":2}\n', 'scenarios/one/stdout.golden.jsonl', none)
    const { pending, problems } = await store.list()
    expect(problems).toEqual([])
    expect(pending).toMatchObject([
      { key: 'demo/one/stdout.golden.jsonl' },
      { key: 'demo/two/stdout.golden.jsonl' },
    ])
    expect(pending[0]).toEqual({
      key: 'demo/one/stdout.golden.jsonl',
      difference: differing,
      goldenPath: golden,
      actualText: '{"a":2}\n',
    })
    expect(await readFile(join(root, '.runproof', '.gitignore'), 'utf8')).toBe('*\n')
    expect(await readFile(golden, 'utf8')).toBe('{"a":1}\n')
  })

  it('accepts: writes the golden and forgets the difference', async () => {
    const { root, golden, store } = await createScene()
    await store.write(differing, '{"a":2}\n', golden, none)
    expect(await store.accept('demo/one/stdout.golden.jsonl')).toEqual({
      accepted: true,
      path: golden,
    })
    expect(await readFile(golden, 'utf8')).toBe('{"a":2}\n')
    expect((await store.list()).pending).toEqual([])
    const left = await readdir(root, { recursive: true })
    expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('accepts a golden that is new', async () => {
    const { root, store } = await createScene()
    const path = join(root, 'scenarios', 'new', stdout)
    const difference = compareLines({
      scenario: 'new',
      file: stdout,
      expected: null,
      actual: ['{}'],
    })
    if (difference === null) throw new Error('no difference')
    await mkdir(dirname(path))
    await store.write(difference, '{}\n', path, none)
    expect(await store.accept(`new/${stdout}`)).toEqual({ accepted: true, path })
    expect(await readFile(path, 'utf8')).toBe('{}\n')
  })

  it('never writes what a replay reads', async () => {
    const { root, store } = await createScene()
    const log = join(root, 'scenarios', 'one', 'session.jsonl')
    await writeFile(log, 'recorded\n')
    await store.write(differenceOf('demo/one', 'session.jsonl'), 'replayed\n', log, none)
    const outcome = await store.accept('demo/one/session.jsonl')
    expect(outcome).toEqual({
      accepted: false,
      reason:
        'session.jsonl is what the replay reads, so it is never accepted from a replay; if the change is meant, run: runproof record demo/one',
    })
    expect(await readFile(log, 'utf8')).toBe('recorded\n')
    expect((await store.list()).pending).toHaveLength(1)
  })

  it('writes neither outside of the project nor over what is write-protected', async () => {
    const { root, golden, store } = await createScene()
    const elsewhere = join(await createFolder(), stdout)
    await writeFile(elsewhere, '{"a":1}\n')
    await store.write(differing, '{"a":2}\n', elsewhere, none)
    expect(await store.accept('demo/one/stdout.golden.jsonl')).toMatchObject({
      accepted: false,
      reason: expect.stringContaining('lies outside of this project'),
    })
    await symlink(dirname(elsewhere), join(root, 'scenarios', 'linked'))
    await store.write(differing, '{"a":2}\n', join(root, 'scenarios', 'linked', stdout), none)
    expect(await store.accept('demo/one/stdout.golden.jsonl')).toMatchObject({ accepted: false })
    expect(await readFile(elsewhere, 'utf8')).toBe('{"a":1}\n')
    await chmod(golden, 0o444)
    await store.write(differing, '{"a":2}\n', golden, none)
    expect(await store.accept('demo/one/stdout.golden.jsonl')).toMatchObject({
      accepted: false,
      reason: `${golden} is write-protected; if the change is meant, make it writable first`,
    })
    expect(await readFile(golden, 'utf8')).toBe('{"a":1}\n')
    expect((await readdir(root)).toSorted()).toEqual(['.runproof', 'scenarios'])
  })

  it('refuses a golden that has changed since, and an output that was not produced', async () => {
    const { golden, store } = await createScene()
    await store.write(differing, '{"a":2}\n', golden, none)
    await writeFile(golden, '{"a":3}\n')
    expect(await store.accept('demo/one/stdout.golden.jsonl')).toEqual({
      accepted: false,
      reason: 'stdout.golden.jsonl has changed since the run; run: runproof test demo/one',
    })
    await store.write(differing, null, golden, none)
    expect(await store.accept('demo/one/stdout.golden.jsonl')).toMatchObject({
      accepted: false,
      reason: 'the run produced no stdout.golden.jsonl; if that is meant, delete the file',
    })
    expect(await readFile(golden, 'utf8')).toBe('{"a":3}\n')
    expect(await store.accept('no/such')).toEqual({
      accepted: false,
      reason: 'there is no pending difference no/such; runproof review --list shows them',
    })
  })

  it('lets two scenarios accept the same text of a file that both are compared with', async () => {
    const { root, store } = await createScene()
    const pin = join(root, 'scenarios', 'one', 'system-prompt.golden.md')
    await writeFile(pin, 'old\n')
    await store.write(differenceOf('demo/one', 'system-prompt.golden.md'), 'new\n', pin, none)
    await store.write(
      differenceOf('demo/two', 'system-prompt.golden.md of one'),
      'new\n',
      pin,
      none,
    )
    await store.write(
      differenceOf('demo/six', 'system-prompt.golden.md of one'),
      'else\n',
      pin,
      none,
    )
    expect(await store.accept('demo/one/system-prompt.golden.md')).toMatchObject({ accepted: true })
    expect(await store.accept('demo/two/system-prompt.golden.md of one')).toEqual({
      accepted: true,
      path: pin,
    })
    expect(await store.accept('demo/six/system-prompt.golden.md of one')).toMatchObject({
      accepted: false,
      reason: expect.stringContaining('has changed since the run'),
    })
    expect(await readFile(pin, 'utf8')).toBe('new\n')
    expect(await readdir(dirname(pin))).toEqual([stdout, 'system-prompt.golden.md'])
  })

  it('refuses a folder that is gone, also behind a link', async () => {
    const { root, golden, store } = await createScene()
    const elsewhere = await createFolder()
    await store.write(differing, '{"a":2}\n', golden, none)
    await rm(dirname(golden), { recursive: true })
    const reason: unknown = expect.stringContaining('is not there any more')
    const outcome = { accepted: false, reason }
    expect(await store.accept('demo/one/stdout.golden.jsonl')).toMatchObject(outcome)
    await symlink(elsewhere, join(root, 'scenarios', 'one'))
    await store.write(
      differing,
      '{"a":2}\n',
      join(root, 'scenarios', 'one', 'deeper', stdout),
      none,
    )
    expect(await store.accept('demo/one/stdout.golden.jsonl')).toMatchObject(outcome)
    expect(await readdir(elsewhere)).toEqual([])
  })

  it('takes no difference that is under the name of another one, or about another file', async () => {
    const { root, golden, store } = await createScene()
    await store.write(differing, '{"a":2}\n', golden, none)
    const folder = join(root, '.runproof', 'pending')
    const [name = ''] = await readdir(folder)
    const text = await readFile(join(folder, name), 'utf8')
    await writeFile(join(folder, name.replace('one', 'two')), text)
    await writeFile(
      join(folder, name),
      text.replace('scenarios/one/stdout.golden.jsonl', 'scenarios/one/progress.golden.txt'),
    )
    const { pending, problems } = await store.list()
    expect(pending).toEqual([])
    expect(problems).toHaveLength(2)
    for (const scenario of ['demo/one', 'demo/two']) {
      const outcome = await store.accept(`${scenario}/stdout.golden.jsonl`)
      expect(outcome).toMatchObject({ accepted: false })
    }
    expect(await readdir(dirname(golden))).toEqual([stdout])
    expect(await readFile(golden, 'utf8')).toBe('{"a":1}\n')
  })

  it('leaves to a person what the run must leave', async () => {
    const { golden, store } = await createScene()
    const file = 'workspace.expected/notes.golden.txt'
    await store.write(differenceOf('demo/one', file), 'x', join(dirname(golden), file), none)
    expect(await store.accept(`demo/one/${file}`)).toMatchObject({
      accepted: false,
      reason: expect.stringContaining('nothing but a person writes it'),
    })
    expect(await readdir(dirname(golden))).toEqual([stdout])
  })

  it('rejects and clears', async () => {
    const { golden, store } = await createScene()
    await store.write(differing, 'x', golden, none)
    await store.write(
      differenceOf('demo/one', 'progress.golden.txt'),
      'x',
      'progress.golden.txt',
      none,
    )
    await store.write(differenceOf('demo/two', stdout), 'x', golden, none)
    expect(await store.reject('demo/one/stdout.golden.jsonl')).toBe(true)
    expect(await store.reject('demo/one/stdout.golden.jsonl')).toBe(false)
    await store.clear('demo/one')
    expect((await store.list()).pending.map(({ key }) => key)).toEqual([
      'demo/two/stdout.golden.jsonl',
    ])
    expect(await readFile(golden, 'utf8')).toBe('{"a":1}\n')
  })

  it('names a file that it cannot read and shows the others', async () => {
    const { root, golden, store } = await createScene()
    await store.write(differing, 'x', golden, none)
    const folder = join(root, '.runproof', 'pending')
    await writeFile(join(folder, 'half.json'), '{"version":1,')
    await writeFile(join(folder, 'old.json'), '{"version":0}')
    const { pending, problems } = await store.list()
    expect(pending).toHaveLength(1)
    expect(problems).toEqual([
      '.runproof/pending/half.json is no pending difference; delete it and run runproof test again',
      '.runproof/pending/old.json is no pending difference; delete it and run runproof test again',
    ])
  })

  it('keeps any scenario name within its folder, each in a file of its own', async () => {
    const { root, golden, store } = await createScene()
    const names = [
      '../../x',
      'a/b',
      'a%2Fb',
      'ä*?<>|:"\\',
      `long-${'x'.repeat(300)}`,
      `long-${'x'.repeat(301)}`,
      '\u0000',
      '\ud800',
    ]
    for (const name of names) await store.write(differenceOf(name, stdout), 'x', golden, none)
    expect((await store.list()).pending).toHaveLength(names.length)
    const folder = join(root, '.runproof', 'pending')
    const files = await readdir(folder)
    expect(files).toHaveLength(names.length)
    for (const file of files) expect(file).toMatch(/^[\w.%!'()~-]{1,210}$/)
    expect((await readdir(root)).toSorted()).toEqual(['.runproof', 'scenarios'])
  })

  it('survives a difference with any text in it', async () => {
    const { golden, store } = await createScene()
    const line = fc.string({ unit: 'grapheme', maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 4 }),
        fc.array(line, { maxLength: 4 }),
        async (expected, actual) => {
          const difference = compareLines({ scenario: 's', file: stdout, expected, actual })
          fc.pre(difference !== null)
          if (difference === null) return
          await store.write(difference, actual.join('\n'), golden, none)
          const { pending } = await store.list()
          expect(pending).toMatchObject([{ difference, actualText: actual.join('\n') }])
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('an output that is to be accepted', () => {
  const files = {
    'runproof.yml': 'version: 1',
    'scenarios/one/input.json': '{}',
    'scenarios/one/recording.jsonl': '{}',
    'scenarios/one/session.jsonl': '{}',
    'scenarios/one/session.1.jsonl': '{}',
    'scenarios/one/replay.override.json': '[]',
    'scenarios/one/workspace/src/a.txt': 'a',
    'scenarios/one/workspace.expected/src/a.txt': 'b',
  }
  const put = async (root: string, path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const scene = async () => {
    const made = await createScene()
    for (const [path, text] of Object.entries(files)) await put(made.root, path, text)
    const inputs = await digestInputs(made.root, dirname(made.golden))
    await made.store.write(differing, '{"a":2}\n', made.golden, inputs)
    return made
  }
  const accept = async ({ store }: Awaited<ReturnType<typeof scene>>) =>
    store.accept('demo/one/stdout.golden.jsonl')

  it.each([...Object.keys(files), 'scenarios/one/workspace/new.txt'])(
    'is refused when %s is not as it was',
    async (path) => {
      const made = await scene()
      await put(made.root, path, 'changed')
      const name = path.replace('scenarios/one/', '')
      expect(await accept(made)).toEqual({
        accepted: false,
        reason: `${name} has changed since the run, so its stdout.golden.jsonl may be of something else; run: runproof test demo/one`,
      })
      expect(await readFile(made.golden, 'utf8')).toBe('{"a":1}\n')
    },
  )

  it('is refused when an input is gone', async () => {
    const made = await scene()
    await rm(join(dirname(made.golden), 'replay.override.json'))
    expect(await accept(made)).toMatchObject({ accepted: false })
  })

  it.each(['README.md', 'progress.golden.txt', 'input.json'])(
    'is written when %s was written that changes nothing of the run',
    async (name) => {
      const made = await scene()
      await put(made.root, `scenarios/one/${name}`, '{}')
      expect(await accept(made)).toMatchObject({ accepted: true })
    },
  )
})

describe('writeAtomically', () => {
  it('leaves the old text and no draft when it fails', async () => {
    const folder = await createFolder()
    const path = join(folder, 'taken')
    await mkdir(join(path, 'inside'), { recursive: true })
    await expect(writeAtomically(path, 'new')).rejects.toThrow(/EISDIR|EEXIST|ENOTEMPTY|EPERM/)
    expect(await readdir(folder)).toEqual(['taken'])
  })
})

describe('writerOf', () => {
  it.each<[path: string, writer: ReturnType<typeof writerOf>]>([
    ['/s/stdout.golden.jsonl', 'review'],
    ['C:\\s\\progress.golden.txt', 'review'],
    ['/s/system-prompt.golden.md', 'review'],
    ['/s/session.jsonl', 'record'],
    ['/s/recording.jsonl', 'record'],
    ['/s/replay.override.json', 'record'],
    ['/s.golden.d/session.jsonl', 'record'],
    ['/s/workspace.expected/a.txt', 'person'],
    ['/s/workspace.expected/deep/stdout.golden.jsonl', 'person'],
  ])('%s: %s', (path, writer) => {
    expect(writerOf(path)).toBe(writer)
  })
})
