/** What an agent says of itself in its answer to `initialize`. */
import { isRecord, type Message, type TranscriptLine } from './line.ts'

/** Its `agentInfo` (name, version and more), or null when it says nothing. */
export function agentInfoOf(transcript: readonly TranscriptLine[]): Message | null {
  for (const line of transcript) {
    const result = line.dir === '<' && 'm' in line ? line.m['result'] : undefined
    if (!isRecord(result) || !('protocolVersion' in result)) continue
    return isRecord(result['agentInfo']) ? result['agentInfo'] : null
  }
  return null
}
