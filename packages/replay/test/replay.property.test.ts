import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReplay, loadReplayScript } from '@runproof/replay'
import type { ReplayScript } from '@runproof/replay'
import type { LlmMessage, StreamChunk } from '@runproof/llm'
import { serializeSessionLog } from '@runproof/session-log'
import type { CoreDraft, SessionHeader } from '@runproof/session-log'
import {
  collect,
  fixtureScript,
  messagesOf,
  realScenarios,
  recordingsNote,
  user,
} from './scenarios.ts'

const recordedCwd = '/tmp/recorded-here'
const liveCwd = '/home/live/over there'

/** Words, now and then with a path of the session in them. */
const words = fc.oneof(
  fc.string(),
  fc.string().map((text) => `${text} ${recordedCwd}/file ${text}`),
)

const step = fc.record({ answer: words, tool: fc.option(words) })
const turns = fc.array(
  fc.record({ prompt: words, steps: fc.array(step, { minLength: 1, maxLength: 3 }) }),
  { minLength: 1, maxLength: 3 },
)

type Turns = typeof turns extends fc.Arbitrary<infer T> ? T : never

const header: SessionHeader = {
  type: 'session',
  version: 0,
  id: 'recorded',
  createdAt: 1,
  cwd: recordedCwd,
}

/** The log of a session with these turns. */
function recordSession(session: Turns): ReplayScript {
  const drafts: CoreDraft[] = []
  for (const [t, { prompt, steps }] of session.entries()) {
    const turn = t + 1
    const content = [{ type: 'text' as const, text: prompt }]
    drafts.push({ type: 'turn/start', data: { turn } })
    drafts.push({
      type: 'user/message',
      data: { content, source: { kind: 'user' } },
      surfaceOp: 'append',
    })
    for (const [s, { answer, tool }] of steps.entries()) {
      drafts.push(...stepDrafts({ turn, step: s + 1 }, answer, tool))
    }
    drafts.push({ type: 'turn/end', data: { turn, reason: { kind: 'completed' } } })
  }
  const events = drafts.map((draft, seq) => ({ ...draft, seq, time: seq }))
  return loadReplayScript({ file: 's.jsonl', text: serializeSessionLog({ header, events }) })
}

function stepDrafts(
  place: { turn: number; step: number },
  answer: string,
  tool: string | null,
): CoreDraft[] {
  const callId = `call_${place.turn}_${place.step}`
  const text = { type: 'text' as const, text: answer }
  const call = { type: 'tool-call' as const, id: callId, name: 'look', arguments: '{}' }
  const content = tool === null ? [text] : [text, call]
  const chunks: StreamChunk[] = content.flatMap((block, index): StreamChunk[] => [
    { type: 'block-start', index, blockType: block.type },
    { type: 'block-end', index, block },
  ])
  chunks.push({ type: 'finish', reason: { kind: tool === null ? 'stop' : 'tool-calls' } })
  const result: CoreDraft[] =
    tool === null
      ? []
      : [
          {
            type: 'tool/result',
            data: { ...place, callId, content: [{ type: 'text', text: tool }], isError: false },
            surfaceOp: 'append',
          },
        ]
  return [
    { type: 'step/start', data: place },
    ...chunks.map((chunk): CoreDraft => ({ type: 'assistant/chunk', data: { ...place, chunk } })),
    { type: 'assistant/message', data: { ...place, content }, surfaceOp: 'append' },
    ...result,
    { type: 'step/end', data: place },
  ]
}

/** The recorded request as a run in another folder would make it. */
function liveMessagesOf(script: ReplayScript, call: number): LlmMessage[] {
  const text = JSON.stringify(messagesOf(script, call)).replaceAll(recordedCwd, liveCwd)
  const messages: LlmMessage[] = JSON.parse(text)
  return messages
}

async function serveFrom(script: ReplayScript, first: number): Promise<StreamChunk[][]> {
  const replay = createReplay({ scripts: [script], startAt: first })
  const served: StreamChunk[][] = []
  for (let call = first; call < script.entries.length; call++) {
    served.push(await collect(replay, liveMessagesOf(script, call), 'live'))
  }
  replay.assertConsumed()
  return served
}

describe('laws of replay', () => {
  it('replaying a recording yields the recording, in another folder too; resuming anywhere, its rest', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(9), async (session, n) => {
        const script = recordSession(session)
        const recorded = script.recorded.map(({ chunks }) => chunks)
        expect(await serveFrom(script, 0)).toEqual(recorded)
        const first = n % (recorded.length + 1)
        expect(await serveFrom(script, first)).toEqual(recorded.slice(first))
      }),
      { numRuns: 60 },
    )
  })

  it('a request with one message changed is never answered', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(), fc.nat(), async (session, n, m) => {
        const script = recordSession(session)
        const call = n % script.recorded.length
        const messages = liveMessagesOf(script, call)
        const said = messages.flatMap(({ role }, i) => (role === 'assistant' ? [] : [i]))
        const changed = said[m % said.length]
        const sent = messages.map((message, i) =>
          i === changed ? user('never said before') : message,
        )
        const replay = createReplay({ scripts: [script], startAt: call })
        await expect(collect(replay, sent)).rejects.toMatchObject({ code: 'request-mismatch' })
        expect(replay.report()).toMatchObject({ served: 0 })
      }),
      { numRuns: 60 },
    )
  })
})

const whole = realScenarios.filter(({ script }) => script.isAligned)

describe.skipIf(whole.length === 0)(`real logs${recordingsNote}`, () => {
  it.each(whole)(
    '$name yields itself, from its start and from every call on',
    async ({ script }) => {
      const recorded = script.recorded.map(({ chunks }) => chunks)
      for (let first = 0; first <= recorded.length; first++) {
        const replay = createReplay({ scripts: [script], startAt: first })
        for (const [i, chunks] of recorded.slice(first).entries()) {
          expect(await collect(replay, messagesOf(script, first + i))).toEqual(chunks)
        }
        replay.assertConsumed()
      }
    },
  )

  it('cancel: the override hangs on what the log holds', async () => {
    const script = realScenarios.find(({ name }) => name === 'cancel/session.jsonl')?.script
    if (script === undefined) throw new Error('no cancel scenario')
    const replay = createReplay({ scripts: [script] })
    const texts: string[] = []
    const done = (async () => {
      for await (const chunk of replay.stream({ messages: messagesOf(script, 0) })) {
        if (chunk.type !== 'text-delta') continue
        texts.push(chunk.text)
        setImmediate(() => replay.close())
      }
    })()
    await expect(done).rejects.toMatchObject({ code: 'ABORTED' })
    expect(texts).toEqual(['partial'])
    replay.assertConsumed()
  })

  it('error-finish: the override throws', async () => {
    const script = realScenarios.find(({ name }) => name === 'error-finish/session.jsonl')?.script
    if (script === undefined) throw new Error('no error-finish scenario')
    const replay = createReplay({ scripts: [script] })
    await expect(collect(replay, messagesOf(script, 0))).rejects.toMatchObject({
      code: 'AUTH',
      status: 401,
      message: 'simulated provider error (HTTP 401)',
    })
  })
})

it('the fixtures yield themselves as well', async () => {
  const script = fixtureScript('kitchen')
  const replay = createReplay({ scripts: [script], level: 'prompt' })
  for (const [call, { chunks }] of script.recorded.entries()) {
    expect(await collect(replay, messagesOf(script, call).filter(isPrompt))).toEqual(chunks)
  }
})

/** A host that keeps no plugin's texts. */
function isPrompt(message: LlmMessage): boolean {
  return !JSON.stringify(message).includes('Keep it short.')
}
