/**
 * Recordings as fixtures: readable to the last line, and as they were recorded.
 * One that somebody wrote (`"source":"authored"`) may have any key, and break
 * off where it likes.
 */
import type { Violation } from '../check/audit.ts'
import { scenarioFiles } from '../scenario/scenario.ts'
import { reportFor, type Finding } from './finding.ts'
import { linesOf, type Snapshot } from './snapshot.ts'

/** Issues told of one recording: the first ones say what is wrong with it. */
const issuesMax = 3

export async function guardRecording(snapshot: Snapshot): Promise<Finding[]> {
  const file = scenarioFiles.recording
  const text = snapshot.texts.get(file)
  if (text === undefined || snapshot.agent.seam !== 'provider') return []
  const report = reportFor(snapshot)
  const { violations, isAuthored } = await auditText(text)
  const errors = violations.filter(({ severity }) => severity === 'error')
  const broken = errors.map(({ line, message }) =>
    report('recording', file, line, `cannot be replayed: ${message}; record it again`),
  )
  const changed = (isAuthored ? [] : violations).map(({ rule, line, event, message }) =>
    report(
      'recording',
      file,
      line,
      `${event}: ${message} (${rule}), so it is not as it was recorded; record it again, or say "source":"authored" in line 1`,
    ),
  )
  return (broken.length > 0 ? broken : changed).slice(0, issuesMax)
}

async function auditText(text: string): Promise<{ violations: Violation[]; isAuthored: boolean }> {
  // Loaded for those who have one: most scenarios are replayed from a session log.
  const { createRecordingAudit } = await import('../check/recording/audit.ts')
  const audit = createRecordingAudit()
  const lines = linesOf(text)
  const told = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : audit.push({ number: index + 1, text: line }),
  )
  const violations = [...told, ...audit.end().violations]
  return { violations, isAuthored: /"source"\s*:\s*"authored"/.test(lines[0] ?? '') }
}
