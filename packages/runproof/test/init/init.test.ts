/** `runproof init`, through the command line, in projects made for it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/read.ts'
import { runInit, type InitOptions } from '../../src/init/command.ts'
import { readPreset } from '../../src/presets/preset.ts'
import { packageVersion } from '../../src/presets/program.ts'
import { parseInput } from '../../src/scenario/input.ts'

function createFolder(files: Record<string, string> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'init-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

const installed = (name: string, bin: string, version?: string): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ bin: { [bin]: 'cli.js' }, version }),
  [`node_modules/${name}/cli.js`]: '#!/usr/bin/env node\n',
})
const gemini = installed('@google/gemini-cli', 'gemini')
const pi = installed('pi-acp', 'pi-acp')

async function init(root: string, options: InitOptions = {}): Promise<string> {
  const stdout = new PassThrough()
  // Nothing of this machine: neither its cache nor its PATH.
  const env = { RUNPROOF_AGENTS: join(root, 'no-cache'), PATH: '' }
  const code = await runInit(
    options,
    { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env },
    root,
  )
  expect(code).toBe(0)
  stdout.end()
  return text(stdout)
}

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')
const scenario = 'scenarios/gemini-cli/first-words/input.json'

describe('runproof init', () => {
  it('writes a set-up for the agent it finds, and says what to do next', async () => {
    const root = createFolder(gemini)
    const said = await init(root)
    expect(said).toContain(`Gemini CLI is here: ${process.execPath} ${root}/node_modules/@google`)
    expect(said).toContain(`wrote runproof.yml\nwrote ${scenario}\n`)
    expect(said).toMatch(
      /Next:\n {2}1\. record once, with your key in GEMINI_API_KEY: npx runproof record scenarios\/gemini-cli\/first-words\n {2}2\. replay for ever/,
    )
    const config = parseConfig(read(root, 'runproof.yml'), join(root, 'runproof.yml'))
    expect(config.agents['gemini-cli']).toMatchObject({ preset: 'gemini-cli' })
    expect(parseInput(read(root, scenario))).toMatchObject({ isForeign: false })
  })

  it('says when the agent is another release than the preset was made with', async () => {
    const known = packageVersion(readPreset('gemini-cli')?.agent.program?.packages[0] ?? '')
    const said = async (version: string | undefined): Promise<string> =>
      init(createFolder(installed('@google/gemini-cli', 'gemini', version)))
    expect(await said('0.1.0')).toMatch(
      /^Gemini CLI 0\.1\.0 is here: .*\n {2}This preset was made with \d+\.\d+\.\d+: look twice/,
    )
    for (const version of [known, undefined]) expect(await said(version)).not.toContain('made with')
  })

  it('never writes over a file', async () => {
    const root = createFolder({ ...gemini, 'runproof.yml': '# mine\n', [scenario]: '{}' })
    const said = await init(root)
    expect(said).toContain(`kept runproof.yml, which was there\nkept ${scenario}, which was there`)
    expect(said).toContain('under "agents": gemini-cli: { preset: gemini-cli }')
    expect([read(root, 'runproof.yml'), read(root, scenario)]).toEqual(['# mine\n', '{}'])
  })

  it('says how to install the agent that is wanted', async () => {
    const root = createFolder()
    const lines = (await init(root, { preset: 'pi', json: true })).trimEnd().split('\n')
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { file: 'runproof.yml', action: 'written' },
      { file: 'scenarios/pi/first-words/input.json', action: 'written' },
      {
        end: true,
        preset: 'pi',
        program: null,
        version: null,
        next: [
          'install the agent: npm install --save-dev pi-acp@0.0.34 @earendil-works/pi-coding-agent@1.6.0',
          'record once, with your key in OPENAI_API_KEY: npx runproof record scenarios/pi/first-words',
          'replay for ever, with no key and no network: npx runproof test',
        ],
      },
    ])
  })

  it.each<
    [
      what: string,
      files: Record<string, string>,
      options: InitOptions,
      code: string,
      message: RegExp,
    ]
  >([
    [
      'finds no agent',
      {},
      {},
      'environment',
      /^found none of the agents .* name one with --preset; for an agent without a preset, [^]*command: \[my-agent/,
    ],
    [
      'finds several',
      { ...gemini, ...pi },
      {},
      'usage',
      /^several agents are here \(gemini-cli, pi\); say which: runproof init --preset gemini-cli$/,
    ],
    [
      'does not know the one that is wanted',
      {},
      { preset: 'hal' },
      'usage',
      /^there is no preset hal; choose one of: claude-agent-acp,[^]*command: \[my-agent/,
    ],
  ])('stops when it %s, and writes nothing', async (_, files, options, code, message) => {
    const root = createFolder(files)
    await expect(init(root, options)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as unknown,
    })
    expect(existsSync(join(root, 'runproof.yml'))).toBe(false)
  })

  it('asks on a terminal which one is meant', async () => {
    const root = createFolder({ ...gemini, ...pi })
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 })
    let screen = ''
    let hasAnswered = false
    stdout.on('data', (data: Buffer) => {
      screen += data.toString()
      if (hasAnswered || !stripVTControlCharacters(screen).includes('Which agent?')) return
      hasAnswered = true
      // Down to the second one, then return.
      setImmediate(() => stdin.write('\u001b[B'))
      setTimeout(() => stdin.write('\r'), 50)
    })
    const env = { RUNPROOF_AGENTS: join(root, 'no-cache'), PATH: '' }
    expect(await runInit({}, { stdin, stdout, stderr: new PassThrough(), env }, root)).toBe(0)
    expect(existsSync(join(root, 'scenarios/pi/first-words/input.json'))).toBe(true)
  })
})
