/** Every preset that ships: readable, complete, and understood by the reader of runproof.yml. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config/read.ts'
import { applyPreset, listPresets } from '../../src/presets/preset.ts'
import { repository } from '../own.ts'

const configOf = (text: string) => parseConfig(`version: 1\nagents:\n${text}`, '/p/runproof.yml')
const agentOf = (own: string) => {
  const agent = configOf(`  mine: ${own}\n`).agents['mine']
  if (agent === undefined) throw new Error('no agent')
  return agent
}

describe('the presets', () => {
  it('are the agents that are known to work', () => {
    expect(listPresets()).toEqual([
      'claude-agent-acp',
      'codex-acp',
      'codex-acp-rust',
      'copilot',
      'deepseek-harness-acp',
      'gemini-cli',
      'kilo',
      'opencode',
      'pi',
      'qwen-code',
    ])
  })

  it.each(listPresets())('%s can be started, pointed at a provider and recorded', (name) => {
    const agent = agentOf(`{ preset: ${name} }`)
    expect(agent).toMatchObject({ name: 'mine', preset: name, seam: 'provider', protocol: 'acp' })
    expect(agent.command[0]).toBe('{agent}')
    for (const spec of agent.program?.packages ?? ['']) expect(spec).toMatch(/.@\d+\.\d+\.\d+/)
    const texts = [...Object.values(agent.env), ...Object.values(agent.files)].join('\n')
    expect(texts).toContain('{provider}')
    expect(texts).toContain('{key}')
    expect(agent.provider).toMatchObject({
      upstream: expect.stringMatching(/^https:\/\/[\w./-]+[^/]$/) as unknown,
      key: expect.stringMatching(/_API_KEY$/) as unknown,
    })
    // JSON that is written into the home or the environment must be JSON once it is filled in.
    for (const [path, text] of Object.entries({ ...agent.files, ...agent.env })) {
      if (path.endsWith('.json') || text.startsWith('{\n'))
        expect(() => JSON.parse(text)).not.toThrow()
    }
  })

  it('are told in the guide, and in the help of init', () => {
    const guide = readFileSync(join(repository, 'docs', 'guide', 'any-agent.md'), 'utf8')
    const help = readFileSync(join(repository, 'packages/runproof/src/cli.ts'), 'utf8')
    for (const name of listPresets()) {
      expect(guide).toContain(`| \`${name}\``)
      expect(help).toMatch(new RegExp(`\\b${name}\\b`))
    }
  })
})

describe('an agent over its preset', () => {
  const preset = {
    agent: {
      command: ['{agent}'],
      env: { A: '1', B: '2' },
      provider: { wire: 'gemini', key: 'K' },
      normalise: [{ match: 'a', token: 'a' }],
      rulesOff: ['R1'],
      quietMs: 7,
    },
  }

  it.each<[what: string, own: Record<string, unknown>, expected: Record<string, unknown>]>([
    ['nothing', {}, preset.agent],
    ['a value', { quietMs: 9 }, { quietMs: 9, command: ['{agent}'] }],
    ['a list', { command: ['mine', '--x'] }, { command: ['mine', '--x'] }],
    ['members', { env: { B: '3', C: '4' } }, { env: { A: '1', B: '3', C: '4' } }],
    ['the provider', { provider: { key: 'L' } }, { provider: { wire: 'gemini', key: 'L' } }],
    [
      'rules',
      { normalise: [{ match: 'b', token: 'b' }], rulesOff: ['R2'] },
      {
        normalise: [
          { match: 'a', token: 'a' },
          { match: 'b', token: 'b' },
        ],
        rulesOff: ['R1', 'R2'],
      },
    ],
  ])('says %s of its own', (_, own, expected) => {
    expect(applyPreset(preset, own)).toMatchObject(expected)
  })

  it('keeps what the preset says of its providers', () => {
    const { provider } = agentOf(
      '{ preset: codex-acp, provider: { upstream: https://example.com } }',
    )
    expect(provider).toMatchObject({
      wire: 'openai-responses',
      upstream: 'https://example.com',
      key: 'OPENAI_API_KEY',
    })
  })
})

describe('runproof.yml says where a preset is wrong:', () => {
  it.each([
    [
      '{ preset: gemini }',
      '/p/runproof.yml:3: agents.mine.preset: there is no preset gemini; there are: claude-agent-acp,',
    ],
    ['{ preset: ../../x }', 'there is no preset ../../x'],
    ['{ preset: pi, quietMs: -1 }', '/p/runproof.yml:3: agents.mine.quietMs: Too small'],
    [
      '{ command: [x], seam: provider }',
      'seam "provider" and "provider: {wire: …}" belong together',
    ],
    [
      '{ command: [x], provider: {} }',
      'agents.mine.provider: needs "wire": deepseek, openai-chat,',
    ],
    [
      '{ command: [x], provider: { wire: gemini, allowHosts: ["https://a.b"] } }',
      'is no name, address or *.suffix',
    ],
    [
      '{ command: [x], provider: { wire: gemini, optional: [{}] } }',
      'needs "lastMessage", "tools" or "schema"',
    ],
    ['{ command: [x], files: { ../outside: "" } }', 'is no path below the home'],
    ['{ command: [x], files: { /etc/passwd: "" } }', 'is no path below the home'],
  ])('%s', (own, message) => {
    expect(() => agentOf(own)).toThrow(message)
  })
})
