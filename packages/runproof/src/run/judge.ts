/**
 * What is wrong with a run, beyond what went wrong while it ran: the claim it
 * ended in, the two witnesses, the replay's report, the way it left, and every
 * output that differs. First causes come first.
 */
import type { AgentConfig } from '../config/config.ts'
import { describeAbove, findAbove } from '../launch/above.ts'
import type { ProcessEnd } from '../launch/process.ts'
import { writerOf } from '../pending/writable.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isPrompt } from '../scenario/step.ts'
import { describeAttempt } from '../fence/attempt.ts'
import { agentInfoOf } from '../transcript/agent-info.ts'
import { visible } from '../visible.ts'
import { compareWitnesses } from './agree.ts'
import type { Execution } from './execute.ts'
import type { Failure } from './failure.ts'
import type { Output } from './goldens.ts'
import { isSessionLog, parseEvent, type SessionLog } from './harvest.ts'
import { withoutStep } from './script.ts'

/** An agent that gets no answer asks in other ways; what it asked first tells the cause. */
const missesExplainedMax = 3

/** Failures of the run itself; when there are any, its outputs prove nothing. */
export function judgeRun(scenario: Scenario, agent: AgentConfig, run: Execution): Failure[] {
  const { failures } = run
  const replay = judgeReplay(scenario, run)
  return [
    ...replay,
    // A miss makes the agent answer with an error: told once is enough.
    ...failures.filter(({ code }) => replay.length === 0 || code !== 'unexpected-error'),
    ...(failures.length === 0 ? judgeExits(agent, run) : []),
    ...judgeLeftovers(run),
    ...judgeEgress(run),
  ]
}

/** Failures of what the run produced. */
export function judgeOutputs(
  scenario: Scenario,
  run: Execution,
  outputs: readonly Output[],
): Failure[] {
  return [
    ...judgeClaim(scenario, run),
    ...judgeWitnesses(run),
    ...outputs.flatMap((output) => judgeOutput(output, scenario)),
  ]
}

function judgeReplay(scenario: Scenario, run: Execution): Failure[] {
  const { folder, files } = scenario
  const { report, failures, logs } = run
  const asksModel = files.override !== undefined || logs.some(hasModelCall)
  const isOwed = run.isUnreported && asksModel && failures.length === 0
  if (report === null) return isOwed ? [unreported] : []
  const hints = report.misses.length === 0 ? [] : [...versionHint(run), ...aboveHint()]
  const misses = report.misses.map(({ code, message }, index): Failure => ({
    code: code === 'exhausted' ? 'replay-exhausted' : 'replay-miss',
    step: failures[0]?.step ?? null,
    message: firstLine(message).replaceAll(`${folder}/`, ''),
    details: index < missesExplainedMax ? [...hints, ...message.split('\n').slice(1)] : [],
  }))
  // A script that broke off leaves calls over as a matter of course.
  if (misses.length > 0 || failures.length > 0) return misses
  if (isOwed) return [unreported]
  if (report.unused === 0) return []
  const { unusedCalls, neutralCalls = [] } = report
  return [
    {
      code: 'replay-unused',
      step: null,
      message: `the agent made ${report.served} of the ${report.served + report.unused} recorded model calls`,
      details: [
        ...(unusedCalls?.map(({ words }) => `not made: ${words}`) ?? [
          'it stopped earlier than when it was recorded',
        ]),
        ...neutralCalls.map(
          (call) => `answered beside the script, for it offers no tools or wants a schema: ${call}`,
        ),
        ...permissionHint(scenario, run),
      ],
      ...(unusedCalls !== undefined && { unusedExchanges: unusedCalls.map(({ n }) => n) }),
    },
  ]
}

/** A question that had no answer ends many a turn early. */
function permissionHint({ input }: Scenario, { transcript }: Execution): string[] {
  const { steps, permissionAnswers } = input
  // What a cancel leaves open, it answers as well.
  if (steps.some(({ op }) => op === 'promptAndCancel' || op === 'cancel')) return []
  const asked = transcript.filter(
    (line) => line.dir === '<' && 'm' in line && line.m['method'] === 'session/request_permission',
  )
  return asked.length <= permissionAnswers.length
    ? []
    : [
        `requests for permission: ${asked.length}, "permissionAnswers": ${permissionAnswers.length}; the rest was answered "cancelled"`,
      ]
}

/** Prompts change with every release of an agent: of a miss the first thing to know. */
function versionHint({ report, transcript }: Execution): string[] {
  const version = agentInfoOf(transcript)?.['version']
  const recorded = report?.recordedWith
  if (typeof version !== 'string' || typeof recorded !== 'string') return []
  return version === recorded
    ? []
    : [`recorded with version ${visible(recorded)} of the agent, this is ${visible(version)}`]
}

function aboveHint(): string[] {
  const hint = describeAbove(findAbove())
  return hint === null ? [] : [visible(hint)]
}

const hasModelCall = ({ lines }: SessionLog): boolean =>
  lines.some((line) => line.includes('step/start') && parseEvent(line)?.['type'] === 'step/start')

