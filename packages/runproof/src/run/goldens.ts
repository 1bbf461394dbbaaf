/**
 * The outputs of a run against the files of its scenario: transcript, session
 * logs, progress, pinned header, workspace. Both sides are normalised first,
 * each in its own context; how a golden was written (typed or untyped tokens,
 * facts in order or as state) decides how the live side is read.
 */
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { compareLines } from '../compare/compare.ts'
import type { Difference } from '../compare/difference.ts'
import type { AgentConfig } from '../config/config.ts'
import type { NormaliseContext, NormaliseRule } from '../normalise/context.ts'
import { escapeExpression } from '../normalise/folder.ts'
import { normaliseSessionLogs } from '../normalise/session-log.ts'
import { goldenMode, normaliseTranscript } from '../normalise/transcript.ts'
import { scenarioFiles, type Scenario } from '../scenario/scenario.ts'
import type { TranscriptLine } from '../transcript/line.ts'
import type { Execution } from './execute.ts'
import { readGolden } from './golden-file.ts'
import { isSessionLog, parseLog, type SessionLog } from './harvest.ts'
import { headerTexts, type Pin } from './header.ts'
import type { FileChange } from './workspace.ts'

/** One output beside the file that says what it should be. */
export type Output = {
  /** The file's name in the scenario folder. */
  file: string
  /** Absolute. */
  path: string
  /** Null when the file is not there. */
  expected: readonly string[] | null
  /** Null when the run did not produce it. */
  actual: readonly string[] | null
  difference: Difference | null
  /** Not having the file is nothing to complain about. */
  isOptional: boolean
  /** It is shown with a placeholder, and no golden may hold it. */
  holdsSecret?: boolean
}

type Context = { scenario: Scenario; agent: AgentConfig; execution: Execution }

/** Every output of the run, in a fixed order. */
export async function compareOutputs(context: Context, pin: Pin | null): Promise<Output[]> {
  const fixtures = await readFixtures(context.scenario)
  const base = baseContext(context, fixtures)
  return [
    await compareStdout(context, base),
    ...compareLogs(context, base, fixtures),
    ...(await compareProgress(context)),
    ...(await compareHeader(context, base, pin)),
    ...context.execution.workspaceChanges.map((change) => outputOf(change, context.scenario)),
  ]
}

/** What normalising knows of the live run; the recorded folder is the fixture's. */
function baseContext(
  { agent, execution }: Context,
  fixtures: readonly SessionLog[],
): NormaliseContext {
  const { agentFolder } = execution
  const { cwd, home, tmp, sessions } = execution.folders
  const recordedCwd = fixtures.flatMap(({ header }) =>
    typeof header?.['cwd'] === 'string' ? [header['cwd']] : [],
  )
  const sessionIds = execution.logs.flatMap(({ header }) =>
    typeof header?.['id'] === 'string' ? [header['id']] : [],
  )
  return {
    protocol: agent.protocol,
    cwd,
    home,
    recordedCwd,
    roots: { tmp, sessions, ...(agentFolder !== null && { agent: agentFolder }) },
    sessionIds,
    rules: [...agent.normalise, ...runRules(execution)],
    joinChunks: agent.joinChunks,
  }
}

/** What only this run is called: the address that stood for the provider, the folder without its slash. */
function runRules({ folders, providerUrl }: Execution): NormaliseRule[] {
  if (providerUrl === null) return []
  const { host } = new URL(providerUrl)
  const fromRoot = escapeExpression(folders.cwd.replace(/^[\\/]/, ''))
  return [
    { match: escapeExpression(host), token: 'provider' },
    { match: `(?<![\\w./-])(${fromRoot})(?![\\w-])`, token: 'cwd-from-root' },
  ]
}

async function compareStdout({ scenario, agent, execution }: Context, base: NormaliseContext) {
  const expected = await readGolden(scenario.files.stdout)
  const mode =
    expected === null
      ? { housekeeping: agent.housekeeping }
      : { ...goldenMode(expected, base), housekeeping: agent.housekeeping }
  const actual = normaliseTranscript(receivedMessages(execution.transcript), { ...base, ...mode })
  return compareOne(scenario, scenarioFiles.stdout, expected, actual)
}

function receivedMessages(transcript: readonly TranscriptLine[]): Record<string, unknown>[] {
  return transcript.flatMap((line) => (line.dir === '<' && 'm' in line ? [line.m] : []))
}

