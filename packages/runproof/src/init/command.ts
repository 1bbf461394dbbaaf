/**
 * `runproof init`: finds an agent that Runproof knows, writes `runproof.yml` and
 * a first scenario, and says what to do next. It never writes over a file, and
 * runs and installs nothing.
 *
 * Exit codes: 0 the set-up is there · 2 it is not clear which agent is meant ·
 * 3 no agent was found and none was named.
 */
import { isCancel, select } from '@clack/prompts'
import { howToSetUp } from '../config/example.ts'
import { configName } from '../config/read.ts'
import { RunproofError } from '../error.ts'
import { findProgram, packageVersion, type FoundProgram } from '../presets/program.ts'
import { listPresets, readPreset, type Preset } from '../presets/preset.ts'
import { createOutput, type Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'
import { detectAgents, nearestOf } from './detect.ts'
import { firstScenario, writeSetUp, type Written } from './write.ts'

export type InitOptions = { preset?: string; json?: boolean }

/** @param folder the project: where the files are written. */
export async function runInit(
  { preset: wanted, json = false }: InitOptions,
  terminal: Terminal,
  folder: string,
): Promise<0> {
  const preset = wanted === undefined ? await choose(terminal, folder) : named(wanted)
  const { program } = preset.agent
  const found = program === undefined ? null : await findProgram(program, folder, terminal.env)
  const written = await writeSetUp(folder, preset)
  const next = nextSteps(preset, found, written)
  const output = createOutput(terminal.stdout)
  if (json) {
    for (const one of written) output.line(visibleJson(one))
    output.line(
      visibleJson({
        end: true,
        preset: preset.name,
        program: found?.words ?? null,
        version: found?.version ?? null,
        next,
      }),
    )
  } else printText({ preset, found, written, next }, (line) => output.line(line))
  await output.flush()
  return 0
}

function named(name: string): Preset {
  const preset = readPreset(name)
  if (preset !== null) return preset
  throw new RunproofError(
    'usage',
    `there is no preset ${visible(name)}; choose one of: ${listPresets().join(', ')}; ${howToSetUp}`,
  )
}

/** The agent that is there; of several the one that a person chooses. */
async function choose({ stdin, stdout, env }: Terminal, folder: string): Promise<Preset> {
  const detected = await detectAgents(folder, env)
  const [first, ...others] = nearestOf(detected)
  if (first === undefined) {
    throw new RunproofError(
      'environment',
      `found none of the agents that runproof knows: ${listPresets().join(', ')}; name one with --preset; ${howToSetUp}`,
    )
  }
  if (others.length === 0) return first.preset
  const names = [first, ...others].map(({ preset }) => preset.name)
  if (stdout.isTTY !== true || !('isTTY' in stdin)) {
    throw new RunproofError(
      'usage',
      `several agents are here (${names.join(', ')}); say which: runproof init --preset ${first.preset.name}`,
    )
  }
  const chosen = await select({
    message: 'Which agent?',
    options: detected.map(({ preset, found }) => ({
      value: preset,
      label: preset.title,
      hint: found.where,
    })),
    input: stdin,
    output: stdout,
  })
  if (isCancel(chosen)) throw new RunproofError('usage', 'nothing was chosen, nothing is written')
  return chosen
}

function nextSteps(
  { name, agent }: Preset,
  found: FoundProgram | null,
  written: readonly Written[],
): string[] {
  const { program, provider } = agent
  const install =
    found === null && program !== undefined
      ? [`install the agent: npm install --save-dev ${program.packages.join(' ')}`]
      : []
  const hasOwn = written.some(({ file, action }) => file === configName && action === 'kept')
  const mention = hasOwn
    ? [`see that ${configName} has the agent, under "agents": ${name}: { preset: ${name} }`]
    : []
  const key = provider?.key
  // The path: several agents may have a scenario of that name.
  const record = `npx runproof record scenarios/${name}/${firstScenario}`
  return [
    ...install,
    ...mention,
    key == null ? `record once: ${record}` : `record once, with your key in ${key}: ${record}`,
    'replay for ever, with no key and no network: npx runproof test',
  ]
}

function printText(
  {
    preset,
    found,
    written,
    next,
  }: {
    preset: Preset
    found: FoundProgram | null
    written: readonly Written[]
    next: readonly string[]
  },
  line: (text: string) => void,
): void {
  for (const text of describeFound(preset, found)) line(text)
  for (const note of preset.notes) line(`  ${note}`)
  for (const { file, action } of written) {
    line(action === 'written' ? `wrote ${file}` : `kept ${file}, which was there`)
  }
  line('Next:')
  for (const [index, step] of next.entries()) line(`  ${index + 1}. ${step}`)
}

/** Where it is, and whether it is the release that the preset was made with. */
function describeFound({ title, agent }: Preset, found: FoundProgram | null): string[] {
  if (found === null) return [`${title} is not installed here`]
  const { version, words } = found
  const shown = version === null ? title : `${title} ${visible(version)}`
  const known = packageVersion(agent.program?.packages[0] ?? '')
  const isKnown = version === null || version === known
  return [
    `${shown} is here: ${visible(words.join(' '))}`,
    ...(isKnown ? [] : [`  This preset was made with ${known}: look twice at what is recorded`]),
  ]
}
