/**
 * The transcript that a tap writes: what crossed as lines (Transcript v1,
 * docs/formats/transcript.md), without secrets, in the order in which it
 * crossed, each on disk as soon as it is redacted. What a killed tap leaves is
 * whole up to its last line.
 *
 * A message stands as its sender spelled it, unless a secret was taken out. A
 * secret that is cut over several messages (the deltas of a model) shows only
 * when they are joined: that is done at the end, over the whole file.
 */
import { isUtf8 } from 'node:buffer'
import { writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf } from '../error.ts'
import { isMessage, isRecord, isTooDeep, type Direction, type Message } from '../transcript/line.ts'
import { closeFile, type OwnFile } from './file.ts'

/** Larger files are not gone over again at the end. */
const joinedBytesMax = 64 * 1024 * 1024

export type TapTranscript = {
  /** Takes the bytes of one line that crossed just now. */
  take(dir: Direction, line: Buffer): void
  /** A fact about the process. */
  note(fact: Message): void
  /** Writes what is held and closes the file. */
  close(): Promise<void>
}

export type TapTranscriptOptions = {
  file: OwnFile
  /** What their names call a secret is taken out. */
  variables: readonly (readonly [name: string, value: string | undefined])[]
  /** Milliseconds since the process was spawned. */
  now: () => number
  /** Called once, when the file cannot be written any more. */
  onProblem: (problem: string) => void
  /** Called when the file is too large to be gone over again. */
  onUnjoined: () => void
}

/** A line on its way to disk: at what time, which way, and what it says. */
type Entry = { t: number; dir: Direction; text: string; content: { m: Message } | { raw: string } }

type Redaction = {
  value: (value: unknown) => unknown
  text: (text: string) => string
  lines: (lines: readonly string[]) => string[]
}

export function createTapTranscript({
  file,
  variables,
  now,
  onProblem,
  onUnjoined,
}: TapTranscriptOptions): TapTranscript {
  let isBroken = false
  const write = (entry: Entry, loaded: Redaction): void => {
    if (isBroken) return
    try {
      writeSync(file.descriptor, `${serializeEntry(entry, loaded)}\n`)
    } catch (error) {
      isBroken = true
      onProblem(messageOf(error))
    }
  }
  // The detectors take a moment to load: lines wait for them, bytes do not.
  const held: Entry[] = []
  let redaction: Redaction | null = null
  const loading = nextTurn(variables)
    .then(loadRedaction)
    .then((loaded) => {
      redaction = loaded
      for (const entry of held.splice(0)) write(entry, loaded)
      return loaded
    })
  const record = (entry: Entry): void => {
    if (redaction === null) held.push(entry)
    else write(entry, redaction)
  }
  return {
    take(dir, line) {
      const text = line.toString('utf8')
      const message = isUtf8(line) ? parseMessage(text) : null
      const content = message === null ? { raw: text } : { m: message }
      record({ t: Math.round(now()), dir, text, content })
    },
    note(fact) {
      record({ t: Math.round(now()), dir: 'x', text: JSON.stringify(fact), content: { m: fact } })
    },
    async close() {
      const { lines } = await loading
      const isWhole = closeFile(file, joinedBytesMax, (text) => lines(text.split('\n')).join('\n'))
      if (!isWhole) onUnjoined()
    },
  }
}

async function loadRedaction(variables: TapTranscriptOptions['variables']): Promise<Redaction> {
  const { createRedactor, redactLines, redactValue, secretsOfEnvironment } =
    await import('@runproof/replay/redact')
  const secrets = variables.flatMap(([name, value]) => secretsOfEnvironment({ [name]: value }))
  const redactor = await createRedactor(secrets)
  return {
    value: (value) => redactValue(value, redactor),
    text: (text) => redactor.redact([text])[0] ?? '',
    lines: (lines) => redactLines(lines, redactor),
  }
}

function parseMessage(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) && isMessage(value) && !isTooDeep(value) ? value : null
  } catch {
    return null
  }
}

function serializeEntry(
  { t, dir, text, content }: Entry,
  { value, text: hide }: Redaction,
): string {
  if ('raw' in content) return JSON.stringify({ t, dir, raw: value(content.raw) })
  const message = value(content.m)
  // A parser keeps one of two members of a name; the text has both.
  const json = message === content.m ? hide(text) : JSON.stringify(message)
  return `{"t":${t},"dir":"${dir}","m":${json}}`
}
