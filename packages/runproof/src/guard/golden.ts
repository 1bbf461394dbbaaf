/**
 * Goldens: not empty, one JSON object a line, in normal form (a fixed point of
 * normalising), with a response for every request of the script, and with LF ends.
 */
import { compareLines } from '../compare/compare.ts'
import { goldenMode, normaliseTranscript } from '../normalise/transcript.ts'
import type { Step } from '../scenario/step.ts'
import { scenarioFiles } from '../scenario/scenario.ts'
import { isRecord, type Message } from '../transcript/line.ts'
import { prompts } from './files.ts'
import { reportFor, type Finding } from './finding.ts'
import { linesOf, type Snapshot } from './snapshot.ts'

export function guardGoldens(snapshot: Snapshot): Finding[] {
  return [...stdout(snapshot), ...progress(snapshot), ...lineEnds(snapshot)]
}

function stdout(snapshot: Snapshot): Finding[] {
  const report = reportFor(snapshot)
  const file = scenarioFiles.stdout
  const text = snapshot.texts.get(file)
  if (text === undefined) return []
  const lines = linesOf(text)
  if (lines.length === 0) {
    return [
      report(
        'golden',
        file,
        null,
        'is empty, so it proves nothing; delete it and run the scenario',
      ),
    ]
  }
  const messages: Message[] = []
  for (const [index, line] of lines.entries()) {
    const message = parseObject(line)
    if (message === null) {
      return [
        report(
          'golden',
          file,
          index + 1,
          'is not one JSON object; goldens are written by runproof review, not by hand',
        ),
      ]
    }
    messages.push(message)
  }
  return [...normalForm(snapshot, file, lines, messages), ...responses(snapshot, file, messages)]
}

function parseObject(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function normalForm(
  { name, agent, ...place }: Snapshot,
  file: string,
  lines: readonly string[],
  messages: readonly Message[],
): Finding[] {
  const context = { protocol: agent.protocol, rules: agent.normalise }
  const stable = normaliseTranscript(messages, { ...context, ...goldenMode(lines, context) })
  const difference = compareLines({ scenario: name, file, expected: lines, actual: stable })
  if (difference === null) return []
  const [first] = difference.changes
  const line = first !== undefined && 'line' in first ? first.line : null
  const report = reportFor({ name, folder: place.folder })
  return [
    report(
      'normal-form',
      file,
      line,
      `is not in normal form (${difference.summary}); run the scenario and review it`,
    ),
  ]
}

/** Steps that the agent answers exactly once; a restart adds answers. */
const isRequest = ({ op }: Step): boolean => op !== 'cancel' && op !== 'waitFor' && op !== 'send'

function responses(snapshot: Snapshot, file: string, messages: readonly Message[]): Finding[] {
  if (snapshot.agent.protocol !== 'acp') return []
  const requests = snapshot.input.steps.filter(isRequest).length
  const answers = messages.filter(
    (one) => !('method' in one) && ('result' in one || 'error' in one),
  ).length
  if (answers >= requests) return []
  const report = reportFor(snapshot)
  return [
    report(
      'golden',
      file,
      null,
      `has ${answers} responses for the ${requests} requests of input.json, so it is not of this script; delete it, run the scenario and review what it says now`,
    ),
  ]
}

function progress(snapshot: Snapshot): Finding[] {
  const file = scenarioFiles.progress
  const text = snapshot.texts.get(file)
  if (text === undefined || !prompts(snapshot) || text.trim() !== '') return []
  return [
    reportFor(snapshot)(
      'golden',
      file,
      null,
      'is empty though the script prompts, so it proves nothing; delete it and run the scenario',
    ),
  ]
}

function lineEnds(snapshot: Snapshot): Finding[] {
  const report = reportFor(snapshot)
  return snapshot.entries.flatMap((file) => {
    const text = snapshot.texts.get(file)
    if (text === undefined || !/\.(?:jsonl|golden\.[a-z]+)$/.test(file)) return []
    const carriageReturn = text.indexOf('\r\n')
    if (carriageReturn >= 0) {
      const line = text.slice(0, carriageReturn).split('\n').length
      return [
        report(
          'line-ends',
          file,
          line,
          'ends with CRLF; goldens have LF: add "scenarios/** -text" to .gitattributes and check them out again',
        ),
      ]
    }
    const isLog = file.startsWith('session.')
    return isLog || text === '' || text.endsWith('\n')
      ? []
      : [report('line-ends', file, null, 'the last line has no end; add a newline')]
  })
}
