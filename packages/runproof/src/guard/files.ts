/**
 * Which files a scenario folder has and should have: none missing, none left
 * over, the override exactly when it is declared (foreign folders declare it by
 * having it), child logs numbered without a gap.
 */
import { scenarioFiles } from '../scenario/scenario.ts'
import { reportFor, type Finding } from './finding.ts'
import { logNames, type Snapshot } from './snapshot.ts'

/** Files that may stand in a folder beside those of the format. */
const alsoAllowed: ReadonlySet<string> = new Set(['README.md'])

const promptOps: ReadonlySet<string> = new Set(['prompt', 'promptAndCancel', 'promptExpectError'])

/** Whether the script reaches the model at all. */
export const prompts = ({ input }: Snapshot): boolean =>
  input.steps.some(({ op }) => promptOps.has(op))

export function guardFiles(snapshot: Snapshot): Finding[] {
  return [...missing(snapshot), ...leftover(snapshot), ...override(snapshot), ...children(snapshot)]
}

/** What a replay reads, by seam. */
const sources = { session: scenarioFiles.session, provider: scenarioFiles.recording, none: null }

function missing(snapshot: Snapshot): Finding[] {
  const report = reportFor(snapshot)
  const { agent, entries, isForeign, input, name } = snapshot
  const acceptsWorkspace = input.steps.some(
    (step) => step.op === 'prompt' && step.accept.some((one) => 'workspace' in one),
  )
  const source = sources[agent.seam]
  // What was never recorded cannot be tested, and the record writes its goldens as well.
  const isRecorded = source === null || entries.includes(source)
  const required: (readonly [file: string, isNeeded: boolean, remedy: string])[] = [
    ...(isRecorded ? [] : [[source, true, `run: runproof record ${name}`] as const]),
    [scenarioFiles.stdout, isRecorded, `run: runproof test ${name}, then runproof review`],
    [
      scenarioFiles.progress,
      isRecorded && !isForeign && agent.protocol === 'acp' && prompts(snapshot),
      `run: runproof test ${name}, then runproof review`,
    ],
    [
      scenarioFiles.workspaceExpected,
      acceptsWorkspace,
      'a prompt accepts by the workspace, so put the expected files there',
    ],
  ]
  return required
    .filter(([file, isNeeded]) => isNeeded && !entries.includes(file))
    .map(([file, , remedy]) => report('missing-file', file, null, `is missing; ${remedy}`))
}

function leftover(snapshot: Snapshot): Finding[] {
  const report = reportFor(snapshot)
  const { agent, entries } = snapshot
  const { session, systemPrompt, toolSchemas, recording, progress } = scenarioFiles
  const ofSeam = `seam "${agent.seam}"`
  // What a kind of agent never produces would stand there and be compared with nothing.
  const unused = new Map<string, string>([
    ...(agent.seam === 'session'
      ? []
      : [session, systemPrompt, toolSchemas].map((file): [string, string] => [file, ofSeam])),
    ...(agent.seam === 'provider' ? [] : [[recording, ofSeam] as const]),
    ...(agent.protocol === 'acp' ? [] : [[progress, `protocol "${agent.protocol}"`] as const]),
  ])
  const known = new Set<string>([
    ...Object.values(scenarioFiles),
    ...logNames(snapshot),
    ...alsoAllowed,
  ])
  return entries.flatMap((name) => {
    const kind = unused.get(name)
    if (kind !== undefined) {
      return [report('leftover-file', name, null, `is not used by an agent of ${kind}; remove it`)]
    }
    if (known.has(name) || name.startsWith('.')) return []
    const remedy = 'remove it, or move it into workspace/ if the agent needs it'
    return [report('leftover-file', name, null, `is no file of a scenario; ${remedy}`)]
  })
}

function override(snapshot: Snapshot): Finding[] {
  const report = reportFor(snapshot)
  const { input, texts } = snapshot
  const file = scenarioFiles.override
  const text = texts.get(file)
  if (text === undefined) {
    return input.overridden === true
      ? [
          report(
            'override',
            file,
            null,
            'is missing though input.json says "overridden": true; write it, or take the word out',
          ),
        ]
      : []
  }
  const problem = overrideProblem(text)
  const undeclared =
    input.overridden === false
      ? [
          report(
            'override',
            file,
            null,
            'replaces what the log replays, so input.json must say "overridden": true; say it, or remove the file',
          ),
        ]
      : []
  return problem === null ? undeclared : [...undeclared, report('override', file, null, problem)]
}

/** The shape only; the replay itself checks every entry. */
function overrideProblem(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    const hasPatches = typeof value === 'object' && value !== null && 'patches' in value
    const list: unknown = hasPatches ? value.patches : value
    if (Array.isArray(list)) {
      return list.length > 0
        ? null
        : 'is empty, so the model would never answer; write its entries, or remove the file'
    }
    return 'is neither a list with an entry for each model call ({"kind": "chunks", "chunks": […]}) nor {"patches": [{"at": 0, "entry": {…}}]}'
  } catch {
    return 'is not JSON; write a list of entries'
  }
}

function children(snapshot: Snapshot): Finding[] {
  const report = reportFor(snapshot)
  const names = logNames(snapshot).filter((name) => name !== scenarioFiles.session)
  return names.flatMap((name, index) => {
    const expected = `session.${index + 1}.jsonl`
    return name === expected
      ? []
      : [
          report(
            'child-log',
            name,
            null,
            `child logs are numbered from 1 without a gap, so this one is ${expected}; rename it`,
          ),
        ]
  })
}
