/**
 * Header pins: the readable system prompt and tool list of a header class stand in
 * exactly one of its scenarios, so that a new prompt touches one place. Foreign
 * folders need no pin.
 */
import { scenarioFiles } from '../scenario/scenario.ts'
import { reportFor, type Finding } from './finding.ts'
import { prompts } from './files.ts'
import type { Snapshot } from './snapshot.ts'

const pinFiles = [scenarioFiles.systemPrompt, scenarioFiles.toolSchemas] as const

const pinsOf = ({ texts }: Snapshot): string[] => pinFiles.filter((file) => texts.has(file))

/** @param snapshots the scenarios of one agent. */
export function guardPins(snapshots: readonly Snapshot[]): Finding[] {
  const own = snapshots.filter(({ isForeign }) => !isForeign)
  const classes = Map.groupBy(own, ({ input }) => input.headerClass)
  return [
    ...snapshots.flatMap(wellFormed),
    ...[...classes].flatMap(([headerClass, members]) =>
      headerClass === null ? members.flatMap(undeclared) : onePin(headerClass, members),
    ),
  ]
}

function undeclared(snapshot: Snapshot): Finding[] {
  const [file] = pinsOf(snapshot)
  return file === undefined
    ? []
    : [
        reportFor(snapshot)(
          'pin',
          file,
          null,
          'pins a header, so input.json must name its "headerClass"; name it, or remove the file',
        ),
      ]
}

function onePin(headerClass: string, members: readonly Snapshot[]): Finding[] {
  const pinned = members.filter((member) => pinsOf(member).length > 0)
  const [first, ...others] = pinned
  if (first !== undefined) {
    return others.map((other) =>
      reportFor(other)(
        'pin',
        pinsOf(other)[0] ?? '',
        null,
        `header class "${headerClass}" is pinned by ${first.name} already; remove this pin, or name another class`,
      ),
    )
  }
  const candidate = members.find(prompts)
  return candidate === undefined
    ? []
    : [
        reportFor(candidate)(
          'pin',
          '',
          null,
          `no scenario pins header class "${headerClass}"; run: runproof record ${candidate.name}`,
        ),
      ]
}

function wellFormed(snapshot: Snapshot): Finding[] {
  const report = reportFor(snapshot)
  const pins = pinsOf(snapshot)
  const half = pinFiles.filter((file) => pins.length === 1 && !pins.includes(file))
  const findings = half.map((file) =>
    report(
      'pin',
      file,
      null,
      'is missing beside the other half of the pin; record the scenario again',
    ),
  )
  const tools = snapshot.texts.get(scenarioFiles.toolSchemas)
  if (tools === undefined) return findings
  try {
    JSON.parse(tools)
    return findings
  } catch {
    return [
      ...findings,
      report('pin', scenarioFiles.toolSchemas, null, 'is not JSON; record the scenario again'),
    ]
  }
}
