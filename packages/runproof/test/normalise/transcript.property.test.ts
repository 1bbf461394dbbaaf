/**
 * The two laws of normalising, over transcripts made from a plan. A plan says what
 * happened with abstract names (session 0, message 3, "the folder"); a world gives
 * those names their volatile values. Then:
 * - a golden is a fixed point, in every mode;
 * - two transcripts have one normal form exactly when their plans agree up to the
 *   names, whatever worlds they come from.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NormaliseContext } from '../../src/normalise/context.ts'
import { normaliseTranscript } from '../../src/normalise/transcript.ts'
import { chunk, parse, permission, response, update, type Message } from './acp-messages.ts'

/** A piece of a text: plain, the folder, or a session's id. */
type Piece = string | { folder: number } | { session: number }
type Step =
  | { op: 'answer'; request: number; stop: string }
  | { op: 'session'; request: number; session: number }
  | { op: 'text'; session: number; message: number; pieces: Piece[] }
  | { op: 'tool'; session: number; call: string; pieces: Piece[] }
  | { op: 'permission'; request: number; session: number }
  | { op: 'fact'; session: number; used: number }
type Plan = Step[]

type World = {
  session: (index: number) => string
  message: (index: number) => string
  request: (index: number) => number
  folders: readonly [string, ...string[]]
}

const hex = (number: number): string => number.toString(16).padStart(12, '0')
const uuid = (salt: number, index: number): string =>
  `5f0c6a1e-3a52-4c57-8f21-${hex(salt * 1000 + index)}`

const worlds: World[] = [
  {
    session: (index) => uuid(1, index),
    message: (index) => uuid(2, index),
    request: (index) => index,
    folders: ['/tmp/run-1/work', '/private/tmp/run-1/work'],
  },
  {
    session: (index) => `ses_${hex(index)}`,
    message: (index) => `msg_${hex(9 - index)}`,
    request: (index) => 100 - index,
    folders: ['C:\\runs\\two', 'c:/runs/two', '\\\\?\\C:\\runs\\two'],
  },
]

const asText = (pieces: readonly Piece[], world: World): string =>
  pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece
      if ('session' in piece) return world.session(piece.session)
      return world.folders[piece.folder % world.folders.length] ?? ''
    })
    .join(' ')

function play(plan: Plan, world: World): Message[] {
  return plan.map((step) => {
    switch (step.op) {
      case 'answer':
        return response(world.request(step.request), { stopReason: step.stop })
      case 'session':
        return response(world.request(step.request), { sessionId: world.session(step.session) })
      case 'text': {
        const more = { messageId: world.message(step.message) }
        // A model knows no session id: its text has none.
        const pieces = step.pieces.filter((one) => typeof one === 'string' || 'folder' in one)
        return chunk(world.session(step.session), asText(pieces, world), more)
      }
      case 'tool': {
        const title = asText(step.pieces, world)
        const fields = { sessionUpdate: 'tool_call', toolCallId: step.call, title }
        return update(world.session(step.session), fields)
      }
      case 'permission':
        return permission(world.request(step.request), world.session(step.session), 'c')
      default: {
        const fields = { sessionUpdate: 'usage_update', used: step.used }
        return update(world.session(step.session), fields)
      }
    }
  })
}

const index = fc.nat(2)
const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.constantFrom('ls', 'a.txt', '{', '"', 'é', '\n'),
  fc.record({ folder: index }),
  fc.record({ session: index }),
)
const pieces = fc.array(piece, { maxLength: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    op: fc.constant('answer' as const),
    request: index,
    stop: fc.constantFrom('end_turn', 'refusal'),
  }),
  fc.record({ op: fc.constant('session' as const), request: index, session: index }),
  fc.record({ op: fc.constant('text' as const), session: index, message: index, pieces }),
  fc.record({
    op: fc.constant('tool' as const),
    session: index,
    call: fc.constantFrom('a', 'b'),
    pieces,
  }),
  fc.record({ op: fc.constant('permission' as const), request: index, session: index }),
  fc.record({ op: fc.constant('fact' as const), session: index, used: index }),
)
/** Every session is named by a field at last, so that its id is known in texts. */
const closing: Plan = [0, 1, 2].map((session) => ({ op: 'session', request: 0, session }))
const plan: fc.Arbitrary<Plan> = fc
  .array(step, { maxLength: 12 })
  .map((steps) => [...steps, ...closing])

