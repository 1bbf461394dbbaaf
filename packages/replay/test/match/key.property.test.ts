import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wireNames } from '@runproof/llm'
import { requestKey } from '@runproof/replay'
import type { RunContext } from '@runproof/replay'
import { requestOf, said } from './requests.ts'
import type { Said } from './requests.ts'

/** What differs between two runs of one program. */
type Run = {
  uuids: string[]
  time: Date
  chunk: string
  seconds: number
  session: string
  folder: string
  meta: string
  context: RunContext
}

const name = fc.stringMatching(/^[a-z]{3,8}[0-9A-Z]{3}$/)

const run: fc.Arbitrary<Run> = fc
  .record({
    uuids: fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 2 }),
    time: fc.date({
      min: new Date('2018-01-01'),
      max: new Date('2048-01-01'),
      noInvalidDate: true,
    }),
    chunk: fc.stringMatching(/^[0-9a-f]{6}$/),
    seconds: fc
      .double({ min: 0, max: 900, noNaN: true })
      .map((value) => Math.round(value * 1000) / 1000),
    session: fc.stringMatching(/^[A-Za-z0-9]{24}$/),
    folder: name,
    meta: fc.string(),
    root: name,
  })
  .map(({ root, ...rest }) => ({
    ...rest,
    context: { cwd: `/tmp/${root}/work`, home: `/tmp/${root}/home`, temp: `/tmp/${root}/tmp` },
  }))

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** The same conversation, as this run would hold it. */
function sayIn({
  uuids: [first, second],
  time,
  chunk,
  seconds,
  session,
  folder,
  meta,
  context,
}: Run): Said {
  const [, month, day, year] = /^\w+ (\w+) (\d+) (\d+)/.exec(time.toDateString()) ?? []
  const longDate = `${weekdays[time.getDay()]}, ${months[time.getMonth()]} ${time.getDate()}, ${time.getFullYear()}`
  return {
    system: [
      said.system,
      `Working folder: ${context.cwd}. Notes in ${context.home}/.agent/projects/${context.cwd?.replaceAll(/[^A-Za-z0-9]/g, '-')}/notes`,
      `Today's date is ${longDate} (by the clock of the user).`,
      `<current_date>${time.toISOString().slice(0, 10)}</current_date>`,
      `Current date: ${time.toDateString().slice(0, 3)} ${month} ${day} ${year}`,
      `session ${first} of ses_${session}`,
    ].join('\n'),
    prompt: `${said.prompt} It is ${time.toISOString()}.`,
    thought: `${said.thought} In ${context.cwd}/notes.`,
    args: { ...said.args, path: `${context.cwd}/notes/carrots.txt` },
    callId: `read_note-${time.getTime()}-0`,
    result: [
      `Chunk ID: ${chunk}`,
      `Wall time: ${seconds} seconds`,
      `wrote /tmp/${folder}/out and ${context.temp}/x`,
      `ids ${first} ${second} ${first}`,
      said.result,
    ].join('\n'),
    schema: said.schema,
    meta,
  }
}

/** Words that are no part of one another, so that changing one changes the text. */
const word = fc.stringMatching(/^[a-z]{3,9}$/)

