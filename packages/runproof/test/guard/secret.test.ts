import { describe, expect, it } from 'vitest'
import { guardSecrets, secretValues } from '../../src/guard/secret.ts'

/** Joined at run time, so that no scanner takes this file for a leak. */
const key = (...parts: string[]): string => parts.join('')
const letters = 'a1B2c3D4e5'.repeat(12)

const found = (text: string, values: Parameters<typeof guardSecrets>[1] = []): string[] => {
  const texts = new Map([['session.jsonl', text]])
  return guardSecrets({ name: 's', folder: '/s', texts }, values).map(
    ({ line, message }) => `${line} ${message}`,
  )
}

describe('secrets', () => {
  it.each<[name: string, secret: string]>([
    ['an Anthropic key', key('sk-', 'ant-api03-', letters)],
    ['an OpenAI key', key('sk-', 'proj-', letters)],
    ['an OpenRouter key', key('sk-', 'or-v1-', 'ab12'.repeat(16))],
    ['an API key (sk-…)', key('sk-', '0123456789abcdef'.repeat(2))],
    ['a Google API key', key('AI', 'za', letters.slice(0, 35))],
    ['a Groq key', key('gsk', '_', letters.slice(0, 52))],
    ['an xAI key', key('xai', '-', letters.slice(0, 80))],
    ['a Hugging Face token', key('hf', '_', letters.slice(0, 34))],
    ['a GitHub token', key('gh', 'p_', letters.slice(0, 36))],
    ['a GitHub token', key('github', '_pat_', letters.slice(0, 82))],
    ['a GitLab token', key('gl', 'pat-', letters.slice(0, 20))],
    ['an npm token', key('npm', '_', letters.slice(0, 36))],
    ['a Slack token', key('xox', 'b-', letters.slice(0, 40))],
    ['an AWS access key', key('AK', 'IA', 'ABCDEFGHIJKLMNOP')],
    ['a private key', key('-----BEGIN', ' RSA PRIVATE KEY-----')],
    ['a JSON web token', key('eyJ', letters, '.eyJ', letters, '.', letters)],
    ['a bearer token', key('Bearer ', letters.slice(0, 30))],
    ['a password in a URL', key('postgres://', 'ann:', 'hunter22', '@db/x')],
  ])('finds %s, and does not show it', (name, secret) => {
    const message = `holds ${name}; take it out of the file, and revoke it if it was ever shared`
    expect(found(`first\n{"text":"use ${secret} now"}\n`)).toEqual([`2 ${message}`])
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
  ])('lets pass %s', (text) => {
    expect(found(text)).toEqual([])
  })

  it('finds the values of the environment, also JSON-escaped', () => {
    const values = secretValues({
      DEEPSEEK_API_KEY: 'pa"ss-word-of-mine',
      AUTH_TOKEN_FILE: '/run/secrets/token-file',
      SOME_TOKEN: 'short',
      KEYBOARD_LAYOUT: 'us-international-alt',
      AUTHOR: 'Somebody With A Name',
      OTHER_TOKEN: undefined,
      OPENAI_KEY_URL: 'https://example.org/keys',
      PATH: '/usr/bin:/usr/local/bin',
      db_password: 'correct horse',
      OPENAI_APIKEY: 'battery staple',
    })
    expect(values).toEqual([
      { name: 'DEEPSEEK_API_KEY', value: 'pa"ss-word-of-mine' },
      { name: 'db_password', value: 'correct horse' },
      { name: 'OPENAI_APIKEY', value: 'battery staple' },
    ])
    expect(found('a\nb\n{"k":"pa\\"ss-word-of-mine"}', values)).toEqual([
      '3 holds the value of DEEPSEEK_API_KEY; take it out of the file, and revoke it if it was ever shared',
    ])
  })

  it('tells a value once, by its name', () => {
    const secret = key('sk-', '0123456789abcdef'.repeat(2))
    expect(found(secret, [{ name: 'MY_KEY', value: secret }])).toEqual([
      '1 holds the value of MY_KEY; take it out of the file, and revoke it if it was ever shared',
    ])
  })
})
