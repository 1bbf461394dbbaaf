/**
 * The request header of a session: the system prompt and the tools that its
 * model was given. One scenario of a class pins their text, readable and
 * reviewed; every other one is compared with that.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
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

/**
 * The lines of both pinned files for the headers of a log, or null when it has none.
 * A prompt or a tool list that changed on the way stands behind the first one.
 */
export function headerTexts(
  log: SessionLog,
  context: NormaliseContext,
): { systemPrompt: string[]; toolSchemas: string[] } | null {
  const headers = findHeaders(log)
  if (headers.length === 0) return null
  const stable = (lines: string[]): string[] => normaliseSessionLog(lines, context)
  const prompts = changesOf(
    headers.map(({ system }) => stable(parseLines(typeof system === 'string' ? system : ''))),
  )
  const tools = changesOf(headers.map((header) => header['tools'] ?? []))
  return {
    systemPrompt: prompts.flatMap((lines, index) =>
      index === 0 ? lines : ['', `{{system prompt ${index + 1}}}`, '', ...lines],
    ),
    toolSchemas: stable(JSON.stringify(tools.length === 1 ? tools[0] : tools, null, 2).split('\n')),
  }
}

/** What is not said again. */
const changesOf = <T>(values: readonly T[]): T[] =>
  values.filter((value, index) => index === 0 || !isDeepStrictEqual(value, values[index - 1]))

/** The pin that holds for a scenario; of a class without one it has to be the first itself. */
export function pinFor({ folder, input }: Scenario, pins: ReadonlyMap<string, Pin>): Pin | null {
  if (input.headerClass === null) return null
  return pins.get(input.headerClass) ?? { folder, systemPrompt: null, toolSchemas: null }
}

function findHeaders({ lines }: SessionLog): Message[] {
  return lines
    .filter((line) => line.includes('request/header'))
    .flatMap((line) => {
      const event = parseEvent(line)
      if (event?.['type'] !== 'request/header' || !isRecord(event['data'])) return []
      return isRecord(event['data']['header']) ? [event['data']['header']] : []
    })
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
