/**
 * The files of `runproof emulate` as what an emulator takes.
 */
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import type { WireName } from '@runproof/llm'
import { parseRecording } from '@runproof/replay'
import type { EmulatorOptions, EmulatorRecording } from '@runproof/replay/emulator'
import { RunproofError } from '../error.ts'
import type { Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'

export type Recordings = {
  recordings: EmulatorRecording[]
  /** When requests were recorded without their secrets. */
  redact: EmulatorOptions['redact']
}

/** @throws RunproofError `unreadable`, or `usage` for a session log without a wire. */
export async function readRecordings(
  files: readonly string[],
  wire: WireName | null,
  env: Terminal['env'],
): Promise<Recordings> {
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readText(file) })))
  const recordings = texts.map((given) => {
    if (!isSessionLog(given.text)) return given
    if (wire !== null) return { session: given, wire }
    const name = visible(given.file)
    throw new RunproofError(
      'usage',
      `${name} is a session log, which any wire can be made of: say which with --wire`,
    )
  })
  return { recordings, redact: await createRedactor(texts, env) }
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new RunproofError('unreadable', `cannot read ${visible(file)}: ${visible(error.message)}`)
  })
  if (isUtf8(bytes)) return bytes.toString()
  throw new RunproofError('unreadable', `${visible(file)} is damaged: it is no UTF-8 text`)
}

function isSessionLog(text: string): boolean {
  const [first = ''] = text.split('\n', 1)
  return /"type"\s*:\s*"session"/.test(first)
}

async function createRedactor(
  texts: readonly { text: string }[],
  env: Terminal['env'],
): Promise<EmulatorOptions['redact']> {
  // The detectors take a moment to load; most recordings have no secret.
  if (!texts.some(({ text }) => text.includes('{{secret:'))) return undefined
  const recorder = await import('@runproof/replay/recorder')
  const parsed = texts.map(({ text }) => parseRecording(text).recording)
  if (!parsed.some((recording) => recording !== null && recorder.holdsSecrets(recording))) {
    return undefined
  }
  return recorder.createBodyRedactor(recorder.secretsOfEnvironment(env))
}
