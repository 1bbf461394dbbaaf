/**
 * `runproof doctor`: looks over scenario folders without running an agent, and at
 * what a run needs of the machine.
 *
 * Exit codes: 0 all holds · 1 a guard found something · 2 nothing to look at · 3 the
 * machine lacks something (whatever the guards found).
 */
import { basename, resolve } from 'node:path'
import picocolors from 'picocolors'
import { findConfig, readConfig } from '../config/read.ts'
import type { Config } from '../config/config.ts'
import { RunproofError } from '../error.ts'
import { readScenarioFolder } from '../scenario/scenario.ts'
import { selectScenarios } from '../scenario/select.ts'
import { createOutput, isColoured, type Output, type Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'
import { checkEnvironment, type EnvironmentCheck } from './environment.ts'
import { findingText, type Finding } from './finding.ts'
import { findOrphans } from './name.ts'
import { createSecretFinder } from './secret.ts'
import { runGuards, type GuardedScenario } from './suite.ts'

export type DoctorOptions = { json?: boolean }

/**
 * @param wanted folders or names; none: every scenario of `runproof.yml`
 * @param folder where to look for `runproof.yml`, upwards
 */
export async function runDoctor(
  wanted: readonly string[],
  { json = false }: DoctorOptions,
  terminal: Terminal,
  folder: string,
): Promise<0 | 1 | 3> {
  const config = findConfig(folder) === null ? null : await readConfig(folder)
  if (config === null && wanted.length === 0) {
    throw new RunproofError(
      'unreadable',
      `no runproof.yml in ${visible(folder)} or above it; name the scenario folders, or write one`,
    )
  }
  const checks = await checkEnvironment(config, terminal.env)
  const roots = wanted.length > 0 ? [] : (config?.scenarios ?? [])
  const orphans = (await Promise.all(roots.map((root) => findOrphans(root)))).flat()
  const scenarios = await readScenarios(wanted, config).catch((error: unknown) => {
    // No scenario at all is the orphans' story, when there are any.
    if (orphans.length > 0 && error instanceof RunproofError) return []
    throw error
  })
  const finder = await createSecretFinder(terminal.env)
  const guarded = await runGuards(scenarios, config?.agents ?? {}, finder)
  const findings = [...guarded, ...orphans]

  const output = createOutput(terminal.stdout)
  const report = { checks, findings, count: scenarios.length }
  if (json) printJson(report, output)
  else printText(report, output, folder, isColoured(terminal.stdout, terminal.env))
  await output.flush()
  if (checks.some(({ ok }) => !ok)) return 3
  return findings.length > 0 ? 1 : 0
}

type DoctorReport = { checks: EnvironmentCheck[]; findings: Finding[]; count: number }

/** Without a configuration the folders stand for themselves. */
async function readScenarios(
  wanted: readonly string[],
  config: Config | null,
): Promise<GuardedScenario[]> {
  if (config !== null) return selectScenarios(config, { scenarios: wanted })
  return Promise.all(
    wanted.map(async (one) => {
      const folder = resolve(one)
      const name = basename(folder)
      const content = await readScenarioFolder(folder).catch(() => null)
      if (content === null) {
        throw new RunproofError(
          'unreadable',
          `cannot read ${visible(one)}: it is no folder with an input.json`,
        )
      }
      return 'problems' in content
        ? { name, folder, problems: content.problems }
        : { name, agent: null, ...content }
    }),
  )
}

function printText(
  { checks, findings, count }: DoctorReport,
  output: Output,
  base: string,
  colours: boolean,
): void {
  const paint = picocolors.createColors(colours)
  for (const { what, ok, message } of checks) {
    output.line(`${ok ? paint.green('ok') : paint.red('lacks')} ${what}: ${message}`)
  }
  for (const finding of findings) {
    output.line(`${paint.red('found')} ${findingText(finding, base)}`)
  }
  const scenarios = count === 1 ? '1 scenario' : `${count} scenarios`
  output.line(
    `${scenarios} looked over, ${findings.length === 0 ? 'nothing' : findings.length} found`,
  )
}

function printJson({ checks, findings, count }: DoctorReport, output: Output): void {
  for (const check of checks)
    output.line(visibleJson({ check: check.what, ok: check.ok, message: check.message }))
  for (const finding of findings) output.line(visibleJson(finding))
  const environment = checks.every(({ ok }) => ok) ? 'ok' : 'lacking'
  output.line(visibleJson({ end: true, scenarios: count, findings: findings.length, environment }))
}
