/** An agent of the configuration, set up for one run: its words, its environment, the files of its home. */
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import type { AgentConfig, Config } from '../config/config.ts'
import type { ProviderSetting } from '../config/provider.ts'
import { fillPlaceholders, fillRecord, type Places } from '../config/placeholders.ts'
import { buildEnvironment, pickVariables } from '../launch/environment.ts'
import type { RunFolders } from '../launch/folders.ts'
import type { FoundProgram } from '../presets/program.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Message } from '../transcript/line.ts'
import type { Provider } from './provider.ts'
import type { Mode } from './seam.ts'

export type Setup = {
  command: string[]
  cwd: string
  /** Without any key: what acceptance commands get. */
  env: Record<string, string>
  /** What the agent gets on top, and nobody else. */
  keys: Record<string, string>
  /** Parameters of `providers/set`; null where the agent is not told so. */
  providerSet: Message | null
}

export type SetupOptions = {
  config: Pick<Config, 'root'>
  mode: Mode
  /** The environment that the allow-list picks from. */
  env: Readonly<Record<string, string | undefined>>
  folders: RunFolders
  provider: Pick<Provider, 'url' | 'key'> | null
  program: FoundProgram | null
}

/** Fills in all placeholders, and writes the files of the agent's home. */
export async function setUpAgent(
  scenario: Scenario,
  agent: AgentConfig,
  { config, mode, env: parent, folders, provider, program }: SetupOptions,
): Promise<Setup> {
  const places: Places = {
    root: config.root,
    cwd: folders.cwd,
    home: folders.home,
    ...(provider !== null && { provider: provider.url }),
  }
  const withKey: Places = { ...places, ...(provider !== null && { key: provider.key }) }
  const isRecording = mode === 'record'
  const { record } = agent
  const words = (isRecording ? record.command : null) ?? agent.command
  const set = { ...agent.env, ...(isRecording && record.env), ...scenario.input.env }
  const secret = Object.entries(set).filter(([, value]) => value.includes('{key}'))
  await writeFiles(fillRecord(agent.files, withKey), folders.home)
  return {
    command: words.flatMap((word) =>
      word === '{agent}' && program !== null ? program.words : [fillPlaceholders(word, places)],
    ),
    cwd: fillPlaceholders(agent.cwd, places),
    env: buildEnvironment(withPrograms(parent, program), folders, fillRecord(set, places)),
    keys: {
      ...pickVariables(parent, isRecording ? record.passEnv : []),
      ...fillRecord(Object.fromEntries(secret), withKey),
    },
    providerSet: fillSetting(agent.provider?.set ?? null, withKey),
  }
}

function fillSetting(setting: ProviderSetting | null, places: Places): Message | null {
  if (setting === null) return null
  const { id, apiType, baseUrl, headers } = setting
  return {
    providerId: id,
    apiType,
    baseUrl: fillPlaceholders(baseUrl, places),
    headers: fillRecord(headers, places),
  }
}

/** The commands that came with a program, and this Node.js for those that are scripts, come first. */
function withPrograms(
  env: SetupOptions['env'],
  program: FoundProgram | null,
): Readonly<Record<string, string | undefined>> {
  if (program === null) return env
  const folders = [program.binFolder, dirname(process.execPath), env['PATH'] ?? env['Path'] ?? '']
  return { ...env, PATH: folders.filter((folder) => folder !== '').join(delimiter) }
}

async function writeFiles(files: Readonly<Record<string, string>>, home: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(home, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { mode: 0o600 })
  }
}
