import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadReplayScript, parseOverride, ReplayError } from '@runproof/replay'
import type { ReplayScript } from '@runproof/replay'
import { fixtureFile, fixtureScript } from './scenarios.ts'

const text = (path: string): string => readFileSync(fixtureFile(path), 'utf8')
const log = (name: string): { file: string; text: string } => ({
  file: `scenarios/${name}/session.jsonl`,
  text: text(`${name}/session.jsonl`),
})
const override = (value: unknown): { file: string; text: string } => ({
  file: 'over.json',
  text: JSON.stringify(value),
})
const hang = { kind: 'hang' }
const stop = { type: 'finish', reason: { kind: 'stop' } }

describe('an override document', () => {
  it.each([
    ['[0].kind is "sleep"', [{ kind: 'sleep' }]],
    ['[0] is not an object', [7]],
    ['[1] has an unknown key "chunk"', [hang, { kind: 'hang', chunk: [] }]],
    ['[0] has no "chunks"', [{ kind: 'chunks' }]],
    ['[0].chunks is not a list of chunks', [{ kind: 'chunks', chunks: {} }]],
    ['[0].chunks[1] no chunk has this shape', [{ kind: 'chunks', chunks: [stop, { type: 'x' }] }]],
    ['[0] has no "code"', [{ kind: 'throw', chunks: [], message: 'm' }]],
    ['[0].code is not one of AUTH', [{ kind: 'throw', chunks: [], message: 'm', code: 'OOPS' }]],
    ['[0].message is not a text', [{ kind: 'throw', chunks: [], message: 1, code: 'AUTH' }]],
    ['[0].status is not', [{ kind: 'throw', chunks: [], message: '', code: 'AUTH', status: '4' }]],
    ['[0].readyFile is not a text', [{ kind: 'hang', readyFile: 1 }]],
    ['the document is neither a list nor an object', 'hang'],
    ['the document has no "patches"', {}],
    ['the document has an unknown key "patch"', { patches: [], patch: [] }],
    ['patches is not a list', { patches: {} }],
    ['patches[0] is not an object', { patches: [1] }],
    ['patches[0] has an unknown key "note"', { patches: [{ at: 0, entry: hang, note: '' }] }],
    ['patches[0].at is not the number of a call', { patches: [{ at: -1, entry: hang }] }],
    ['patches[0].entry is not an object', { patches: [{ at: 0 }] }],
    ['patches[0].entry.kind', { patches: [{ at: 0, entry: { kind: 'x' } }] }],
  ])('is refused: %s', (message, value) => {
    const parse = () => parseOverride(JSON.stringify(value), 'over.json')
    expect(parse).toThrow(ReplayError)
    expect(parse).toThrow(`over.json: `)
    expect(parse).toThrow(message)
  })

  it('is refused when it is not JSON', () => {
    expect(() => parseOverride('[', 'over.json')).toThrow(/over\.json: not JSON/)
  })

  it('may break a stream on purpose, and names HTTP statuses without a code of their own', () => {
    const entries = [
      { kind: 'chunks', chunks: [stop, stop] },
      { kind: 'throw', chunks: [], message: 'teapot', code: 'HTTP_418', status: 418 },
      { kind: 'hang', chunks: [], readyFile: 'ready' },
    ]
    expect(parseOverride(JSON.stringify(entries), 'over.json')).toEqual({
      kind: 'replace',
      entries,
    })
  })
})

function patchedAt(at: number): ReplayScript {
  return loadReplayScript(log('kitchen'), override({ patches: [{ at, entry: hang }] }))
}

describe('loading', () => {
  it('refuses an unfinished call and says which file would settle it', () => {
    expect(() => loadReplayScript(log('hang'))).toThrow(
      expect.objectContaining({
        code: 'unfinished-call',
        call: 0,
        file: 'scenarios/hang/session.jsonl',
        message: expect.stringMatching(
          /turn 1, step 1.*\nWrite scenarios\/hang\/replay\.override\.json, for example \{"patches"/,
        ),
      }),
    )
  })

  it('takes a patch for it, or a whole script', () => {
    const patched = loadReplayScript(log('hang'), override({ patches: [{ at: 0, entry: hang }] }))
    expect(patched.entries.map(({ kind }) => kind)).toEqual(['hang', 'chunks'])
    expect(patched.isAligned).toBe(true)
    const replaced = loadReplayScript(log('hang'), override([hang]))
    expect(replaced.entries).toEqual([hang])
    expect(replaced.isAligned).toBe(false)
  })

  it('lets a patch append a call, and nothing beyond', () => {
    expect(patchedAt(3).entries).toHaveLength(4)
    expect(() => patchedAt(4)).toThrow('over.json: patches[0].at is 4, but the script has 3 calls')
  })

  it('does not let a patch elsewhere cover for an unfinished call', () => {
    const elsewhere = override({ patches: [{ at: 1, entry: hang }] })
    expect(() => loadReplayScript(log('hang'), elsewhere)).toThrow(/turn 1, step 1/)
  })

  it.each([
    [
      'a log that the reader refuses',
      'not a log\n',
      /line 1: not a session header.*record scenarios\/x/,
    ],
    ['an empty log', '', /never began/],
    [
      'a log that breaks off',
      `${text('kitchen/session.jsonl')}{"type`,
      /line 37: the log breaks off/,
    ],
    [
      'chunks of no known shape',
      text('kitchen/session.jsonl').replace(
        '"finish","reason":{"kind"',
        '"finish","reason":{"kin"',
      ),
      /chunk 4: no chunk has this shape/,
    ],
  ])('refuses %s', (_name, logText, message) => {
    const load = () => loadReplayScript({ file: 'scenarios/x/session.jsonl', text: logText })
    expect(load).toThrow(expect.objectContaining({ code: 'bad-log' }))
    expect(load).toThrow(message)
  })

  it('serves a forked session only what it did itself', () => {
    const forked = text('kitchen/session.jsonl').replace('"cwd"', '"seedLength":30,"cwd"')
    const script = loadReplayScript({ file: 'fork.jsonl', text: forked })
    expect(script.recorded.map(({ turn }) => turn)).toEqual([2])
  })

  it('finds the override beside the log', () => {
    expect(fixtureScript('throw-first').entries.map(({ kind }) => kind)).toEqual([
      'throw',
      'chunks',
      'throw',
    ])
  })
})
