/**
 * Paths that exist on one machine only. Goldens are looked at as they are, session
 * logs after normalising with their own header, for a raw log names its folders
 * there.
 */
import { normaliseSessionLogs } from '../normalise/session-log.ts'
import { scenarioFiles } from '../scenario/scenario.ts'
import { reportFor, type Finding } from './finding.ts'
import { linesOf, logNames, type Snapshot } from './snapshot.ts'

/** Homes, macOS' temporary folders, folders that `mkdtemp` made, an alias that normalising missed. */
const shapes: readonly RegExp[] = [
  /\/home\/[a-z_][\w.-]*\//,
  /\/Users\/[A-Za-z][\w.-]*\//,
  /(?<![\w.-])\/root\/[\w.]/,
  /\/var\/folders\/\w\w\//,
  /\/tmp\/[\w.-]*-(?=[A-Za-z]*[A-Z0-9])[A-Za-z0-9]{6}(?![\w-])/,
  /\b[A-Za-z]:\\+(?:Users|Documents and Settings)\\+/i,
  /\/private(?=\{\{)/,
]

const goldens = [
  scenarioFiles.stdout,
  scenarioFiles.progress,
  scenarioFiles.systemPrompt,
  scenarioFiles.toolSchemas,
]

export function guardMachinePaths(snapshot: Snapshot): Finding[] {
  const names = logNames(snapshot)
  const logs = normaliseSessionLogs(
    names.map((name) => linesOf(snapshot.texts.get(name) ?? '')),
    { rules: snapshot.agent.normalise },
  )
  const files: [string, string[]][] = [
    ...goldens.map((name): [string, string[]] => [name, linesOf(snapshot.texts.get(name) ?? '')]),
    ...names.map((name, index): [string, string[]] => [name, logs[index] ?? []]),
  ]
  return files.flatMap(([file, lines]) => firstPath(snapshot, file, lines))
}

/** One finding a file: where there is one such path there are more. */
function firstPath(snapshot: Snapshot, file: string, lines: readonly string[]): Finding[] {
  const report = reportFor(snapshot)
  for (const [index, line] of lines.entries()) {
    for (const shape of shapes) {
      const found = shape.exec(line)?.[0]
      if (found === undefined) continue
      return [
        report(
          'machine-path',
          file,
          index + 1,
          `names a path of one machine (${found}…); let the scenario stay below its working folder, or add a normalise rule to runproof.yml`,
        ),
      ]
    }
  }
  return []
}
