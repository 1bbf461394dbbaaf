/** Goldens and logs of the DeepSeek Harness, and the wire logs of real agents. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { normaliseSessionLogs } from '../../src/normalise/session-log.ts'
import { goldenMode, normaliseTranscript } from '../../src/normalise/transcript.ts'
import { parseTranscriptLine } from '../../src/transcript/line.ts'
import { parse } from './acp-messages.ts'

const shared = new URL('../../../../../shared/', import.meta.url)
const isThere = existsSync(shared)
const reason = isThere ? '' : ' (no ../shared here)'
const harness = new URL('recordings/deepseek-harness/', shared)
const observed = new URL('conformance/acp-observed/', shared)
const list = (url: URL): string[] => (isThere ? readdirSync(url) : [])
const linesOf = (url: URL): string[] => readFileSync(url, 'utf8').trimEnd().split('\n')

describe.skipIf(!isThere)(`goldens of the DeepSeek Harness${reason}`, () => {
  const scenarios = list(harness).filter((name) =>
    existsSync(new URL(`${name}/input.json`, harness)),
  )

  it.each(scenarios)('%s: golden and logs are fixed points', (name) => {
    const folder = new URL(`${name}/`, harness)
    const golden = linesOf(new URL('stdout.golden.jsonl', folder))
    const mode = goldenMode(golden)
    const messages = golden.map(parse)
    expect(mode.tokens).toBe('untyped')
    expect(normaliseTranscript(messages, mode)).toEqual(golden)

    const logs = list(folder)
      .filter((file) => /^session(?:\.\d+)?\.jsonl$/.test(file))
      .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
      .toReversed()
      .map((file) => linesOf(new URL(file, folder)))
    const stable = normaliseSessionLogs(logs, goldenMode(logs.flat()))
    expect(normaliseSessionLogs(stable, goldenMode(stable.flat()))).toEqual(stable)
    expect(stable.flat().filter((line) => /acp-snap|[0-9a-f]{8}-[0-9a-f]{4}-/.test(line))).toEqual(
      [],
    )
  })

  it('a child names its parent', () => {
    const folder = new URL('subagent-spawn/', harness)
    const logs = ['session.jsonl', 'session.1.jsonl'].map((file) => linesOf(new URL(file, folder)))
    const [, child = []] = normaliseSessionLogs(logs, {})
    expect(JSON.parse(child[0] ?? '')).toMatchObject({
      id: '{{session:2}}',
      parentSession: '{{session:1}}',
      cwd: '{{cwd}}',
    })
  })
})

describe.skipIf(!isThere)(`wire logs of real agents${reason}`, () => {
  it.each(list(observed))('%s keeps no id and no folder of the run', (name) => {
    const cwd = `/srv/workspaces/${name.replace('.jsonl', '')}`
    const messages = linesOf(new URL(name, observed)).flatMap((text) => {
      const line = parseTranscriptLine(text)
      return 'm' in line && line.dir === '<' ? [line.m] : []
    })
    const golden = normaliseTranscript(messages, { cwd, joinChunks: true })
    expect(golden.filter((line) => line.includes(cwd))).toEqual([])
    const ids = messages.flatMap((message) => {
      const { result } = message
      return typeof result === 'object' && result !== null && 'sessionId' in result
        ? [String(result.sessionId)]
        : []
    })
    expect(ids.length).toBeGreaterThan(0)
    expect(golden.filter((line) => ids.some((id) => line.includes(id)))).toEqual([])
    const read = golden.map(parse)
    expect(normaliseTranscript(read, { joinChunks: true })).toEqual(golden)
  })
})
