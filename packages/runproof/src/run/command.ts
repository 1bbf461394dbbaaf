/**
 * `runproof test`: replays scenarios keyless and compares everything they
 * produce. Writes differences to the pending store (never with `CI` set) and,
 * on request, the actual outputs to a folder; never a golden.
 */
import { constants } from 'node:fs'
import { readConfig } from '../config/read.ts'
import { RunproofError } from '../error.ts'
import { isThere } from '../launch/which.ts'
import { createPendingStore, type PendingStore } from '../pending/store.ts'
import { createReporter, reporterNames } from '../report/choose.ts'
import { orderResults } from '../report/reporter.ts'
import { leaveOutAbsent } from '../scenario/absent.ts'
import { selectScenarios, type Selection } from '../scenario/select.ts'
import { createOutput, isReadOnly, type Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'
import { findRefusals } from './guard.ts'
import { readPins } from './header.ts'
import { makeOutFolders } from './keep-outputs.ts'
import { defaultJobs, runSuite } from './suite.ts'

export type TestOptions = {
  agent?: string
  filter?: string
  shard?: string
  jobs?: string
  reporter?: string
  out?: string
  json?: boolean
}

const jobsMax = 256

/** @param folder where to look for `runproof.yml`, upwards. @returns the exit code. */
export async function runTest(
  wanted: readonly string[],
  options: TestOptions,
  terminal: Terminal,
  folder: string,
): Promise<0 | 1 | 3> {
  const jobs = options.jobs === undefined ? defaultJobs() : parseJobs(options.jobs)
  const reporterName = parseReporter(options)
  const selection = createSelection(wanted, options)
  const config = await readConfig(folder)
  const selected = await selectScenarios(config, selection)
  const { scenarios, leftOut, note } = await leaveOutAbsent(config, selected, terminal.env)
  if (note !== null) terminal.stderr.write(`${note}\n`)
  const pending = await openPending(config.root, terminal)
  const runnable = scenarios.filter((one) => 'input' in one)
  const outFolder =
    options.out === undefined ? null : await makeOutFolders(options.out, folder, runnable)
  const output = createOutput(terminal.stdout)
  const reporter = await createReporter(reporterName, { terminal, output, from: folder })

  const startedAt = performance.now()
  reporter.begin?.(scenarios)
  const results = await runSuite(scenarios, {
    config,
    refusals: await findRefusals(scenarios, selection, config),
    env: terminal.env,
    pins: await readPins(config, scenarios),
    pending,
    outFolder,
    jobs,
    events: orderResults(scenarios, reporter),
  })
  const durationMs = Math.round(performance.now() - startedAt)
  await reporter.finish({ results, leftOut, durationMs, jobs })
  await output.flush()
  if (results.some(({ failures }) => failures.some(({ code }) => code === 'environment'))) return 3
  return results.every(({ passed }) => passed) ? 0 : 1
}

/** Where differences wait; null in CI, and in a project that may not be written to. */
async function openPending(root: string, terminal: Terminal): Promise<PendingStore | null> {
  if (isReadOnly(terminal)) return null
  if (await isThere(root, constants.W_OK)) return createPendingStore(root)
  terminal.stderr.write(
    `differences are not kept for review: ${visible(root)} cannot be written to\n`,
  )
  return null
}

function createSelection(
  scenarios: readonly string[],
  { agent, filter, shard }: TestOptions,
): Selection {
  return {
    scenarios,
    orphans: true,
    ...(agent !== undefined && { agent }),
    ...(filter !== undefined && { filter }),
    ...(shard !== undefined && { shard: parseShard(shard) }),
  }
}

function parseReporter({ reporter = 'pretty', json }: TestOptions): string {
  if (json === true) return 'json'
  if (reporterNames.includes(reporter)) return reporter
  throw new RunproofError(
    'usage',
    `--reporter ${visible(reporter)} is not known; choose one of: ${reporterNames.join(', ')}`,
  )
}

function parseShard(text: string): { index: number; count: number } {
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? []
  if (index !== undefined && count !== undefined && index >= 1 && index <= count) {
    return { index, count }
  }
  throw new RunproofError(
    'usage',
    `--shard takes I/N with I from 1 to N, such as 2/3, not ${visible(text)}`,
  )
}

function parseJobs(text: string): number {
  const jobs = Number(text)
  if (Number.isInteger(jobs) && jobs >= 1 && jobs <= jobsMax) return jobs
  throw new RunproofError(
    'usage',
    `--jobs takes a whole number from 1 to ${jobsMax}, not ${visible(text)}`,
  )
}
