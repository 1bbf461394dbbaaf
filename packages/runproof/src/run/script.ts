/**
 * The script of a scenario, step by step: each has its time, each prompt that
 * ends may be accepted, and the first step that fails ends the script.
 */
import type { Limits } from '../config/config.ts'
import type { Driver } from '../drive/driver.ts'
import type { Problem } from '../drive/problem.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Step } from '../scenario/step.ts'
import { judgeAcceptance } from './accept.ts'
import type { Claims } from './claims.ts'
import type { Failure } from './failure.ts'
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

export type ScriptResult = {
  failures: Failure[]
  /** Why the last judged prompt was not accepted. */
  rejections: string[]
}

export async function runScript(options: ScriptOptions): Promise<ScriptResult> {
  const { scenario, driver, claims, deadline, onStep } = options
  let rejections: string[] = []
  for (const [index, step] of scenario.input.steps.entries()) {
    const reference = { number: index + 1, op: step.op }
    onStep?.(reference)
    deadline.startStep()
    const { problem, turnEnded } = await driver.runStep(step)
    const finalText = turnEnded ? (claims?.endTurn() ?? null) : null
    if (problem !== null) {
      return { failures: [{ ...problem, step: reference }], rejections }
    }
    if (step.op === 'prompt' && step.accept.length > 0 && finalText !== null) {
      rejections = await accept(step, finalText, options)
      claims?.judge(rejections.length === 0)
    }
  }
  return { failures: driver.close().map(withoutStep), rejections }
}

export const withoutStep = (problem: Problem): Failure => ({ ...problem, step: null })

function accept(
  { accept: conditions }: Extract<Step, { op: 'prompt' }>,
  finalText: string,
  { scenario, world, deadline }: ScriptOptions,
): Promise<string[]> {
  return judgeAcceptance(conditions, {
    finalText,
    cwd: world.folders.cwd,
    workspaceExpected: scenario.files.workspaceExpected ?? null,
    env: world.env,
    limitMs: deadline.leftMs(),
  })
}

export type Deadline = {
  startStep(): void
  /** What the current step may still take, at least a millisecond. */
  leftMs(): number
}

/** The nearer of two ends: the step's and the scenario's. */
export function createDeadline({ stepMs, totalMs }: Limits, now: () => number): Deadline {
  let stepEndsAt = stepMs
  return {
    startStep() {
      stepEndsAt = Math.min(now() + stepMs, totalMs)
    },
    leftMs: () => Math.max(1, stepEndsAt - now()),
  }
}
