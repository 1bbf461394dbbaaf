/**
 * What is wrong with a scenario's files before anything runs (the guards), and
 * which rules the run itself broke (the audits of `runproof check`), as
 * failures.
 */
import { relative, sep } from 'node:path'
import { createAcpAudit } from '../check/acp/audit.ts'
import type { Audit } from '../check/audit.ts'
import { createSessionAudit } from '../check/session/audit.ts'
import type { AgentConfig } from '../config/config.ts'
import type { Finding } from '../guard/finding.ts'
import { secretValues } from '../guard/secret.ts'
import { readSnapshot } from '../guard/snapshot.ts'
import { guardScenario } from '../guard/suite.ts'
import { scenarioFiles, type Scenario } from '../scenario/scenario.ts'
import { serializeTranscriptLine } from '../transcript/line.ts'
import type { Execution } from './execute.ts'
import type { Failure } from './failure.ts'
import { isSessionLog } from './harvest.ts'

/** Goldens that a first run makes; to have none yet is no reason not to run. */
const madeByRun: ReadonlySet<string> = new Set([scenarioFiles.stdout, scenarioFiles.progress])

/** Why the folder is refused; none: it may run. */
export async function guardFolder(
  scenario: Scenario,
  agent: AgentConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Failure[]> {
  const findings = guardScenario(await readSnapshot(scenario, agent), secretValues(env))
  return findings.filter((finding) => !isFirstRun(finding, scenario)).map(failureOf)

  function failureOf({ path, line, message }: Finding): Failure {
    const file = fileIn(scenario, path)
    const place = line === null ? file : `${file}:${line}`
    return { code: 'guard', step: null, message: `${place}: ${message}`, details: [] }
  }
}

const fileIn = ({ folder }: Scenario, path: string): string =>
  relative(folder, path).split(sep).join('/') || '.'

const isFirstRun = ({ code, path }: Finding, scenario: Scenario): boolean =>
  code === 'missing-file' && madeByRun.has(fileIn(scenario, path))

/** Rules that the transcript and the logs of a run break. */
export function auditRun(agent: AgentConfig, { transcript, logs }: Execution): Failure[] {
  const files: [string, Audit, readonly string[]][] = logs
    .filter(isSessionLog)
    .map(({ lines }, index) => [
      index === 0 ? scenarioFiles.session : `session.${index}.jsonl`,
      createSessionAudit(),
      lines,
    ])
  if (agent.protocol === 'acp') {
    files.unshift(['the transcript', createAcpAudit(), transcript.map(serializeTranscriptLine)])
  }
  return files.flatMap(([name, audit, lines]) => auditLines(name, audit, lines, agent.rulesOff))
}

function auditLines(
  name: string,
  audit: Audit,
  lines: readonly string[],
  rulesOff: readonly string[],
): Failure[] {
  const told = lines.flatMap((text, index) => audit.push({ number: index + 1, text }))
  return [...told, ...audit.end().violations]
    .filter(({ severity, rule }) => severity === 'error' && !rulesOff.includes(rule))
    .map(({ rule, line, event, message }) => ({
      code: 'rule',
      step: null,
      message: `${rule}, line ${line} of ${name} (${event}): ${message}`,
      details: [`if the agent means it: "rulesOff: [${rule}]" in runproof.yml`],
    }))
}
