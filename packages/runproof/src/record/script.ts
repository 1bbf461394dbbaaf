/**
 * A scripted model: the entries of `replay.override.json` placed in the turns
 * of a scenario, as a session log with patches, which an emulator plays. So an
 * entry answers the request that stands where it stands, and the other calls
 * that an agent makes (a title, a suggestion) take none of them.
 */
import { parseOverride, type ReplayEntry } from '@runproof/replay'
import { RunproofError } from '../error.ts'
import type { Step } from '../scenario/step.ts'

/** Texts of a session log and of the override beside it. */
export type SessionScript = { log: string; override: string }

/**
 * @param text a list of entries, in the order of the model calls
 * @throws ReplayError for a text that is no override; RunproofError `usage` for one that fits no prompt.
 */
export function placeScript(text: string, file: string, steps: readonly Step[]): SessionScript {
  const override = parseOverride(text, file)
  if (override.kind === 'patch') {
    throw new RunproofError(
      'usage',
      `${file} patches a session log, and an agent that is recorded at its provider has none; write a list of entries`,
    )
  }
  const { entries } = override
  const prompts = steps.flatMap((step) => ('text' in step ? [step.text] : []))
  const turns = divide(entries)
  if (turns.length > prompts.length) {
    throw new RunproofError(
      'usage',
      `${file} answers ${turns.length} prompts, but the scenario has ${prompts.length}; an entry that does not finish with "tool-calls" ends its turn`,
    )
  }
  return {
    log: serializeLog(turns.map((turn, index) => ({ prompt: prompts[index] ?? '', turn }))),
    override: JSON.stringify({ patches: entries.map((entry, at) => ({ at, entry })) }),
  }
}

/** The entries of each turn: one that calls tools goes on. */
function divide(entries: readonly ReplayEntry[]): ReplayEntry[][] {
  const turns: ReplayEntry[][] = []
  let goesOn = false
  for (const entry of entries) {
    const turn = goesOn ? turns.at(-1) : undefined
    if (turn === undefined) turns.push([entry])
    else turn.push(entry)
    goesOn = callsTools(entry)
  }
  return turns
}

function callsTools(entry: ReplayEntry): boolean {
  if (entry.kind !== 'chunks') return false
  return entry.chunks.some(({ type, ...chunk }) => {
    return type === 'finish' && 'reason' in chunk && chunk.reason.kind === 'tool-calls'
  })
}

/** Turns with as many steps as the model has entries for, without what it says: the patches say that. */
function serializeLog(turns: readonly { prompt: string; turn: readonly ReplayEntry[] }[]): string {
  const source = { kind: 'user' }
  const events = turns.flatMap(({ prompt, turn: entries }, index) => {
    const turn = index + 1
    return [
      { type: 'turn/start', data: { turn, trigger: { kind: 'message', source } } },
      {
        type: 'user/message',
        data: { content: [{ type: 'text', text: prompt }], source },
        surfaceOp: 'append',
      },
      ...entries.flatMap((_, at) => [
        { type: 'step/start', data: { turn, step: at + 1 } },
        { type: 'step/end', data: { turn, step: at + 1 } },
      ]),
      { type: 'turn/end', data: { turn, reason: { kind: 'completed' } } },
    ]
  })
  const lines = [
    { type: 'session', version: 0, id: 'script', createdAt: 0 },
    ...events.map(({ type, ...rest }, seq) => ({ type, seq, time: 0, ...rest })),
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}
