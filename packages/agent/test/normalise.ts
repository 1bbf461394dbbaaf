/**
 * What differs between two runs of one scenario, taken out: folder, session
 * ids, times, and the header's system prompt and tools. Written for these
 * tests alone; the harness has its own.
 */
import { at, isObject, parseObject, type Json } from './json.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** A line of stdout or of a goldens file. */
export function normaliseLine(line: string, cwd: string): string {
  return line.replaceAll(cwd, '{{cwd}}').replaceAll(uuid, '{{sessionId}}')
}

/** A session log, each side with the folder of its own header. */
export function normaliseLog(lines: readonly string[]): Json[] {
  const header = parseObject(lines[0] ?? '{}')
  return lines.map((line) => {
    const value = parseObject(normaliseLine(line, String(header['cwd'])))
    for (const key of ['time', 'createdAt']) if (key in value) value[key] = 0
    const request = at(value, 'data', 'header')
    if (isObject(request)) Object.assign(request, { system: '{{system}}', tools: '{{tools}}' })
    return value
  })
}

/** The parts of a transcript that two agents with the same behaviour share. */
export function behaviourOf(lines: readonly string[], cwd: string): Json[] {
  return lines
    .map((line) => parseObject(normaliseLine(line, cwd)))
    .flatMap((message) => {
      if (message['method'] === 'session/update') return [message]
      const stopReason = at(message, 'result', 'stopReason')
      if (stopReason !== undefined) return [{ stopReason }]
      const error = at(message, 'error')
      return isObject(error) ? [{ code: error['code'], message: error['message'] }] : []
    })
}
