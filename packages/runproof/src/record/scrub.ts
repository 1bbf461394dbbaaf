/**
 * What a recorded log must not say: the system prompt and the tools, which one
 * scenario of a header class pins and every other one has as tokens.
 */
import { isRecord, type Message } from '../transcript/line.ts'

/** The line with tokens in place of the header's texts; other lines as they are. */
export function scrubLogLine(line: string): string {
  if (!line.includes('"request/header')) return line
  const event: unknown = JSON.parse(line)
  if (!isRecord(event) || !isRecord(event['data'])) return line
  const { type, data } = event
  if (type === 'request/header' && isRecord(data['header'])) {
    return JSON.stringify({ ...event, data: { ...data, header: scrubHeader(data['header']) } })
  }
  if (type === 'request/header-delta' && isRecord(data['system'])) {
    const insert = Array.isArray(data['system']['insert'])
      ? data['system']['insert'].map(() => '{{system}}')
      : data['system']['insert']
    const system = { ...data['system'], insert }
    return JSON.stringify({ ...event, data: { ...data, system } })
  }
  return line
}

function scrubHeader(header: Message): Message {
  return Object.fromEntries(
    Object.entries(header).map(([key, value]) => [
      key,
      key === 'system' || key === 'tools' ? `{{${key}}}` : value,
    ]),
  )
}
