/**
 * Documents are tested: links lead somewhere, TypeScript blocks compile against
 * the packages as they are, and files meet the schemas of their formats.
 */
import { Ajv, type ValidateFunction } from 'ajv'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const documents = globSync(
  ['*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/**/*.md', 'scenarios/**/*.md'],
  { cwd: root, exclude: (name) => name === 'node_modules' },
).toSorted()

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '')

describe('documents', () => {
  it.each(documents)('%s has no dead link', (document) => {
    const dead = [...withoutCode(read(document)).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(join(root, dirname(document), target)))
    expect(dead).toEqual([])
  })

  it('show TypeScript that compiles', () => {
    const folder = join(root, 'node_modules', '.cache', 'docs')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    let count = 0
    for (const document of documents) {
      for (const [, code = ''] of read(document).matchAll(/^```ts\n([\s\S]*?)^```/gm)) {
        count++
        const name = `${document.replaceAll(/[^a-zA-Z0-9]+/g, '-')}-${count}.ts`
        writeFileSync(join(folder, name), `${code}\nexport {}\n`)
      }
    }
    expect(count).toBeGreaterThan(3)
    const config = {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: {
        noEmit: true,
        composite: false,
        isolatedDeclarations: false,
        rewriteRelativeImportExtensions: false,
        lib: ['es2024', 'dom'],
        types: ['node'],
        typeRoots: [join(root, 'node_modules', '@types')],
      },
      include: ['*.ts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const { stdout } = spawnSync('tsc', ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})

describe('what a user is told', () => {
  /** Whatever is no comment: the packages bring no documents along. */
  const told = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line))
      .map((line, index) => ({ file, line, index })),
  )

  it('names no document that only this repository has', () => {
    expect(told.length).toBeGreaterThan(10_000)
    expect(told.filter(({ line }) => /\bdocs\/\w/.test(line))).toEqual([])
  })
})

describe('formats', () => {
  const schema = (name: string): ValidateFunction =>
    new Ajv({ strict: false }).compile(JSON.parse(read(`docs/formats/${name}.schema.json`)))

  it('progress-envelope: the shipped log fits, and what the text forbids does not', () => {
    const validate = schema('progress-envelope')
    const lines = globSync('fixtures/progress/*.jsonl', { cwd: root }).flatMap((file) =>
      read(file).trimEnd().split('\n'),
    )
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter((line) => !validate(JSON.parse(line)))).toEqual([])
    const good = { run: 'r', id: 'a', seq: 1, kind: 'text.delta', data: { text: 'x' } }
    expect(validate(good)).toBe(true)
    for (const bad of [
      { ...good, extra: 1 },
      { ...good, seq: 0 },
      { ...good, seq: 1.5 },
      { ...good, id: '' },
      { ...good, data: { text: 1 } },
      { ...good, data: { text: 'x', more: 1 } },
      { ...good, kind: 'run.ended', data: { outcome: 'finished', final_text: null } },
      { ...good, kind: 'app.checked', data: { digest: 'abc', ok: true } },
    ]) {
      expect(validate(bad), JSON.stringify(bad)).toBe(false)
    }
  })

  it('status-output: what the built command prints fits', () => {
    const validate = schema('status-output')
    const bin = join(root, 'packages', 'runproof', 'bin', 'runproof.js')
    const args = [bin, 'status', 'fixtures/progress/cases.json', 'all', '--json']
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(20)
    expect(lines.filter((line) => !validate(JSON.parse(line)))).toEqual([])
  })
})
