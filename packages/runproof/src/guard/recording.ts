/** Recordings as fixtures: readable to the last line. */
import { scenarioFiles } from '../scenario/scenario.ts'
import { reportFor, type Finding } from './finding.ts'
import type { Snapshot } from './snapshot.ts'

/** Issues told of one recording: the first ones say what is wrong with it. */
const issuesMax = 3

export async function guardRecording(snapshot: Snapshot): Promise<Finding[]> {
  const file = scenarioFiles.recording
  const text = snapshot.texts.get(file)
  if (text === undefined || snapshot.agent.seam !== 'provider') return []
  // Loaded for those who have one: most scenarios are replayed from a session log.
  const { parseRecording } = await import('@runproof/replay')
  const report = reportFor(snapshot)
  return parseRecording(text)
    .issues.slice(0, issuesMax)
    .map(({ line, message }) =>
      report('recording', file, line, `cannot be replayed: ${message}; record it again`),
    )
}