// The client's requests and the agent's are numbered apart.
const space = (one: Step): string => (one.op === 'permission' ? 'agent' : 'client')

/** The plan with its names numbered by first sight: what two plans must share to be alike. */
function canonical(steps: Plan): string {
  const names = new Map<string, number>()
  const nameOf = (kind: string, value: number): number => {
    const key = `${kind} ${value}`
    const count = [...names.keys()].filter((one) => one.startsWith(`${kind} `)).length
    const name = names.get(key) ?? count
    names.set(key, name)
    return name
  }
  const fields = steps.map((one) => ({
    ...one,
    ...('request' in one
      ? { request: nameOf('request', one.request * 2 + (space(one) === 'agent' ? 1 : 0)) }
      : {}),
    ...('session' in one ? { session: nameOf('session', one.session) } : {}),
    ...('message' in one ? { message: nameOf('message', one.message) } : {}),
  }))
  const named = fields.map((one) => {
    if (!('pieces' in one)) return one
    const kept = one.pieces.filter(
      (part) => one.op === 'tool' || typeof part === 'string' || 'folder' in part,
    )
    return {
      ...one,
      pieces: kept.map((part) => {
        if (typeof part === 'string') return part
        return 'folder' in part ? { folder: 0 } : { session: nameOf('session', part.session) }
      }),
    }
  })
  return JSON.stringify(named.map((one) => ({ ...one, space: space(one) })))
}

const contextOf = (world: World): NormaliseContext => ({ cwd: [...world.folders] })

const normal = (steps: Plan, world: World): string =>
  normaliseTranscript(play(steps, world), { ...contextOf(world), housekeeping: 'order' }).join('\n')

const isNamed = (steps: Plan): boolean =>
  [0, 1, 2].every((session) => steps.some((each) => 'session' in each && each.session === session))

describe('normalising a transcript', () => {
  const modes: NormaliseContext[] = (['typed', 'untyped'] as const).flatMap((tokens) =>
    (['state', 'order'] as const).flatMap((housekeeping) =>
      [true, false].map((joinChunks) => ({ tokens, housekeeping, joinChunks })),
    ),
  )

  it.each(modes)('leaves a golden as it is: %j', (mode) => {
    fc.assert(
      fc.property(plan, fc.constantFrom(...worlds), (steps, world) => {
        const context = { ...contextOf(world), ...mode }
        const golden = normaliseTranscript(play(steps, world), context)
        const read = golden.map(parse)
        expect(normaliseTranscript(read, context)).toEqual(golden)
        expect(normaliseTranscript(read, mode)).toEqual(golden)
      }),
      { numRuns: 100 },
    )
  })

  it('is equal for equal plans, and for no others', () => {
    const [one, other] = worlds
    if (one === undefined || other === undefined) throw new TypeError('two worlds are needed')
    const pairs = fc.oneof(
      plan.map((steps) => [steps, steps] as const),
      fc.tuple(plan, plan),
      // The same steps with one of them changed, gone, or in another place.
      fc
        .tuple(plan, step, fc.nat(11))
        .map(([steps, changed, at]) => [steps, steps.with(at % steps.length, changed)] as const),
      fc
        .tuple(plan, fc.nat(11))
        .map(([steps, at]) => [steps, steps.toSpliced(at % steps.length, 1)] as const),
      fc.tuple(plan, fc.nat(11), fc.nat(11)).map(([steps, from, to]) => {
        const [moved] = steps.slice(from % steps.length)
        const rest = steps.toSpliced(from % steps.length, 1)
        return [
          steps,
          rest.toSpliced(to % steps.length, 0, ...(moved === undefined ? [] : [moved])),
        ] as const
      }),
    )
    fc.assert(
      fc.property(pairs, ([left, right]) => {
        fc.pre(isNamed(left) && isNamed(right))
        const areAlike = canonical(left) === canonical(right)
        expect(normal(left, one) === normal(right, other)).toBe(areAlike)
      }),
      { numRuns: 1000 },
    )
  })
})
