/**
 * Session logs as fixtures: readable to the last line, header only when the
 * script never prompts (and never then otherwise), children of this session, and
 * tokens where the system prompt and the tools would be.
 */
import { parseSessionLog, type SessionEvent, type SessionLog } from '@runproof/session-log'
import { isRecord } from '../transcript/line.ts'
import { prompts } from './files.ts'
import { reportFor, type Finding, type Report } from './finding.ts'
import { logNames, type Snapshot } from './snapshot.ts'

export function guardLogs(snapshot: Snapshot): Finding[] {
  if (snapshot.agent.seam !== 'session') return []
  const report = reportFor(snapshot)
  const logs = logNames(snapshot).map((name) => ({
    name,
    log: parseSessionLog(snapshot.texts.get(name) ?? ''),
  }))
  return logs.flatMap(({ name, log }, index) => [
    ...readable(name, log, report),
    ...(index === 0
      ? fitsScript(name, log, snapshot, report)
      : isChild(name, log, logs[0]?.log, report)),
    ...headerTokens(name, log.events, report),
  ])
}

function readable(name: string, log: SessionLog, report: Report): Finding[] {
  const { issue, torn, unterminated } = log
  if (issue !== null) {
    const reason = issue.message.replace(/^line \d+: /, '')
    const message = `cannot be read from here on: ${reason}; record it again`
    return [report('session-log', name, issue.line, message)]
  }
  if (torn !== null) {
    return [report('session-log', name, torn.line, 'the last line is cut off; record it again')]
  }
  return unterminated
    ? [report('line-ends', name, null, 'the last line has no end; add a newline')]
    : []
}

/**
 * Each prompt that is to be answered has its turn; a script without a prompt has none.
 * A prompt that is cancelled or refused may end before its turn begins.
 */
function fitsScript(name: string, log: SessionLog, snapshot: Snapshot, report: Report): Finding[] {
  if (log.header === null || log.issue !== null) return []
  const turns = log.events.filter(({ type }) => type === 'turn/start').length
  const answered = snapshot.input.steps.filter(({ op }) => op === 'prompt').length
  if (!prompts(snapshot)) {
    const isQuiet = log.eventCount === 0 || snapshot.agent.protocol !== 'acp'
    return isQuiet
      ? []
      : [
          report(
            'session-log',
            name,
            2,
            'the script of input.json never prompts, so the log has its header line only; cut the rest, or record it again',
          ),
        ]
  }
  if (turns >= answered) return []
  return [
    report(
      'session-log',
      name,
      null,
      `has ${turns} turns for the ${answered} prompts of input.json; record it again`,
    ),
  ]
}

function isChild(
  name: string,
  log: SessionLog,
  first: SessionLog | undefined,
  report: Report,
): Finding[] {
  const parent = log.header?.parentSession
  if (log.header === null || first === undefined || first.header === null) return []
  if (parent !== undefined) return []
  return [
    report(
      'child-log',
      name,
      1,
      'names no parent session, so it is not a child log; record the scenario again',
    ),
  ]
}

const tokens = { system: '{{system}}', tools: '{{tools}}' }

function headerTokens(name: string, events: readonly SessionEvent[], report: Report): Finding[] {
  return events.flatMap(({ type, seq, data }) => {
    // The header is line 1 and `seq` counts from 0.
    const line = seq + 2
    if (!isRecord(data)) return []
    if (type === 'request/header') return headerFields(name, line, data['header'], report)
    if (type !== 'request/header-delta' || !isRecord(data['system'])) return []
    const insert = data['system']['insert']
    const texts = Array.isArray(insert) ? insert.filter((one) => one !== tokens.system) : []
    return texts.length === 0 ? [] : [promptFinding(name, line, 'system', report)]
  })
}

function headerFields(name: string, line: number, header: unknown, report: Report): Finding[] {
  if (!isRecord(header)) return []
  return (['system', 'tools'] as const)
    .filter((field) => header[field] !== undefined && header[field] !== tokens[field])
    .map((field) => promptFinding(name, line, field, report))
}

const promptFinding = (
  name: string,
  line: number,
  field: keyof typeof tokens,
  report: Report,
): Finding =>
  report(
    'prompt',
    name,
    line,
    field === 'system'
      ? `holds the system prompt itself; write ${tokens.system} and keep the text in system-prompt.golden.md of one scenario of the class`
      : `holds the tool list itself; write ${tokens.tools} and keep the list in tool-schemas.golden.json of one scenario of the class`,
  )
