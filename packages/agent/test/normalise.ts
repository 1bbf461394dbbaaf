/**
 * What differs between two runs of one scenario, taken out: folder, session
 * ids, times, and the header's system prompt and tools. Written for these
 * tests alone; the harness has its own.
 */
import type { Json } from './driver.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** A line of stdout or of a goldens file. */
export function normaliseLine(line: string, cwd: string): string {
  return line.replaceAll(cwd, '{{cwd}}').replaceAll(uuid, '{{sessionId}}')
}

/** A session log, each side with the folder of its own header. */
export function normaliseLog(lines: readonly string[]): Json[] {
  const header = JSON.parse(lines[0] ?? '{}') as Json
  return lines.map((line) => {
    const value = JSON.parse(normaliseLine(line, String(header['cwd']))) as Json
    for (const key of ['time', 'createdAt']) if (key in value) value[key] = 0
    const data = value['data'] as { header?: Json } | undefined
    if (data?.header) Object.assign(data.header, { system: '{{system}}', tools: '{{tools}}' })
    return value
  })
}

/** The parts of a transcript that two agents with the same behaviour share. */
export function behaviourOf(lines: readonly string[], cwd: string): Json[] {
  return lines
    .map((line) => JSON.parse(normaliseLine(line, cwd)) as Json)
    .flatMap((message) => {
      if (message['method'] === 'session/update') return [message]
      const result = message['result'] as Json | undefined
      if (result?.['stopReason'] !== undefined) return [{ stopReason: result['stopReason'] }]
      const error = message['error'] as Json | undefined
      return error ? [{ code: error['code'], message: error['message'] }] : []
    })
}
