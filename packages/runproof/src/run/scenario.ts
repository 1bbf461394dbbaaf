/**
 * One scenario end to end: run, judge, keep. A scenario never throws for what
 * an agent does; it has failures.
 */
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { RunproofError } from '../error.ts'
import { readSnapshot } from '../guard/snapshot.ts'
import { digestInputs, type Inputs } from '../pending/inputs.ts'
import type { PendingStore } from '../pending/store.ts'
import { scenarioFiles, type BrokenScenario, type Scenario } from '../scenario/scenario.ts'
import { executeScenario, type Execution, type ScenarioProgress } from './execute.ts'
import type { Failure } from './failure.ts'
import { serializeLines } from './golden-file.ts'
import type { Output } from './goldens.ts'
import { findSecrets, guardFolder } from './guard.ts'
import { pinFor, type Pin } from './header.ts'
import { keepOutputs } from './keep-outputs.ts'
import { createHiding, secretsOfRun, type Hiding } from './secret.ts'

export type ScenarioResult = {
  scenario: string
  /** Null when `input.json` did not even say which. */
  agent: string | null
  /** Absolute. */
  folder: string
  description: string | null
  passed: boolean
  failures: Failure[]
  /** What a screen may claim of the last prompt; null without a prompt. */
  claim: string | null
  /** The claims of all prompts, in order. */
  claims: string[]
  stepCount: number
  durationMs: number
  /** The last lines that the agent wrote to stderr. */
  stderrTail: string[]
}

export type RunOptions = {
  config: Config
  env: Readonly<Record<string, string | undefined>>
  /** Pinned headers by class. */
  pins: ReadonlyMap<string, Pin>
  /** Where differences wait for review; null: nowhere (CI). */
  pending: PendingStore | null
  /** Where the actual outputs are kept; null: nowhere. */
  outFolder: string | null
  /** What was found about folders together with others, by folder. */
  refusals?: ReadonlyMap<string, Failure[]>
  onProgress?: (progress: ScenarioProgress) => void
}

const stderrLinesMax = 20

/** @throws RunproofError `environment` when the agent's command cannot be started. */
export async function runScenario(
  scenario: Scenario,
  options: RunOptions,
): Promise<ScenarioResult> {
  const { config, env, pins, pending, outFolder, onProgress } = options
  const startedAt = performance.now()
  await pending?.clear(scenario.name)
  const agent = config.agents[scenario.agent]
  if (agent === undefined) throw new TypeError(`no agent ${scenario.agent} in the configuration`)
  const snapshot = await readSnapshot(scenario, agent)
  const guarded = await guardFolder(snapshot)
  const refusals = [...(options.refusals?.get(scenario.folder) ?? []), ...guarded]
  if (refusals.length > 0) return refuse(scenario, refusals, startedAt)

  const inputs = pending === null ? null : await digestInputs(config.root, scenario.folder)
  const kept = outFolder === null ? null : join(outFolder, scenario.name)
  const openHiding = async (): Promise<Hiding> => createHiding(await secretsOfRun(agent, env))
  const started = Promise.withResolvers<void>()
  // An agent takes its time to start: the time for what need not be known before.
  const meanwhile = started.promise.then(() =>
    Promise.all([import('./verdict.ts'), findSecrets(snapshot, env)]),
  )
  const execution = executeScenario(scenario, agent, {
    config,
    seam: { mode: 'replay' },
    env,
    onStarted: started.resolve,
    async onBroken(seen) {
      const isSecret = (await findSecrets(snapshot, env)).length > 0
      if (kept === null || isSecret) return
      await keepOutputs(kept, seen, [], { redact: (await openHiding()).lines })
    },
    ...(onProgress !== undefined && { onProgress }),
  })
  const [run, [{ judgeExecution }, secrets]] = await Promise.all([execution, meanwhile])
  if (secrets.length > 0) return refuse(scenario, secrets, startedAt)
  const pin = pinFor(scenario, pins)
  const wantsOutputs = kept !== null
  const hiding = await openHiding()
  const judged = await judgeExecution(scenario, agent, run, { pin, wantsOutputs, hiding })
  const { outputs, failures, isSound } = judged
  if (kept !== null) await keepOutputs(kept, run, outputs, { redact: hiding.lines })
  if (pending !== null && inputs !== null && isSound) {
    await writePending(pending, failures, outputs, inputs)
  }
  return resultOf(scenario, failures, { ...run, stderr: hiding.text(run.stderr) }, startedAt)
}

/** The result of a folder that is not as it must be. Its own words are not shown: a secret may be among them. */
function refuse(scenario: Scenario, failures: Failure[], startedAt: number): ScenarioResult {
  return { ...resultOf(scenario, failures, null, startedAt), description: null }
}

/** The result of a scenario that could not be run at all. */
export function describeUnrun(scenario: Scenario, error: RunproofError): ScenarioResult {
  const [message = '', ...details] = error.message.split('\n')
  const code = error.code === 'environment' ? 'environment' : 'bad-scenario'
  return resultOf(scenario, [{ code, step: null, message, details }], null, performance.now())
}

/** The result of a folder without a usable input. */
export function describeBroken({ name, folder, problems }: BrokenScenario): ScenarioResult {
  return {
    scenario: name,
    agent: null,
    folder,
    description: null,
    passed: false,
    failures: [
      {
        code: 'bad-scenario',
        step: null,
        message: `${scenarioFiles.input}, or the folder around it, says nothing usable`,
        details: problems,
      },
    ],
    claim: null,
    claims: [],
    stepCount: 0,
    durationMs: 0,
    stderrTail: [],
  }
}

function resultOf(
  scenario: Scenario,
  failures: Failure[],
  run: Execution | null,
  startedAt: number,
): ScenarioResult {
  const { name, agent, folder, input } = scenario
  const stderr = run?.stderr.split('\n').filter((line) => line.trim() !== '') ?? []
  return {
    scenario: name,
    agent,
    folder,
    description: input.description,
    passed: failures.length === 0,
    failures,
    claim: run?.claims?.claim ?? null,
    claims: run?.claims?.prompts.map(({ status }) => status) ?? [],
    stepCount: input.steps.length,
    durationMs: Math.round(performance.now() - startedAt),
    stderrTail: stderr.slice(-stderrLinesMax),
  }
}

async function writePending(
  pending: PendingStore,
  failures: readonly Failure[],
  outputs: readonly Output[],
  inputs: Inputs,
): Promise<void> {
  const told = new Set(failures.map(({ difference }) => difference))
  for (const { difference, actual, path, holdsSecret = false } of outputs) {
    if (difference === null || !told.has(difference) || holdsSecret) continue
    const text = actual === null ? null : serializeLines(actual)
    await pending.write(difference, text, path, inputs)
  }
}
