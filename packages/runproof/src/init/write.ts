/** The files of a first set-up. What is there is never written over. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { dump } from 'js-yaml'
import { configName } from '../config/read.ts'
import { isCode } from '../error.ts'
import type { Preset } from '../presets/preset.ts'

export type Written = {
  /** Relative to the project, with slashes. */
  file: string
  /** `kept`: it was there already. */
  action: 'written' | 'kept'
}

/** The name of the first scenario. */
export const firstScenario = 'first-words'

/** Writes what is missing, in this order. */
export async function writeSetUp(folder: string, preset: Preset): Promise<Written[]> {
  const files: [string, string][] = [
    [configName, configText(preset)],
    [`scenarios/${preset.name}/${firstScenario}/input.json`, scenarioText()],
  ]
  const written: Written[] = []
  for (const [file, text] of files) {
    written.push({ file, action: (await writeNew(join(folder, file), text)) ? 'written' : 'kept' })
  }
  return written
}

/** @returns whether it was written: false when there is something of that name. */
async function writeNew(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function configText({ name, title }: Preset): string {
  return `# How runproof starts ${title}. What is said here wins over the preset.
${dump({ version: 1, scenarios: 'scenarios', agents: { [name]: { preset: name } } })}`
}

function scenarioText(): string {
  const input = {
    version: 1,
    description: 'The agent answers a prompt.',
    expect: { status: 'done' },
    steps: [
      { op: 'initialize' },
      { op: 'newSession' },
      {
        op: 'prompt',
        text: 'Answer with the single word ready.',
        accept: [{ matches: '[Rr]eady' }],
      },
    ],
  }
  return `${JSON.stringify(input, null, 2)}\n`
}
