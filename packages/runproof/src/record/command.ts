/**
 * `runproof record`: runs scenarios against the real provider (or what stands
 * for it) one after the other, writes their logs and goldens, and replays each
 * once to prove that it stands.
 */
import type { AgentConfig } from '../config/config.ts'
import { readConfig } from '../config/read.ts'
import { RunproofError } from '../error.ts'
import { renderFailures } from '../report/failure-text.ts'
import type { Failure, FailureCode } from '../run/failure.ts'
import { readPins } from '../run/header.ts'
import { makeOutFolders } from '../run/keep-outputs.ts'
import { secretsOfRun } from '../run/secret.ts'
import { describeBroken, runScenario, type ScenarioResult } from '../run/scenario.ts'
import { scenarioFiles, readScenarioFolder, type Scenario } from '../scenario/scenario.ts'
import { leaveOutAbsent } from '../scenario/absent.ts'
import { selectScenarios } from '../scenario/select.ts'
import { createOutput, isColoured, isReadOnly, type Output, type Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'
import { recordScenario, type RecordOptions, type RecordResult, type Source } from './record.ts'
import { learnOptionalExchanges } from './recording.ts'

export type RecordCommandOptions = {
  agent?: string
  filter?: string
  out?: string
  json?: boolean
}

/** @param folder where to look for `runproof.yml`, upwards. @returns the exit code. */
export async function runRecord(
  wanted: readonly string[],
  { agent, filter, out, json = false }: RecordCommandOptions,
  terminal: Terminal,
  folder: string,
): Promise<0 | 1> {
  if (isReadOnly(terminal)) {
    throw new RunproofError('usage', 'CI only reads: record where the results can be looked at')
  }
  const config = await readConfig(folder)
  const selected = await selectScenarios(config, {
    scenarios: wanted,
    ...(agent !== undefined && { agent }),
    ...(filter !== undefined && { filter }),
  })
  const { scenarios, note } = await leaveOutAbsent(config, selected, terminal.env)
  if (note !== null) terminal.stderr.write(`${note}\n`)
  const runnable = scenarios.filter((one) => 'input' in one)
  // Before a provider is paid.
  const outFolder = out === undefined ? null : await makeOutFolders(out, folder, runnable)
  const output = createOutput(terminal.stdout)
  const colours = isColoured(terminal.stdout, terminal.env)
  let failed = 0
  for (const scenario of scenarios) {
    const { env } = terminal
    const pins = await readPins(config, scenarios)
    const done: Done =
      'problems' in scenario
        ? { recorded: null, replayed: describeBroken(scenario) }
        : await recordAndReplay(scenario, { config, env, pins, outFolder })
    if (!done.replayed.passed) failed++
    const { recorded, replayed, learned = [] } = done
    if (json) output.line(visibleJson({ ...recorded, optional: learned, replay: replayed }))
    else printDone(done, output, { colours, from: folder })
    await output.flush()
  }
  return failed === 0 ? 0 : 1
}

type Done = {
  recorded: RecordResult | null
  replayed: ScenarioResult
  /** Exchanges that the proof did not ask for, and that are optional now. */
  learned?: readonly number[]
}

async function recordAndReplay(scenario: Scenario, options: RecordOptions): Promise<Done> {
  const { config, env } = options
  const agent = config.agents[scenario.agent]
  if (agent === undefined) throw new TypeError(`no agent ${scenario.agent} in the configuration`)
  const recorded = await recordScenario(scenario, agent, options)
  if (recorded.failures.length > 0) {
    const nothing = describeBroken({ name: scenario.name, folder: scenario.folder, problems: [] })
    const stderrTail = recorded.stderr.split('\n').slice(-20)
    const replayed = { ...nothing, agent: scenario.agent, failures: recorded.failures, stderrTail }
    return { recorded, replayed }
  }
  const content = await readScenarioFolder(scenario.folder)
  if ('problems' in content) throw new TypeError(`${scenarioFiles.input} changed while recording`)
  const pins = await readPins(config, [scenario])
  const fresh: Scenario = { ...scenario, ...content }
  const replay = (): Promise<ScenarioResult> =>
    runScenario(fresh, { config, env, pins, pending: null, outFolder: null })
  const replayed = await replay()
  const unused = replayed.failures.flatMap(({ unusedExchanges = [] }) => unusedExchanges)
  if (unused.length === 0 || replayed.failures.length > 1) {
    return { recorded, replayed: explainProof(replayed, agent) }
  }
  await learnOptionalExchanges(fresh, unused, await secretsOfRun(agent, env))
  return { recorded, replayed: explainProof(await replay(), agent), learned: unused }
}

/** Between the two runs nothing was changed: what differs all the same does so from run to run. */
function explainProof(replayed: ScenarioResult, { seam }: AgentConfig): ScenarioResult {
  const cures: Partial<Record<FailureCode, string>> = {
    difference: 'a rule: "normalise: [{path: …, token: …}]"',
    ...(seam === 'provider' && {
      'replay-miss': 'a mask: "provider: {mask: [{match: …, token: …}]}"',
    }),
  }
  const explain = (failure: Failure): Failure => {
    const cure = cures[failure.code]
    if (cure === undefined) return failure
    const hint = `recorded a moment ago, so it differs from run to run and wants ${cure} in runproof.yml, then record again`
    return { ...failure, details: [...failure.details, hint] }
  }
  return { ...replayed, failures: replayed.failures.map(explain) }
}

const sources: Record<Source, string> = {
  provider: 'recorded from the provider',
  override: 'scripted by its override',
  authored: 'authored, surroundings written anew',
  none: 'no model',
}

function printDone(
  { recorded, replayed, learned = [] }: Done,
  output: Output,
  options: { colours: boolean; from: string },
): void {
  const isRecorded = recorded !== null && recorded.failures.length === 0
  if (isRecorded) {
    const { written, source } = recorded
    const what = written.length === 0 ? 'nothing changed' : `wrote ${written.join(', ')}`
    const chance =
      learned.length === 0 ? '' : `optional, not asked for again: ${learned.join(', ')}; `
    const proof = replayed.passed ? 'replays' : 'the replay fails'
    output.line(`${visible(recorded.scenario)}: ${sources[source]}; ${what}; ${chance}${proof}`)
  }
  const again = isRecorded ? 'test' : 'record'
  const { troubles = [], asides = [] } = recorded ?? {}
  // Where nothing was written the others are its reason, and told as that.
  for (const note of [...(isRecorded ? troubles : []), ...asides]) {
    output.line(`  note: ${visible(note)}`)
  }
  if (!replayed.passed) output.line(renderFailures(replayed, { ...options, again }))
}
