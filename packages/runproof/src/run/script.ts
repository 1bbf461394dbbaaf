/**
 * The script of a scenario, step by step: each has its time, each prompt that
 * ends may be accepted, and the first step that fails ends the script.
 */
import type { Limits } from '../config/config.ts'
import type { Driver } from '../drive/driver.ts'
import { describeTotal, type Problem } from '../drive/problem.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Step } from '../scenario/step.ts'
import { judgeAcceptance, type Judgement } from './accept.ts'
import type { Claims } from './claims.ts'
import type { Failure, StepReference } from './failure.ts'
import type { World } from './world.ts'

export type ScriptOptions = {
  scenario: Scenario
  world: World
  driver: Driver
  /** Null for protocols without a claim. */
  claims: Claims | null
  deadline: Deadline
  onStep?: (step: { number: number; op: string }) => void
}

/** A prompt that has conditions, and does not meet them. */
export type Unaccepted = { step: StepReference; reasons: string[] }

export type ScriptResult = { failures: Failure[]; unaccepted: Unaccepted[] }

export async function runScript(options: ScriptOptions): Promise<ScriptResult> {
  const { scenario, driver, claims, deadline, onStep } = options
  const unaccepted: Unaccepted[] = []
  for (const [index, step] of scenario.input.steps.entries()) {
    const reference = { number: index + 1, op: step.op }
    onStep?.(reference)
    const late = deadline.startStep()
    if (late !== null) return { failures: [{ ...late, step: reference }], unaccepted }
    const { problem, turnEnded } = await driver.runStep(step)
    const finalText = turnEnded ? (claims?.endTurn() ?? null) : null
    if (problem !== null) return { failures: [{ ...problem, step: reference }], unaccepted }
    if (step.op !== 'prompt' || step.accept.length === 0) continue
    const judgement = await accept(step, finalText, options)
    if ('problem' in judgement) {
      return { failures: [{ ...judgement.problem, step: reference }], unaccepted }
    }
    const { rejections: reasons } = judgement
    if (finalText !== null) claims?.judge(reasons.length === 0)
    if (reasons.length > 0) unaccepted.push({ step: reference, reasons })
  }
  return { failures: driver.close().map(withoutStep), unaccepted }
}

export const withoutStep = (problem: Problem): Failure => ({ ...problem, step: null })

function accept(
  { accept: conditions }: Extract<Step, { op: 'prompt' }>,
  finalText: string | null,
  { scenario, world, deadline }: ScriptOptions,
): Promise<Judgement> | Judgement {
  if (finalText === null) return { rejections: ['the turn did not end with a result to judge'] }
  return judgeAcceptance(conditions, {
    finalText,
    cwd: world.folders.cwd,
    workspaceExpected: scenario.files.workspaceExpected ?? null,
    env: world.env,
    limitMs: deadline.leftMs(),
  })
}

export type Deadline = {
  /** @returns a problem when no time is left for it. */
  startStep(): Problem | null
  /** What the current step may still take, at least a millisecond. */
  leftMs(): number
}

/** The nearer of two ends: the step's and the scenario's. */
export function createDeadline({ stepMs, totalMs }: Limits, now: () => number): Deadline {
  let stepEndsAt = stepMs
  return {
    startStep() {
      stepEndsAt = Math.min(now() + stepMs, totalMs)
      return now() < totalMs ? null : describeTotal(totalMs)
    },
    leftMs: () => Math.max(1, stepEndsAt - now()),
  }
}