describe.each(wireNames)('%s', (wire) => {
  const keyOf = (what: Said, context: RunContext = {}): string =>
    requestKey(wire, requestOf(wire, what), context).key

  it('a second run of the same program has the same key', () => {
    fc.assert(
      fc.property(run, run, (one, other) => {
        expect(keyOf(sayIn(other), other.context)).toBe(keyOf(sayIn(one), one.context))
      }),
    )
  })

  it.each<[string, (what: Said, changed: string) => Said]>([
    ['the system prompt', (what, changed) => ({ ...what, system: `${what.system} ${changed}` })],
    ['the prompt', (what, changed) => ({ ...what, prompt: `${what.prompt} ${changed}` })],
    [
      'what the model said',
      (what, changed) => ({ ...what, thought: `${what.thought} ${changed}` }),
    ],
    ['the tool result', (what, changed) => ({ ...what, result: `${what.result} ${changed}` })],
    ['an argument', (what, changed) => ({ ...what, args: { ...what.args, path: changed } })],
    ['the argument id', (what, changed) => ({ ...what, args: { ...what.args, id: changed } })],
    ['the argument user', (what, changed) => ({ ...what, args: { ...what.args, user: changed } })],
    [
      'the argument metadata',
      (what, changed) => ({ ...what, args: { ...what.args, metadata: changed } }),
    ],
    [
      'the tool schema',
      (what, changed) => ({ ...what, schema: { ...what.schema, description: changed } }),
    ],
    [
      'a property id of the tool schema',
      (what, changed) => ({
        ...what,
        schema: { ...what.schema, properties: { id: { title: changed } } },
      }),
    ],
  ])('one changed word in %s is another key', (_place, change) => {
    fc.assert(
      fc.property(run, word, word, (one, before, after) => {
        fc.pre(before !== after)
        const what = sayIn(one)
        expect(keyOf(change(what, before), one.context)).not.toBe(
          keyOf(change(what, after), one.context),
        )
      }),
      { numRuns: 20 },
    )
  })

  it('a call and its result stay linked, whatever the id', () => {
    const { body, ...rest } = requestOf(wire, { ...said, callId: 'call_9' })
    const unlinked = JSON.parse(JSON.stringify(body).replace('"call_9"', '"call_8"'))
    expect(requestKey(wire, { ...rest, body: unlinked }).key).not.toBe(keyOf(said))
    expect(requestKey(wire, { ...rest, body }).key).toBe(keyOf(said))
  })

  it('neither the order of members nor what stands before the endpoint counts', () => {
    const { method, path, body } = requestOf(wire, said)
    const reversed = JSON.parse(JSON.stringify(body), (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toReversed())
        : value,
    )
    const behind = `/gateway/eu${path}`
    expect(requestKey(wire, { method, path: behind, body: reversed }).key).toBe(keyOf(said))
  })

  it('ids that trade places are another key', () => {
    const [a, b] = ['11111111-2222-4333-8444-555555555555', '99999999-2222-4333-8444-555555555555']
    const first = keyOf({ ...said, prompt: `keep ${a}, drop ${b}`, result: `kept ${a}` })
    const second = keyOf({ ...said, prompt: `keep ${a}, drop ${b}`, result: `kept ${b}` })
    expect(first).not.toBe(second)
  })

  it('an id that the model repeats matches when the run has made another one', () => {
    const [recorded, live] = [
      '11111111-2222-4333-8444-555555555555',
      '99999999-2222-4333-8444-555555555555',
    ]
    const thought = `I keep ${recorded}.`
    expect(keyOf({ ...said, prompt: `made ${live}`, thought })).toBe(
      keyOf({ ...said, prompt: `made ${recorded}`, thought }),
    )
  })

  it('is the hash of what it says it is', () => {
    const { key, canonical } = requestKey(wire, requestOf(wire, said))
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(canonical)).toContain('{{call:1}}')
    expect(JSON.stringify(canonical)).not.toContain(said.meta)
  })
})

describe('any body', () => {
  it('has a key, and masking what is masked changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...wireNames), (body, wire) => {
        const request = { method: 'POST', path: '/v1/unknown', body }
        const { key, canonical } = requestKey(wire, request)
        expect(requestKey(wire, { ...request, body: canonical.body }).key).toBe(key)
      }),
    )
  })

  it('with half a character has one too', () => {
    const body = { messages: [{ role: 'user', content: 'half \uD83D' }], '\uD83D': 1 }
    expect(requestKey('deepseek', { method: 'POST', path: '/x', body }).key).toHaveLength(64)
  })

  it('and a member called __proto__ counts', () => {
    const body = JSON.parse('{"a":{"__proto__":{"b":1}}}')
    const request = { method: 'POST', path: '/x', body }
    const other = { ...request, body: { a: {} } }
    expect(requestKey('gemini', request).key).not.toBe(requestKey('gemini', other).key)
  })
})
