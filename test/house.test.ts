/**
 * The plan of the house as a test: which rooms there are, what each lets in and
 * out, which way imports may point, and how long a file may be. A failure here
 * is a decision to take, not a number to raise.
 */
import { globSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** A room: its floor, its entries, and what it may install (its own packages first). */
type Room = {
  name: string
  floor: number
  entries: string[]
  dependencies: string[]
  /** Optional peers: a face for another tool, which brings it. */
  peers?: string[]
}

const rooms: Record<string, Room> = {
  sse: { name: '@runproof/sse', floor: 0, entries: ['.', './stream'], dependencies: [] },
  progress: {
    name: '@runproof/progress',
    floor: 0,
    entries: ['.', './acp', './openai-agents', './session'],
    dependencies: ['@noble/hashes'],
  },
  llm: {
    name: '@runproof/llm',
    floor: 0,
    entries: ['.', './contract', './wire/*'],
    dependencies: [],
  },
  'session-log': {
    name: '@runproof/session-log',
    floor: 1,
    entries: ['.', './node'],
    dependencies: ['@runproof/llm'],
  },
  replay: {
    name: '@runproof/replay',
    floor: 1,
    entries: ['.', './emulator', './llm-replay', './recorder', './redact'],
    dependencies: [
      '@runproof/llm',
      '@runproof/session-log',
      '@runproof/sse',
      '@secretlint/secretlint-rule-preset-recommend',
      '@secretlint/types',
      'canonicalize',
      'diff',
    ],
  },
  agent: {
    name: '@runproof/agent',
    floor: 2,
    entries: ['.', './cordis.snapshot.yml', './cordis.yml', './plugins/*'],
    dependencies: [
      '@runproof/llm',
      '@runproof/replay',
      '@runproof/session-log',
      '@runproof/sse',
      '@agentclientprotocol/sdk',
      '@deepseek-ai/cordis',
      '@deepseek-ai/cordis-plugin-include',
      '@deepseek-ai/cordis-plugin-loader',
      'js-yaml',
      'zod',
    ],
  },
  runproof: {
    name: 'runproof',
    floor: 3,
    entries: ['.', './vitest'],
    dependencies: [
      '@runproof/llm',
      '@runproof/progress',
      '@runproof/replay',
      '@runproof/session-log',
      '@runproof/sse',
      '@clack/prompts',
      'ajv',
      'cli-progress',
      'commander',
      'diff',
      'fast-wrap-ansi',
      'js-yaml',
      'jsonc-parser',
      'picocolors',
      'tree-kill',
      'zod',
    ],
    peers: ['vitest'],
  },
}

/** Rooms whose sources must run in browsers and workers too. */
const browserRooms = ['sse', 'progress', 'llm']

const linesMax = 600
const linesWithoutReasonMax = 400

const sources = (room: string): string[] =>
  globSync('src/**/*.ts', { cwd: join(root, 'packages', room) }).map((file) =>
    join('packages', room, file),
  )
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Module names that a source file imports, types included. */
function importsOf(file: string): string[] {
  const pattern = /(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g
  return [...read(file).matchAll(pattern)].map((match) => match[1] ?? '')
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** The keys of an object in a manifest, sorted. */
function keysOf(manifest: unknown, field: string): string[] {
  const value: unknown = Object(manifest)[field]
  return Object.keys(Object(value)).toSorted()
}

describe('the house', () => {
  it('has exactly the planned rooms', () => {
    expect(readdirSync(join(root, 'packages')).toSorted()).toEqual(Object.keys(rooms).toSorted())
  })

  describe.each(Object.entries(rooms))('%s', (room, plan) => {
    const manifest: unknown = JSON.parse(read(`packages/${room}/package.json`))

    it('has the planned name, entries and dependencies', () => {
      expect(manifest).toMatchObject({ name: plan.name, type: 'module', license: 'Apache-2.0' })
      expect(keysOf(manifest, 'exports')).toEqual(plan.entries.toSorted())
      expect(keysOf(manifest, 'dependencies')).toEqual(plan.dependencies.toSorted())
      expect(read(`packages/${room}/LICENSE`)).toBe(read('LICENSE'))
    })

    it('imports what it declares, and only downwards', () => {
      const floorOf = new Map(Object.values(rooms).map(({ name, floor }) => [name, floor]))
      const wrong: string[] = []
      for (const file of sources(room)) {
        for (const specifier of importsOf(file)) {
          if (specifier.startsWith('.')) {
            const target = relative(`packages/${room}/src`, join(dirname(file), specifier))
            if (target.startsWith('..')) wrong.push(`${file} reaches out of its room: ${specifier}`)
            continue
          }
          if (specifier.startsWith('node:')) {
            if (browserRooms.includes(room)) wrong.push(`${file} needs Node: ${specifier}`)
            continue
          }
          const name = packageOf(specifier)
          const declared = [...plan.dependencies, ...(plan.peers ?? [])]
          if (!declared.includes(name)) wrong.push(`${file} imports undeclared ${name}`)
          const floor = floorOf.get(name)
          if (floor !== undefined && (floor > plan.floor || (floor === 0 && plan.floor === 0))) {
            wrong.push(`${file} looks up or sideways to ${name}`)
          }
        }
      }
      expect(wrong).toEqual([])
    })

    it('has no file that is too long', () => {
      const wrong = sources(room).flatMap((file) => {
        const text = read(file)
        const lines = text.split('\n').length
        const hasReason = /\bLength:/.test(text.split('\n').slice(0, 40).join('\n'))
        if (lines > linesMax) return [`${file}: ${lines} lines, more than ${linesMax}`]
        if (lines > linesWithoutReasonMax && !hasReason) {
          return [`${file}: ${lines} lines; say why in its head ("Length: …") or split it`]
        }
        return []
      })
      expect(wrong).toEqual([])
    })

    it('names its files in kebab-case and has no catch-all', () => {
      const wrong = sources(room).filter(
        (file) =>
          !/^packages\/[a-z-]+\/src\/(?:[a-z0-9-]+\/)*[a-z0-9-]+\.ts$/.test(file) ||
          /\/(?:utils?|helpers?|common|misc|types)(?:\/|\.ts$)/.test(file),
      )
      expect(wrong).toEqual([])
    })
  })

  it('keeps clocks, randomness, timers and processes out of the pure rooms', () => {
    const impure =
      /\b(?:Date\.now|new Date\(|Math\.random|setTimeout|setInterval|crypto\.randomUUID|process\.)/
    const wrong = ['sse', 'progress', 'llm'].flatMap(sources).filter((file) => {
      const code = read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      return impure.test(code)
    })
    expect(wrong).toEqual([])
  })
})
