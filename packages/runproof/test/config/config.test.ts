import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exampleConfig } from '../../src/config/example.ts'
import { fillPlaceholders } from '../../src/config/placeholders.ts'
import { findConfig, parseConfig, readConfig } from '../../src/config/read.ts'

const file = join('/project', 'runproof.yml')

/** Each line is nine times the one before. */
const bomb = ['a', 'b', 'c', 'd', 'e']
  .map((name, index, all) => {
    const item = index === 0 ? 'x' : `*${all[index - 1]}`
    return `${name}: &${name} [${Array.from({ length: 9 }, () => item).join(', ')}]\n`
  })
  .join('')

const minimal = `version: 1
agents:
  mine:
    command: [my-agent, --acp]
`

describe('the example that messages show', () => {
  it('is a configuration with a provider to record at', () => {
    expect(parseConfig(exampleConfig, file).agents['my-agent']).toMatchObject({
      command: ['my-agent', '--acp'],
      seam: 'provider',
      provider: { wire: 'openai-chat', upstream: 'https://api.openai.com', key: 'OPENAI_API_KEY' },
    })
  })

  it.each(['openai-chat', 'anthropic', 'deepseek', 'gemini', 'openai-responses'])(
    'names the wire %s, which there is',
    (wire) => {
      expect(exampleConfig).toContain(wire)
      const other = exampleConfig.replace('wire: openai-chat', `wire: ${wire}`)
      expect(parseConfig(other, file).agents['my-agent']?.provider).toMatchObject({ wire })
    },
  )

  it('is shown where there is no file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await expect(readConfig(folder)).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining(exampleConfig) as unknown,
    })
  })
})

describe('runproof.yml', () => {
  it('fills in what is not said', () => {
    expect(parseConfig(minimal, file)).toEqual({
      root: '/project',
      scenarios: ['/project/scenarios'],
      agents: {
        mine: {
          name: 'mine',
          preset: null,
          program: null,
          command: ['my-agent', '--acp'],
          protocol: 'acp',
          seam: 'session',
          provider: null,
          env: {},
          files: {},
          cwd: '{cwd}',
          quietMs: 0,
          endsBy: 'stdin',
          limits: { stepMs: 30_000, totalMs: 120_000, exitMs: 5_000, settleMs: 300 },
          record: { command: null, env: {}, passEnv: [] },
          normalise: [],
          joinChunks: false,
          housekeeping: 'state',
          rulesOff: [],
          optional: false,
        },
      },
    })
  })

  it.each([
    ['protocol: jsonl', { protocol: 'jsonl', seam: 'none', quietMs: 0 }],
    [
      'provider: { wire: gemini }',
      {
        seam: 'provider',
        provider: {
          wire: 'gemini',
          upstream: null,
          key: null,
          mask: [],
          optional: [],
          allowHosts: [],
        },
        quietMs: 1500,
        joinChunks: true,
      },
    ],
    ['provider: { wire: gemini }\n    quietMs: 20', { seam: 'provider', quietMs: 20 }],
    [
      'limits: { stepMs: 1 }',
      { limits: { stepMs: 1, totalMs: 120_000, exitMs: 5_000, settleMs: 300 } },
    ],
  ])('understands %s', (line, expected) => {
    expect(parseConfig(`${minimal}    ${line}\n`, file).agents['mine']).toMatchObject(expected)
  })

  it.each([
    ['', '/project/runproof.yml:1: Invalid input: expected object, received null'],
    ['version: 2\nagents: {}\n', '/project/runproof.yml:1: version: Invalid input: expected 1'],
    [
      minimal.replace('command:', 'comand:'),
      '/project/runproof.yml:4: agents.mine: Unrecognized key: "comand"\n' +
        '/project/runproof.yml:3: agents.mine: needs "command" or "preset"',
    ],
    [
      `${minimal}    limits: { stepMs: 0 }\n`,
      '/project/runproof.yml:5: agents.mine.limits.stepMs: Too small: expected number to be >=1',
    ],
    [
      `${minimal}    normalise:\n      - token: job\n`,
      '/project/runproof.yml:6: agents.mine.normalise.0: needs "path", "match" or both',
    ],
    [
      `${minimal}    normalise:\n      - { token: job, match: '(' }\n`,
      '/project/runproof.yml:6: agents.mine.normalise.0: "match" is not a regular expression',
    ],
    [
      `${minimal}  two: &two\n    limits:\n      stepMs: 0\n    command: [a]\n  three: *two\n`,
      '/project/runproof.yml:7: agents.two.limits.stepMs: Too small: expected number to be >=1\n' +
        '/project/runproof.yml:7: agents.three.limits.stepMs: Too small: expected number to be >=1',
    ],
    [
      `${minimal}    ? seam\n    : nowhere\n    env: { A: 1, "B": x }\n`,
      /runproof\.yml:6: agents\.mine\.seam: .*\n.*runproof\.yml:7: agents\.mine\.env\.A: /,
    ],
    [`${minimal}  mine: {}\n`, /runproof\.yml:5: duplicated mapping key$/],
    ['version: 1\n---\nversion: 1\n', /runproof\.yml:\d: expected a single document/],
    ['version: 1\n\tagents: {}\n', /runproof\.yml:2: .*tab/],
    ['version: [1\n', /runproof\.yml:2: unexpected end of the stream within a flow collection$/],
    ['version: *one\n', /runproof\.yml:1: unidentified alias "one"$/],
    [bomb, /runproof\.yml:1: aliases make it larger than 10000 values$/],
    [minimal.replace(/command:.*/, 'command: ["a\\0b"]'), /agents\.mine\.command\.0: holds a NUL/],
  ])('says where %j is wrong', (text, message) => {
    expect(() => parseConfig(text, file)).toThrow(message)
  })

  it('is looked for upwards', async () => {
    const root = mkdtempSync(join(tmpdir(), 'config-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    mkdirSync(join(root, 'a', 'b'), { recursive: true })
    expect(findConfig(join(root, 'a', 'b'))).toBe(null)
    await expect(readConfig(join(root, 'a'))).rejects.toThrow(
      /no runproof\.yml in .* runproof init writes one/,
    )
    writeFileSync(join(root, 'runproof.yml'), minimal)
    expect(findConfig(join(root, 'a', 'b'))).toBe(join(root, 'runproof.yml'))
    expect((await readConfig(join(root, 'a', 'b'))).root).toBe(root)
  })
})

describe('placeholders', () => {
  const places = { root: '/r', cwd: '/c', home: '/h' }

  it.each([
    ['{root}/bin', '/r/bin'],
    ['{cwd}:{home}:{cwd}', '/c:/h:/c'],
    ['{node}', process.execPath],
    ['{"root": 1} {other} {ROOT}', '{"root": 1} {other} {ROOT}'],
  ])('%s', (text, expected) => {
    expect(fillPlaceholders(text, places)).toBe(expected)
  })
})
