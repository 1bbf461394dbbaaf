/**
 * `runproof record` with a real little agent that persists a session log, whose
 * provider is a variable that only recording lets through.
 */
import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configFor, createProject, script, type Project } from '../project.ts'

const prompt = (text: string) => ({ op: 'prompt', text, accept: [{ matches: '.' }] })

const config = configFor(['logs'], {
  logs: { record: { passEnv: ['MODEL_ANSWER'], env: { RECORDING: '1' } } },
})

function project(
  input: object,
  env: Record<string, string> = { MODEL_ANSWER: 'forty-two' },
): Project {
  const made = createProject(
    { 'runproof.yml': config, 'scenarios/logs/one/input.json': input },
    env,
  )
  return made
}

const folder = ({ root }: Project): string => join(root, 'scenarios', 'logs', 'one')
const read = (made: Project, name: string): string => readFileSync(join(folder(made), name), 'utf8')
const edit = (made: Project, name: string, change: (text: string) => string): void =>
  writeFileSync(join(folder(made), name), change(read(made, name)))

describe('runproof record', () => {
  it('writes the log and the goldens, replays them once, and test passes without the key', async () => {
    const made = project({ ...script(prompt('What is the answer?')), expect: { status: 'done' } })
    const { code, stdout } = await made.record()
    expect(stdout).toBe(
      'one: recorded from the provider; wrote session.jsonl, stdout.golden.jsonl, progress.golden.txt; replays\n',
    )
    expect(code).toBe(0)
    expect(readdirSync(folder(made)).toSorted()).toEqual([
      'input.json',
      'progress.golden.txt',
      'session.jsonl',
      'stdout.golden.jsonl',
    ])
    expect((await made.test([], {}, {})).code).toBe(0)
  })

  it('keeps prompts and tools out of the log, and pins them where a class asks for it', async () => {
    const made = project({ ...script(prompt('Hi')), headerClass: 'plain' })
    await made.record()
    expect(read(made, 'session.jsonl')).toContain('"system":"{{system}}","tools":"{{tools}}"')
    expect(read(made, 'system-prompt.golden.md')).toBe('You work in {{cwd}}.\n')
    expect(JSON.parse(read(made, 'tool-schemas.golden.json'))).toEqual([{ name: 'none' }])
    edit(made, 'system-prompt.golden.md', () => 'You work elsewhere.\n')
    expect((await made.test()).stdout).toContain('system-prompt.golden.md: line 1')
  })

  it('writes neither outside of the project nor over what is write-protected', async () => {
    const other = project(script(prompt('Hi')))
    const made = project(script(prompt('Hi')))
    const outside = await made.record([folder(other)])
    expect(outside.code).toBe(1)
    expect(outside.stdout).toContain('lies outside of this project, so it is not written')
    expect(readdirSync(folder(other))).toEqual(['input.json'])

    await made.record()
    edit(made, 'stdout.golden.jsonl', () => '{}\n')
    chmodSync(join(folder(made), 'stdout.golden.jsonl'), 0o444)
    const over = await made.record()
    expect(over.code).toBe(1)
    expect(over.stdout).toContain('stdout.golden.jsonl is write-protected')
    expect(read(made, 'stdout.golden.jsonl')).toBe('{}\n')
  })

  it('changes nothing when nothing changed, and only what changed otherwise', async () => {
    const made = project(script(prompt('First?'), prompt('Second?')))
    await made.record()
    const before = read(made, 'session.jsonl')
    expect((await made.record()).stdout).toMatch(/nothing changed; replays/)
    expect(read(made, 'session.jsonl')).toBe(before)

    edit(made, 'input.json', (text) => text.replace('Second?', 'Second, please?'))
    expect((await made.record()).stdout).toMatch(/wrote session\.jsonl; replays/)
    const after = read(made, 'session.jsonl').split('\n')
    const changed = before.split('\n').flatMap((line, index) => {
      const other = after[index] ?? ''
      return line === other ? [] : [JSON.parse(other)]
    })
    expect(changed).toMatchObject([
      { type: 'user/message', data: { content: [{ text: 'Second, please?' }] } },
    ])
  })

  it('leaves a fixture to which a log without a last line end is not equal', async () => {
    const made = project(script(prompt('Hi')))
    await made.record()
    writeFileSync(
      join(made.root, 'runproof.yml'),
      configFor(['logs'], { logs: { env: { UNENDED: '1' } } }),
    )
    const { code, stdout } = await made.test()
    expect(code).toBe(1)
    expect(stdout).toContain('session.jsonl: extra line at line 13 of the output')
    expect(stdout).toContain('{{no end of line}}')
  })

  it('names the old session and folder in new lines', async () => {
    const made = project(script(prompt('Where?')))
    await made.record()
    const [header = ''] = read(made, 'session.jsonl').split('\n')
    edit(made, 'input.json', (text) => text.replace('Where?', 'Where exactly?'))
    await made.record()
    expect(read(made, 'session.jsonl').split('\n')[0]).toBe(header)
  })

  it('writes an authored scenario anew around its own stream', async () => {
    const made = project(script(prompt('Hi')))
    await made.record()
    edit(made, 'input.json', (text) => text.replace('{', '{"recorded":false,'))
    const { stdout } = await made.record([], {}, { MODEL_ANSWER: 'something else' })
    expect(stdout).toMatch(/^one: authored, surroundings written anew; nothing changed/)
    expect(read(made, 'session.jsonl')).toContain('forty-two')
  })

  it('writes goldens and no log for a program without a model', async () => {
    const made = createProject({
      'runproof.yml': configFor(['calculator'], { calculator: { protocol: 'jsonl' } }),
      'scenarios/calculator/one/input.json': {
        version: 1,
        steps: [{ op: 'send', message: { add: [2, 2] }, until: { sum: 4 } }],
      },
    })
    expect((await made.record()).stdout).toBe('one: no model; wrote stdout.golden.jsonl; replays\n')
  })

  it('writes nothing when the run went wrong, and says why', async () => {
    const made = project({ ...script(prompt('Hi')), permissionAnswers: [{ kind: 'allow_once' }] })
    const { code, stdout } = await made.record()
    expect(code).toBe(1)
    expect(stdout).toContain('the agent asked for permission too rarely')
    expect(stdout).toMatch(/runproof record scenarios\/\S+ --out \.runproof\/out\n$/)
    expect(readdirSync(folder(made))).toEqual(['input.json'])
  })

  it('keeps on request what was said, without secrets', async () => {
    const secret = 'sk-ant-0123456789012345678901234567'
    const made = project(script(prompt('Hi')), { MODEL_ANSWER: `the key is ${secret}` })
    await made.record([], { out: 'kept' })
    const kept = join(made.root, 'kept', 'one')
    expect(readdirSync(kept).toSorted()).toEqual(['stderr.txt', 'transcript.jsonl'])
    const transcript = readFileSync(join(kept, 'transcript.jsonl'), 'utf8')
    expect(transcript).toContain('the key is {{secret:1}}')
    expect(transcript).toContain('"session/prompt"')
    expect(transcript).not.toContain(secret)
  })

  it('writes no secret', async () => {
    const secret = 'sk-ant-0123456789012345678901234567'
    const made = project(script(prompt('Hi')), { MODEL_ANSWER: `the key is ${secret}` })
    const { code, stdout } = await made.record()
    expect(code).toBe(1)
    expect(stdout).toMatch(/not written, session\.jsonl:\d+: .*\(sk-key\)/)
    expect(stdout).not.toContain(secret)
    expect(existsSync(join(folder(made), 'session.jsonl'))).toBe(false)
  })

  it('records for a program', async () => {
    const made = project(script(prompt('Hi')))
    const { stdout } = await made.record([], { json: true })
    expect(JSON.parse(stdout)).toMatchObject({
      scenario: 'one',
      source: 'provider',
      written: ['session.jsonl', 'stdout.golden.jsonl', 'progress.golden.txt'],
      replay: { passed: true, claim: 'done' },
    })
  })

  it('does not write with CI set', async () => {
    const made = project(script(prompt('Hi')), { CI: 'true', MODEL_ANSWER: 'x' })
    await expect(made.record()).rejects.toThrow(/CI only reads/)
  })
})

describe('two witnesses', () => {
  it('a replay that reports nothing may have been live: it fails', async () => {
    const made = project({ ...script(prompt('Hi')), env: { SILENT: '1' } })
    const { code, stdout } = await made.record()
    expect(code).toBe(1)
    expect(stdout).toContain('made model calls but left no replay report')
  })

  it('a log that tells another story than the transcript fails the scenario', async () => {
    const made = project({ ...script(prompt('Hi')), env: { LIES: '1' } })
    const { code, stdout } = await made.record()
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /prompt 1: the transcript supports "checking" with the final text "(.*)", the session log "checking" with the final text "not \1"/,
    )
  })
})
