/** A scripted model, placed in the turns of a scenario. */
import { loadReplayScript } from '@runproof/replay'
import { describe, expect, it } from 'vitest'
import { placeScript } from '../../src/record/script.ts'
import type { Step } from '../../src/scenario/step.ts'

const ends = (kind: string): object => ({
  kind: 'chunks',
  chunks: [{ type: 'finish', reason: { kind } }],
})
const [stop, tools] = [ends('stop'), ends('tool-calls')]
const hang = { kind: 'hang', chunks: [] }
const broken = { kind: 'throw', chunks: [], message: 'no', code: 'SERVER' }

const stepsOf = (...prompts: string[]): Step[] => [
  { op: 'initialize' },
  { op: 'newSession' },
  ...prompts.map((text): Step => ({ op: 'prompt', text, accept: [] })),
]

describe('a script', () => {
  it.each<
    [what: string, entries: object[], prompts: string[], places: [turn: number, step: number][]]
  >([
    [
      'of an answer each',
      [stop, stop],
      ['a', 'b'],
      [
        [1, 1],
        [2, 1],
      ],
    ],
    [
      'that calls tools first',
      [tools, tools, stop],
      ['a'],
      [
        [1, 1],
        [1, 2],
        [1, 3],
      ],
    ],
    [
      'that breaks off',
      [tools, broken, stop],
      ['a', 'b'],
      [
        [1, 1],
        [1, 2],
        [2, 1],
      ],
    ],
    [
      'that falls silent',
      [hang, stop],
      ['a', 'b'],
      [
        [1, 1],
        [2, 1],
      ],
    ],
    ['for fewer prompts than there are', [stop], ['a', 'b'], [[1, 1]]],
    ['of nothing', [], ['a'], []],
  ])('%s has its entries in their turns', (_, entries, prompts, places) => {
    const { log, override } = placeScript(JSON.stringify(entries), 'o.json', stepsOf(...prompts))
    const script = loadReplayScript({ file: 's', text: log }, { file: 'o', text: override })
    expect(script.entries).toEqual(entries)
    expect(script.recorded.map(({ turn, step }) => [turn, step])).toEqual(places)
    const said = script.events.flatMap(({ type, data }) => (type === 'user/message' ? [data] : []))
    expect(JSON.stringify(said)).toBe(
      JSON.stringify(
        prompts.slice(0, places.at(-1)?.[0] ?? 0).map((text) => ({
          content: [{ type: 'text', text }],
          source: { kind: 'user' },
        })),
      ),
    )
  })

  it.each<[what: string, text: string, message: RegExp]>([
    ['patches', '{"patches": []}', /^o\.json patches a session log, .* write a list of entries$/],
    [
      'more turns than prompts',
      JSON.stringify([stop, stop]),
      /^o\.json answers 2 prompts, but the scenario has 1;/,
    ],
    ['no JSON', '[', /^o\.json: not JSON/],
    ['no entry', '[{"kind": "sing"}]', /^o\.json: \[0\]\.kind is "sing"/],
  ])('with %s is refused', (_, text, message) => {
    expect(() => placeScript(text, 'o.json', stepsOf('a'))).toThrow(message)
  })
})
