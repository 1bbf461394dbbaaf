/** Which rules a run broke: the audits of `runproof check`, as failures. */
import { createAcpAudit } from '../check/acp/audit.ts'
import type { Audit } from '../check/audit.ts'
import { createSessionAudit } from '../check/session/audit.ts'
import type { AgentConfig } from '../config/config.ts'
import { scenarioFiles } from '../scenario/scenario.ts'
import { serializeTranscriptLine } from '../transcript/line.ts'
import type { Execution } from './execute.ts'
import type { Failure } from './failure.ts'
import { isSessionLog } from './harvest.ts'

/** Rules that the transcript and the logs of a run break; a file whose first line nobody can read is one. */
export function auditRun(agent: AgentConfig, { transcript, logs }: Execution): Failure[] {
  const files: [string, Audit, readonly string[]][] = logs
    .filter((log) => log.header === null || isSessionLog(log))
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
