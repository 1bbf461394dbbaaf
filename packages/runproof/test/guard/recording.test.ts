/** Recordings that somebody touched after they were recorded. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guardRecording } from '../../src/guard/recording.ts'
import { parseInput } from '../../src/scenario/input.ts'
import { repository } from '../own.ts'
import { json, input as sound } from './folder.ts'

const folder = join(repository, 'fixtures', 'recording', 'valid')
const recording = readFileSync(join(folder, 'tool-round.openai-chat.jsonl'), 'utf8').replace(
  /"source":"\w+"/,
  '"source":"live"',
)

async function found(text: string): Promise<string[]> {
  const parsed = parseInput(json(sound))
  if ('problems' in parsed) throw new Error(parsed.problems.join())
  const findings = await guardRecording({
    ...parsed,
    name: 's',
    folder: '/s',
    agent: { protocol: 'acp', seam: 'provider', normalise: [] },
    entries: ['recording.jsonl'],
    texts: new Map([['recording.jsonl', text]]),
  })
  return findings.map(({ message }) => message)
}

const without = (part: string): string =>
  recording
    .split('\n')
    .filter((line) => !line.includes(part))
    .join('\n')

describe('a recording', () => {
  it('is nothing to complain about as it was recorded', async () => {
    expect(await found(recording)).toEqual([])
  })

  it.each<[what: string, text: string, message: RegExp]>([
    ['lost its end', recording.slice(0, -40), /^cannot be replayed: /],
    ['lost the end of a stream', without('[DONE]'), /\(P5\), so it is not as it was recorded/],
    [
      'asks for something else',
      recording.replace('"model":"', '"model":"another-'),
      /the key is not the one of this request \(P4\)/,
    ],
  ])('that %s is refused', async (_what, text, message) => {
    expect((await found(text))[0]).toMatch(message)
  })

  it('that somebody wrote may break off, and have any key', async () => {
    const authored = without('[DONE]').replace('"source":"live"', '"source":"authored"')
    expect(await found(authored.replace(/"key":"\w+"/, '"key":"any"'))).toEqual([])
  })
})