/** The scenario's logs, its own session first. */
async function readFixtures({ files, childLogs }: Scenario): Promise<SessionLog[]> {
  const paths = [...(files.session === undefined ? [] : [files.session]), ...childLogs]
  return Promise.all(paths.map(async (path) => parseLog(await readFile(path, 'utf8'))))
}

function compareLogs(
  { scenario, execution }: Context,
  base: NormaliseContext,
  fixtures: readonly SessionLog[],
): Output[] {
  const logs = execution.logs.filter(isSessionLog)
  const { tokens } = goldenMode(fixtures.flatMap(({ lines }) => lines))
  const { rules = [] } = base
  const expected = normaliseSessionLogs(
    fixtures.map(({ lines }) => lines),
    { tokens, rules },
  )
  const actual = normaliseSessionLogs(
    logs.map(({ lines }) => lines),
    { ...base, tokens },
  ).map((lines, index) => (logs[index]?.isEnded === false ? [...lines, unendedLine] : lines))
  const count = Math.max(fixtures.length, logs.length)
  return Array.from({ length: count }, (_, index) => {
    const file = index === 0 ? scenarioFiles.session : `session.${index}.jsonl`
    const output = compareOne(scenario, file, expected[index] ?? null, actual[index] ?? null)
    const isQuiet = index === 0 && saysNothing(fixtures[0], logs[0])
    return isQuiet ? { ...output, difference: null } : output
  })
}

/** A header alone says that no turn happened; an agent may as well have written nothing. */
function saysNothing(fixture: SessionLog | undefined, live: SessionLog | undefined): boolean {
  return live === undefined && fixture?.lines.length === 1
}

/** What stands behind the last line of a log that does not end it: the next reader takes it for torn. */
const unendedLine = '{{no end of line}}'

async function compareProgress({ scenario, execution }: Context): Promise<Output[]> {
  if (execution.claims === null) return []
  const expected = await readGolden(scenario.files.progress)
  const actual = execution.claims.lines()
  // A script without a prompt claims nothing, and needs no file to say so.
  if (expected === null && actual.length === 0) return []
  const output = compareOne(scenario, scenarioFiles.progress, expected, actual)
  return [{ ...output, isOptional: scenario.isForeign }]
}

async function compareHeader(
  { scenario, execution }: Context,
  base: NormaliseContext,
  pin: Pin | null,
): Promise<Output[]> {
  const primary = execution.logs.find(isSessionLog)
  if (pin === null || primary === undefined) return []
  const live = headerTexts(primary, base)
  if (live === null) return []
  const isOwn = pin.folder === scenario.folder
  return (
    [
      [scenarioFiles.systemPrompt, pin.systemPrompt, live.systemPrompt],
      [scenarioFiles.toolSchemas, pin.toolSchemas, live.toolSchemas],
    ] as const
  ).flatMap(([file, expected, actual]) => {
    if (expected === null && !isOwn) return []
    const name = isOwn ? file : `${file} of ${basename(pin.folder)}`
    const output = compareOne(scenario, name, expected, actual)
    return [{ ...output, path: join(pin.folder, file) }]
  })
}

function compareOne(
  scenario: Scenario,
  file: string,
  expected: readonly string[] | null,
  actual: readonly string[] | null,
): Output {
  return {
    file,
    path: join(scenario.folder, file),
    expected,
    actual,
    difference: compareLines({ scenario: scenario.name, file, expected, actual }),
    isOptional: false,
  }
}

/** A file of the workspace that is not as `workspace.expected/` has it. */
function outputOf(change: FileChange, scenario: Scenario): Output {
  const file = `${scenarioFiles.workspaceExpected}/${change.path}`
  const [expected, actual] = [change.expected, change.actual].map((text) =>
    text === null ? null : text.split('\n'),
  )
  const isText = change.kind !== 'changed' || (expected !== null && actual !== null)
  const output = compareOne(scenario, file, expected ?? null, actual ?? null)
  if (isText && output.difference !== null) return output
  const { summary, kind } = change
  const difference: Difference = {
    scenario: scenario.name,
    file,
    kind,
    summary,
    cause: `${file}:${kind}`,
    changes: [],
    changeCount: 0,
  }
  return { ...output, difference }
}
