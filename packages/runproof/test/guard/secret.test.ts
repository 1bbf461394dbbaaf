import { serializeRecording } from '@runproof/replay'
import { describe, expect, it } from 'vitest'
import { createSecretFinder, guardSecrets } from '../../src/guard/secret.ts'

/** Joined at run time, so that no scanner takes this file for a leak. */
const key = (...parts: string[]): string => parts.join('')
const letters = 'a1B2c3D4e5'.repeat(12)

const found = async (
  text: string,
  env: Record<string, string | undefined> = {},
  file = 'session.jsonl',
): Promise<string[]> => {
  const finder = await createSecretFinder(env)
  const texts = new Map([[file, text]])
  const findings = await guardSecrets({ name: 's', folder: '/s', texts }, finder)
  return findings.map(({ line, message }) => `${line} ${message}`)
}

const advice = 'take it out of the file, and revoke it if it was ever shared'

describe('secrets', () => {
  it.each<[name: string, rule: string, secret: string]>([
    ['an Anthropic key', 'sk-key', key('sk-', 'ant-api03-', letters)],
    ['an OpenAI key', 'sk-key', key('sk-', 'proj-', letters)],
    ['an OpenRouter key', 'sk-key', key('sk-', 'or-v1-', 'ab12'.repeat(16))],
    ['another API key', 'sk-key', key('sk-', '0123456789abcdef'.repeat(2))],
    ['a Google API key', 'google-key', key('AI', 'za', letters.slice(0, 35))],
    ['a Groq key', 'groq-key', key('gsk', '_', letters.slice(0, 52))],
    ['an xAI key', 'xai-key', key('xai', '-', letters.slice(0, 80))],
    ['a Hugging Face token', 'hugging-face-token', key('hf', '_', letters.slice(0, 34))],
    ['a GitHub token', 'github-token', key('gh', 'p_', letters.slice(0, 36))],
    ['a GitLab token', 'gitlab-token', key('gl', 'pat-', letters.slice(0, 20))],
    ['an npm token', 'npm-token', key('npm', '_', letters.slice(0, 36))],
    ['a Slack token', 'slack-token', key('xox', 'b-', letters.slice(0, 40))],
    ['an AWS access key', 'aws-key-id', key('AK', 'IA', 'ABCDEFGHIJKLMNOP')],
    ['a JSON web token', 'json-web-token', key('eyJ', letters, '.eyJ', letters, '.', letters)],
    ['a bearer token', 'bearer-token', key('Bearer ', letters.slice(0, 30))],
    ['a password in a URL', 'password-in-url', key('amqp://', 'ann:', 'hunter22', '@db/x')],
  ])('finds %s, and does not show it', async (_name, rule, secret) => {
    expect(await found(`first\n{"text":"use ${secret} now"}\n`)).toEqual([
      `2 holds a secret (${rule}); ${advice}`,
    ])
  })

  it.each([
    'sk-short',
    'task-0123456789abcdef0123456789abcdef',
    'toolu_01A09q90qw90lq917835lq9',
    'call_00_d0sAHpJ9mYOJi0z7KNy30441',
    '0b1d9d6e-7a1c-4f0e-9a57-52d0a7b7a001',
    'Authorization: Bearer {{token}}',
    'https://user@host/x and http://127.0.0.1:80/a@b',
    'eyJ.eyJ.x',
  ])('lets pass %s', async (text) => {
    expect(await found(text)).toEqual([])
  })

  it('finds the values of the environment, also JSON-escaped, by their names', async () => {
    const env = {
      DEEPSEEK_API_KEY: 'pa"ss-word-of-mine',
      AUTH_TOKEN_FILE: '/run/secrets/token-file',
      SOME_TOKEN: 'short',
      AUTHOR: 'Somebody With A Name',
      OTHER_TOKEN: undefined,
      PATH: '/usr/bin:/usr/local/bin',
    }
    const text = 'Somebody With A Name\nshort /run/secrets/token-file\n{"k":"pa\\"ss-word-of-mine"}'
    expect(await found(text, env)).toEqual([`3 holds a secret (DEEPSEEK_API_KEY); ${advice}`])
  })

  it('finds a secret that a model spelled over several chunks', async () => {
    const pieces = ['use sk-', 'ant-api03-', letters, ' now']
    const lines = pieces.map((text) =>
      JSON.stringify({
        type: 'assistant/chunk',
        data: { chunk: { type: 'text-delta', index: 0, text } },
      }),
    )
    expect(await found(lines.join('\n'))).toEqual([
      `1 holds a secret (spelled over several lines from here on); ${advice}`,
    ])
  })

  it('knows what a recording keeps for the provider alone, and finds what else is in it', async () => {
    const riddle = key('sk-', 'ant-api03-', letters)
    const recording = (content: object): string =>
      serializeRecording({
        version: 1,
        wire: 'anthropic',
        source: 'authored',
        provenance: {},
        exchanges: [
          {
            n: 1,
            request: {
              method: 'POST',
              path: '/v1/messages',
              headers: {},
              key: 'k',
              body: { messages: [{ role: 'assistant', content: [content] }] },
            },
            response: null,
            events: [],
            body: null,
            end: { kind: 'reset' },
          },
        ],
      })
    const thought = { type: 'thinking', thinking: 'Hm.', signature: riddle }
    expect(await found(recording(thought), {}, 'recording.jsonl')).toEqual([])
    const text = { type: 'text', text: riddle }
    expect(await found(recording(text), {}, 'recording.jsonl')).toEqual([
      `null holds a secret (exchange 1, request messages.*.content.*.text: sk-key); ${advice}`,
    ])
    const mine = { MY_KEY: riddle }
    expect(await found(recording(thought), mine, 'recording.jsonl')).toHaveLength(1)
  })
})