const unreported: Failure = {
  code: 'replay-unreported',
  step: null,
  message: 'the agent made model calls but left no replay report, so they may have been live ones',
  details: [
    'mount @runproof/replay/llm-replay in its replay composition; it writes RUNPROOF_REPORT',
  ],
}

const judgeExits = (agent: AgentConfig, { ends }: Execution): Failure[] =>
  ends.flatMap((end) => judgeExit(agent, end))

function judgeExit({ limits, endsBy }: AgentConfig, end: ProcessEnd): Failure[] {
  const { exitCode, signal, forced } = end
  const isAsked = endsBy === 'signal' && forced === 'SIGTERM'
  if (isAsked || (forced === null && exitCode === 0)) return []
  const message =
    forced === null
      ? `the agent exited with ${signal ?? `code ${exitCode}`} after its stdin ended, expected code 0`
      : `the agent did not exit within ${limits.exitMs} ms after its stdin ended; it took ${forced}`
  return [{ code: 'bad-exit', step: null, message, details: [], showsStderr: true }]
}

function judgeLeftovers({ ends }: Execution): Failure[] {
  const leftovers = ends.flatMap((end) => end.leftovers)
  if (leftovers.length === 0) return []
  const count = leftovers.length === 1 ? 'a process' : `${leftovers.length} processes`
  return [
    {
      code: 'left-processes',
      step: null,
      message: `the agent exited and left ${count} behind (killed by now)`,
      details: leftovers.map(({ pid, command }) => `${pid}: ${visible(command)}`),
    },
  ]
}

function judgeEgress({ attempts }: Execution): Failure[] {
  const refused = attempts.filter(({ isAllowed }) => !isAllowed)
  if (refused.length === 0) return []
  const hosts = [...new Set(refused.map(({ host }) => visible(host)))]
  return [
    {
      code: 'egress',
      step: null,
      message: `the agent tried to reach ${hosts.join(', ')}; a replay reaches nothing but the recording`,
      details: [
        ...refused.map((attempt) => visible(describeAttempt(attempt))),
        `switch it off in the agent, or put up with it: "provider: {allowHosts: [${hosts.join(', ')}]}" in runproof.yml`,
      ],
    },
  ]
}

/** What has conditions must meet them; only of the last prompt `expect` may say otherwise. */
export function judgeClaim(scenario: Scenario, run: Execution): Failure[] {
  const { input } = scenario
  const { claims, unaccepted } = run
  const lastPrompt = input.steps.findLastIndex(isPrompt)
  const last = input.steps[lastPrompt]
  const hasConditions = last?.op === 'prompt' && last.accept.length > 0
  const expected = input.expect?.status ?? (hasConditions ? 'done' : null)
  const actual = claims?.claim ?? null
  const earlier = unaccepted.filter(({ step }) => step.number !== lastPrompt + 1)
  const failures = earlier.map(({ step, reasons }): Failure => ({
    code: 'claim',
    step,
    message: 'what this prompt led to is not accepted',
    details: reasons.map(notAccepted),
  }))
  if (expected === null || expected === actual) return failures
  const issues = claims?.prompts.at(-1)?.issues ?? []
  const reasons = unaccepted.flatMap((one) => (earlier.includes(one) ? [] : one.reasons))
  return [
    ...failures,
    {
      code: 'claim',
      step: null,
      message: `the last prompt ends in ${actual === null ? 'no claim' : `"${actual}"`}, expected "${expected}"`,
      details: [
        ...reasons.map(notAccepted),
        ...(issues.length === 0 ? [] : [`issues: ${issues.join(', ')}`]),
        ...permissionHint(scenario, run),
      ],
    },
  ]
}

const notAccepted = (reason: string): string => `not accepted: ${reason}`

function judgeWitnesses({ claims, logs }: Execution): Failure[] {
  if (claims === null) return []
  return compareWitnesses(claims.prompts, logs.filter(isSessionLog)).map(withoutStep)
}

function judgeOutput(
  { file, path, difference, expected, isOptional, holdsSecret = false }: Output,
  { name }: Scenario,
): Failure[] {
  if (difference === null || (expected === null && isOptional)) return []
  if (expected === null && writerOf(path) === 'review') {
    return [
      {
        code: 'missing-golden',
        step: null,
        message: difference.summary,
        details: [holdsSecret ? noGolden : 'look at it and accept it: runproof review'],
        difference,
      },
    ]
  }
  return [
    {
      code: 'difference',
      step: null,
      message: `${file}: ${difference.summary}`,
      details: [
        holdsSecret
          ? noGolden
          : `if the change is meant: ${remedies[writerOf(path)](visible(name))}`,
      ],
      difference,
    },
  ]
}

const noGolden =
  'it holds a secret, shown as {{secret:N}}, which no golden may hold: see that the agent does not get it, or does not say it'

const remedies = {
  review: () => 'runproof review',
  record: (name: string) => `runproof record ${name}`,
  person: () => 'write it into workspace.expected/',
} as const

const firstLine = (text: string): string => text.split('\n')[0] ?? ''
