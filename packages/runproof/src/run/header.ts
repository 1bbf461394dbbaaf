/**
 * The request header of a session: the system prompt and the tools that its
 * model was given. One scenario of a class pins their text, readable and
 * reviewed; every other one is compared with that.
 */
import type { NormaliseContext } from '../normalise/context.ts'
import { normaliseSessionLog } from '../normalise/session-log.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isRecord, type Message } from '../transcript/line.ts'
import { parseLines, readGolden } from './golden-file.ts'
import type { SessionLog } from './harvest.ts'

/** The texts that one scenario of a header class pins for all of them. */
export type Pin = { scenario: string; systemPrompt: string[] | null; toolSchemas: string[] | null }

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

function findHeader({ lines }: SessionLog): Message | null {
  for (const line of lines) {
    if (!line.includes('"request/header"')) continue
    const event: unknown = JSON.parse(line)
    if (!isRecord(event) || event['type'] !== 'request/header' || !isRecord(event['data'])) continue
    return isRecord(event['data']['header']) ? event['data']['header'] : null
  }
  return null
}

/** The pins of the header classes, by class; a scenario that names a class and has a file pins it. */
export async function readPins(scenarios: readonly Scenario[]): Promise<Map<string, Pin>> {
  const pins = new Map<string, Pin>()
  for (const { name, input, files } of scenarios) {
    const { systemPrompt, toolSchemas } = files
    if (input.headerClass === null || pins.has(input.headerClass)) continue
    if (systemPrompt === undefined && toolSchemas === undefined) continue
    pins.set(input.headerClass, {
      scenario: name,
      systemPrompt: await readGolden(systemPrompt),
      toolSchemas: await readGolden(toolSchemas),
    })
  }
  return pins
}
