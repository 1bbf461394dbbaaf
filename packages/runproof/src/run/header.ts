/**
 * The request header of a session: the system prompt and the tools that its
 * model was given. One scenario of a class pins their text, readable and
 * reviewed; every other one is compared with that.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { NormaliseContext } from '../normalise/context.ts'
import { normaliseSessionLog } from '../normalise/session-log.ts'
import {
  readScenarioFolder,
  scenarioFiles,
  type BrokenScenario,
  type Scenario,
} from '../scenario/scenario.ts'
import { listScenarioFolders } from '../scenario/select.ts'
import { isRecord, type Message } from '../transcript/line.ts'
import { parseLines, readGolden } from './golden-file.ts'
import { parseEvent, type SessionLog } from './harvest.ts'

/** The texts that one scenario of a header class pins for all of them. */
export type Pin = { folder: string; systemPrompt: string[] | null; toolSchemas: string[] | null }

/** The lines of both pinned files for the first header of a log, or null when it has none. */
export function headerTexts(
  log: SessionLog,
  context: NormaliseContext,
): { systemPrompt: string[]; toolSchemas: string[] } | null {
  const header = findHeader(log)
  if (header === null) return null
  const { system, tools } = header
  const stable = (lines: string[]): string[] => normaliseSessionLog(lines, context)
  return {
    systemPrompt: stable(parseLines(typeof system === 'string' ? system : '')),
    toolSchemas: stable(JSON.stringify(tools ?? [], null, 2).split('\n')),
  }
}

/** The pin that holds for a scenario; of a class without one it has to be the first itself. */
export function pinFor({ folder, input }: Scenario, pins: ReadonlyMap<string, Pin>): Pin | null {
  if (input.headerClass === null) return null
  return pins.get(input.headerClass) ?? { folder, systemPrompt: null, toolSchemas: null }
}

function findHeader({ lines }: SessionLog): Message | null {
  for (const line of lines) {
    if (!line.includes('request/header')) continue
    const event = parseEvent(line)
    if (event?.['type'] !== 'request/header' || !isRecord(event['data'])) continue
    return isRecord(event['data']['header']) ? event['data']['header'] : null
  }
  return null
}

/**
 * The pins of the header classes, by class: a scenario that names a class and
 * has one of the files pins it, whether it is among the chosen ones or not.
 */
export async function readPins(
  config: Config,
  chosen: readonly (Scenario | BrokenScenario)[],
): Promise<Map<string, Pin>> {
  const pins = new Map<string, Pin>()
  const needsPins = chosen.some((one) => 'input' in one && one.input.headerClass !== null)
  const folders = needsPins ? (await listScenarioFolders(config)).filter(hasPin) : []
  for (const folder of folders) {
    const content = await readScenarioFolder(folder)
    if ('problems' in content || content.input.headerClass === null) continue
    const { systemPrompt, toolSchemas } = content.files
    const { headerClass } = content.input
    if (pins.has(headerClass)) continue
    pins.set(headerClass, {
      folder,
      systemPrompt: await readGolden(systemPrompt),
      toolSchemas: await readGolden(toolSchemas),
    })
  }
  return pins
}

const hasPin = (folder: string): boolean =>
  [scenarioFiles.systemPrompt, scenarioFiles.toolSchemas].some((file) =>
    existsSync(join(folder, file)),
  )
