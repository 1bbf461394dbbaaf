/**
 * The verdict on a run: its outputs beside the goldens, and everything that is
 * wrong, first causes first. Loaded while the agent starts, since nothing of
 * it is needed before.
 */
import type { AgentConfig } from '../config/config.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { auditRun } from './audit.ts'
import type { Execution } from './execute.ts'
import type { Failure } from './failure.ts'
import { compareOutputs, type Output } from './goldens.ts'
import type { Pin } from './header.ts'
import { judgeOutputs, judgeRun } from './judge.ts'
import type { Hiding } from './secret.ts'

export type Verdict = {
  /** None for a run that was not sound, unless they are wanted all the same. */
  outputs: Output[]
  failures: Failure[]
  /** Whether the run itself was sound, so that its outputs may be accepted. */
  isSound: boolean
}

export async function judgeExecution(
  scenario: Scenario,
  agent: AgentConfig,
  run: Execution,
  { pin, wantsOutputs, hiding }: { pin: Pin | null; wantsOutputs: boolean; hiding: Hiding },
): Promise<Verdict> {
  const broken = judgeRun(scenario, agent, run)
  const isSound = broken.length === 0
  const compared =
    isSound || wantsOutputs ? await compareOutputs({ scenario, agent, execution: run }, pin) : []
  const outputs = compared.map(hiding.output)
  const failures = isSound
    ? [...judgeOutputs(scenario, run, outputs), ...auditRun(agent, run)]
    : broken
  return { outputs, failures: failures.map(hiding.failure), isSound }
}
