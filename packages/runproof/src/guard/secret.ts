/**
 * Secrets in files that are about to be committed: values of the environment and
 * keys of known shapes, found as a recorder finds them before it takes them out
 * (docs/guide/secrets.md). A finding never shows the secret.
 */
import type { Redactor } from '@runproof/replay/redact'
import { scenarioFiles } from '../scenario/scenario.ts'
import { reportFor, type Finding, type Report } from './finding.ts'
import { linesOf, type Snapshot } from './snapshot.ts'

/** Knows the secrets of an environment. The detectors are loaded for those who look for secrets. */
export async function createSecretFinder(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Redactor> {
  const { createRedactor, secretsOfEnvironment } = await import('@runproof/replay/redact')
  return createRedactor(secretsOfEnvironment(env))
}

/** One finding for each kind of secret in each file, at its first line. */
export async function guardSecrets(
  snapshot: Pick<Snapshot, 'name' | 'folder' | 'texts'>,
  finder: Redactor,
): Promise<Finding[]> {
  const report = reportFor(snapshot)
  const findings: Finding[] = []
  for (const [file, text] of snapshot.texts) {
    const leaks = file === scenarioFiles.recording ? await leaksOf(text, finder) : null
    findings.push(...(leaks ?? (await placesIn(file, text, finder))).map(findingIn(file, report)))
  }
  return findings
}

type Place = { what: string; line: number | null }

const findingIn =
  (file: string, report: Report) =>
  ({ what, line }: Place): Finding =>
    report(
      'secret',
      file,
      line,
      `holds a secret (${what}); take it out of the file, and revoke it if it was ever shared`,
    )

/** A recording knows which of its values are the provider's own riddles; null for what is no recording. */
async function leaksOf(text: string, finder: Redactor): Promise<Place[] | null> {
  const { parseRecording } = await import('@runproof/replay')
  const { recording } = parseRecording(text)
  if (recording === null) return null
  const { findLeaks } = await import('@runproof/replay/redact')
  const [leak] = findLeaks(recording, finder)
  return leak === undefined ? placesOf(text, finder, true) : [{ what: leak, line: null }]
}

async function placesIn(file: string, text: string, finder: Redactor): Promise<Place[]> {
  const places = placesOf(text, finder)
  if (places.length > 0 || !file.endsWith('.jsonl')) return places
  // The model may spell a secret over many lines.
  const { redactLines } = await import('@runproof/replay/redact')
  const lines = linesOf(text)
  const index = redactLines(lines, finder).findIndex((line, at) => line !== lines[at])
  return index < 0 ? [] : [{ what: 'spelled over several lines from here on', line: index + 1 }]
}

function placesOf(text: string, finder: Redactor, isOpaque: boolean = false): Place[] {
  const first = new Map<string, Place>()
  for (const { rule, start } of finder.find(text, { isOpaque })) {
    if (first.has(rule)) continue
    first.set(rule, { what: rule, line: text.slice(0, start).split('\n').length })
  }
  return [...first.values()]
}
