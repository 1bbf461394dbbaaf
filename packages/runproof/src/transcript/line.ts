/**
 * One line of a transcript (Transcript v1, docs/formats/transcript.md): what
 * crossed the agent's stdio, or a fact about its process.
 *
 * Reads four spellings and writes one. Invariant: for every line this module
 * writes, `parseTranscriptLine(serializeTranscriptLine(line))` gives `line` back.
 */

/** One JSON object as it crossed the wire, or a process fact; keys keep their order. */
export type Message = Record<string, unknown>

/** `>` client to agent, `<` agent to client, `x` a fact about the process. */
export type Direction = '>' | '<' | 'x'

/** `t` is in milliseconds since the process was spawned; `raw` is a line that is not JSON-RPC. */
export type TranscriptLine = { t: number; dir: Direction } & ({ m: Message } | { raw: string })

const directions: ReadonlyMap<unknown, Direction> = new Map([
  ['>', '>'],
  ['<', '<'],
  ['x', 'x'],
  ['client->agent', '>'],
  ['agent->client', '<'],
  ['process', 'x'],
])

export const isRecord = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values inside each other in a message, as in a recording: more would overflow the stack of some reader. */
export const nestingMax = 512

export function isTooDeep(value: unknown, levels: number = nestingMax): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1))
}

/**
 * Reads one line, without its end. Spellings: Transcript v1; `{t_ms, dir, msg}`;
 * a process fact beside `t` and `dir` (`{t, dir: "x", exit}`); a bare JSON-RPC
 * message, which is agent to client at time 0.
 * @returns the line, or a problem in one sentence; never throws.
 */
export function parseTranscriptLine(text: string): TranscriptLine | { problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'not JSON' }
  }
  if (!isRecord(value)) return { problem: 'not a JSON object' }
  if (!('dir' in value)) {
    return isMessage(value)
      ? { t: 0, dir: '<', m: value }
      : { problem: 'neither a transcript line (no "dir") nor a JSON-RPC message' }
  }
  return fromEnvelope(value)
}

function fromEnvelope(value: Message): TranscriptLine | { problem: string } {
  const { dir: spelling, t, t_ms: tMs, m, msg, raw, ...facts } = value
  const dir = directions.get(spelling)
  if (dir === undefined) return { problem: '"dir" is not one of ">", "<", "x"' }
  const time = t ?? tMs
  if (typeof time !== 'number') return { problem: '"t" is not a number of milliseconds' }
  if (typeof raw === 'string') return { t: time, dir, raw }
  const message = m ?? msg
  if (isRecord(message)) return { t: time, dir, m: message }
  if (dir === 'x' && message === undefined) return { t: time, dir, m: facts }
  return { problem: 'neither a message "m" nor a "raw" line' }
}

/** Whether an object is a JSON-RPC 2.0 request, notification or response. */
export function isMessage(value: Message): boolean {
  return value['jsonrpc'] === '2.0' && ('method' in value || 'result' in value || 'error' in value)
}

/** The line as Transcript v1, without its end. */
export function serializeTranscriptLine(line: TranscriptLine): string {
  const { t, dir } = line
  return JSON.stringify('raw' in line ? { t, dir, raw: line.raw } : { t, dir, m: line.m })
}
