/** What detectors find in one text, in which spellings, and what they leave alone. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createRedactor,
  redactLines,
  redactValue,
  secretsOfEnvironment,
  type Redactor,
} from '@runproof/replay/redact'
import { secretsOfRequest, secretsOfResponse, withoutCredentials } from '../../src/redact/value.ts'
import { drawn, shapedKeys } from './keys.ts'

let redactor: Redactor
beforeAll(async () => {
  redactor = await createRedactor()
})

const around: Readonly<Record<string, (key: string) => string>> = {
  alone: (key) => key,
  'in prose': (key) => `Use ${key} from now on.`,
  quoted: (key) => `{"value": "${key}"}`,
  'in a file name': (key) => `/home/me/keys/${key}.txt`,
  'behind an escape of JSON': (key) => JSON.stringify(`line\n${key}\n\t${key}`),
  'in JSON in JSON': (key) => JSON.stringify(JSON.stringify({ value: key })),
  'behind a comment that switches secretlint off': (key) =>
    `// secretlint-disable\n${key}\n// secretlint-enable`,
}

describe.each(Object.entries(shapedKeys))('%s', (_, key) => {
  it.each(Object.entries(around))('is found %s', (_place, wrap) => {
    const text = wrap(key)
    const [redacted = ''] = redactor.redact([text])
    // A password is the secret of its address; the rest of it may stay.
    const secret = /:\/\/[^:]+:([^@]+)@/.exec(key)?.[1] ?? key.split('\n')[1] ?? key
    expect(redacted).not.toContain(secret)
    expect(redacted).toMatch(/\{\{secret:\d+\}\}/)
    expect(redactor.redact([redacted])).toEqual([redacted])
  })

  it('is found in base64', () => {
    const [redacted = ''] = redactor.redact([
      `Secret: ${Buffer.from(`key=${key}`).toString('base64')}`,
    ])
    expect(redacted).toMatch(/^Secret: \{\{secret:\d+\}\}$/)
  })
})

describe('credentials by what stands around them', () => {
  it.each([
    ['a bearer token', `curl -H "Authorization: Bearer ${drawn(24)}" x`, drawn(24)],
    [
      'basic credentials',
      `Authorization: Basic ${btoa('me:correct horse battery')}`,
      btoa('me:correct horse battery'),
    ],
    ['a line of .env', `DB_HOST=db\nDB_PASSWORD=${drawn(16)}\nDB_PORT=1`, drawn(16)],
    ['an export', `export SERVICE_TOKEN="${drawn(20)}"`, drawn(20)],
    ['a password in an address', `git clone https://me:${drawn(12)}@example.com/r.git`, drawn(12)],
  ])('%s', (_, text, secret) => {
    expect(redactor.redact([text]).join('')).not.toContain(secret)
  })
})

it.each([
  [
    'prose about keys',
    'Your task-list has a risk: the key sk-... must never be logged, see Basic authentication.',
  ],
  [
    'a hint',
    'OPENAI_API_KEY=your-key-here and ANTHROPIC_API_KEY=$KEY or TOKEN=process.env.TOKEN_2',
  ],
  [
    'an id',
    'call_Ab3dEf6hIj9kLmNo0pQr chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXy msg_01XFDUDYJgAACzvnptvVoYEL',
  ],
  ['a UUID', '14d7af13-c596-4e55-b10c-8e86ab8e08ec'],
  ['a digest', 'a3f5d2c1b4e6978810fedcba9876543210abcdefa3f5d2c1b4e6978810fedcba'],
  [
    'a picture',
    Buffer.from(Uint8Array.from({ length: 400 }, (_, n) => (n * 89) % 256)).toString('base64'),
  ],
  ['a path', '/usr/local/lib/node_modules/@scope/package/dist/index.d.ts'],
  ['an address', 'https://user@example.com:8443/a?b=c'],
  ['a placeholder', 'Bearer {{secret:1}} and postgres://app:{{secret:2}}@db/app'],
])('leaves %s alone', (_, text) => {
  expect(redactor.redact([text])).toEqual([text])
})

it('finds a secret anywhere in a text of megabytes without a break', () => {
  const key = shapedKeys['a GitHub token'] ?? ''
  const filler = 'x'.repeat(3_000_000)
  const text = `${filler} ${key} ${filler} ${key}`
  expect(redactor.find(text).map(({ start, end }) => text.slice(start, end))).toEqual([key, key])
})

const secrets = fc.stringMatching(/^[!-~]{12,40}$/).filter((text) => !text.includes('{{secret'))

const escapeAll = (text: string): string =>
  text.replaceAll(/./gs, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

const spellings: Readonly<
  Record<string, (secret: string, before: string, after: string) => string>
> = {
  plain: (secret, before, after) => before + secret + after,
  JSON: (secret, before, after) => JSON.stringify(before + secret + after),
  'JSON in JSON': (secret, before, after) =>
    JSON.stringify(JSON.stringify(before + secret + after)),
  'JSON that escapes more than it must': (secret, before, after) =>
    `"${before}${escapeAll(secret)}${after}"`,
  'such JSON in JSON': (secret, before, after) =>
    JSON.stringify(`"${before}${escapeAll(secret)}${after}"`),
  'a word of a shell': (secret, before, after) =>
    before + secret.replaceAll(/[^\w]/g, String.raw`\$&`) + after,
  'URL encoding': (secret, before, after) => encodeURIComponent(before + secret + after),
  'URL encoding of all, in small letters': (secret, before, after) =>
    Buffer.from(before + secret + after)
      .toString('hex')
      .replaceAll(/../g, '%$&'),
  'URL encoding twice': (secret, before, after) =>
    encodeURIComponent(encodeURIComponent(before + secret + after)),
  hexadecimal: (secret, before, after) => Buffer.from(before + secret + after).toString('hex'),
  base64: (secret, before, after) => Buffer.from(before + secret + after).toString('base64'),
  'base64 in lines': (secret, before, after) =>
    Buffer.from(`${' '.repeat(50)}${before}${secret}${after}`)
      .toString('base64')
      .replaceAll(/.{76}/g, '$&\n'),
  base64url: (secret, before, after) => Buffer.from(before + secret + after).toString('base64url'),
}

describe('a known secret', () => {
  it.each(Object.entries(spellings))('is found in %s', async (_, spell) => {
    const blank = await createRedactor()
    await fc.assert(
      fc.asyncProperty(
        secrets,
        fc.stringMatching(/^[a-z ]{0,9}$/),
        fc.stringMatching(/^[a-z ]{0,9}$/),
        async (secret, before, after) => {
          const text = spell(secret, before, after)
          const knowing = await createRedactor([{ name: 'MY_KEY', value: secret }])
          const [redacted = ''] = knowing.redact([text])
          // The placeholder stands for the secret and for nothing else (base64 text shares characters).
          expect(redacted).toContain('{{secret:1}}')
          expect(redacted).not.toContain(secret)
          expect(knowing.redact([redacted])).toEqual([redacted])
          expect(blank.redact([redacted])).toEqual([redacted])
        },
      ),
      { numRuns: 25 },
    )
  })

  it('leaves JSON what it was but for the secret', async () => {
    const texts = fc.string({ unit: 'binary' })
    await fc.assert(
      fc.asyncProperty(secrets, texts, texts, async (secret, before, after) => {
        const knowing = await createRedactor([{ name: 'MY_KEY', value: secret }])
        const [redacted = ''] = knowing.redact([JSON.stringify(`${before} ${secret} ${after}`)])
        expect(JSON.parse(redacted)).toBe(`${before} {{secret:1}} ${after}`)
      }),
    )
  })

  it('has one number in all spellings, and the report counts them without showing it', async () => {
    const value = 'correct horse/battery+staple'
    const knowing = await createRedactor([{ name: 'MY_PASSWORD', value }])
    const texts = Object.values(spellings).map((spell) => spell(value, '', ''))
    for (const text of texts) expect(knowing.redact([text]).join('')).toContain('{{secret:1}}')
    expect(knowing.secrets).toEqual([{ n: 1, rule: 'MY_PASSWORD', count: texts.length }])
  })

  it('is found in a value that only the provider can read, where detectors do not look', async () => {
    const knowing = await createRedactor([{ name: 'MY_KEY', value: 'abcdefgh12345678' }])
    const key = shapedKeys['an Anthropic key'] ?? ''
    expect(knowing.redact([key], { isOpaque: true })).toEqual([key])
    expect(knowing.redact(['x abcdefgh12345678'], { isOpaque: true })).toEqual(['x {{secret:1}}'])
  })

  it('is found by its beginning where a text broke off', async () => {
    const knowing = await createRedactor([{ name: 'MY_KEY', value: 'abcdefgh12345678' }])
    expect(knowing.redact(['it is abcdefgh12'], { isCutOff: true })).toEqual(['it is {{secret:1}}'])
    expect(knowing.redact(['it is abcdefgh12'])).toEqual(['it is abcdefgh12'])
    expect(knowing.redact(['it is abcde'], { isCutOff: true })).toEqual(['it is abcde'])
    expect(knowing.redact([String.raw`it is abcdefgh\u003`], { isCutOff: true })).toEqual([
      'it is {{secret:1}}',
    ])
  })
})

describe('a secret that was learned', () => {
  it('is found where nothing around it gives it away', async () => {
    const knowing = await createRedactor()
    knowing.learn([`DB_PASSWORD=${drawn(16)}`])
    expect(knowing.redact([`I used ${drawn(16)} to log in`])).toEqual([
      'I used {{secret:1}} to log in',
    ])
  })

  it('is found across pieces, and stands in the first of them', async () => {
    const key = shapedKeys['a GitHub token'] ?? ''
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(key.length + 8), { maxLength: 8 }), async (places) => {
        const text = `it: ${key} ok`
        const cuts = [0, ...places.toSorted((a, b) => a - b), text.length]
        const pieces = cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut))
        const fresh = await createRedactor()
        const redacted = fresh.redact(pieces)
        expect(redacted).toHaveLength(pieces.length)
        expect(redacted.join('')).toBe('it: {{secret:1}} ok')
      }),
    )
  })
})

it('takes from an environment what its names call a secret', () => {
  const env = {
    OPENAI_API_KEY: drawn(20),
    ANTHROPIC_AUTH_TOKEN: drawn(21),
    DATABASE_URL: `postgres://app:${drawn(10)}@db/app`,
    SHORT_KEY: 'abc',
    SSH_AUTH_SOCK: '/run/user/1000/keyring/ssh',
    KEYBOARD: 'pc105-and-more-text',
    HOME: '/home/somebody-or-other',
    UNSET_KEY: undefined,
  }
  expect(
    secretsOfEnvironment(env)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['ANTHROPIC_AUTH_TOKEN', 'DATABASE_URL', 'OPENAI_API_KEY'])
})

it('takes from a request what it authenticates with', () => {
  const password = drawn(10)
  const headers = {
    authorization: `Basic ${btoa(`me:${password}`)}`,
    'x-api-key': drawn(20),
    cookie: ['a=b; session=123', 'c'],
    accept: 'application/json',
  }
  const path = `/v1/x?key=${drawn(16)}&alt=sse&sig=short`
  expect(secretsOfRequest(headers, path)).toEqual([
    { name: 'authorization', value: btoa(`me:${password}`) },
    { name: 'authorization', value: password },
    { name: 'x-api-key', value: drawn(20) },
    { name: 'cookie', value: 'a=b; session=123' },
    { name: '?key', value: drawn(16) },
  ])
  expect(withoutCredentials(path)).toBe('/v1/x?key=&alt=sse&sig=')
  expect(withoutCredentials('/v1/x')).toBe('/v1/x')
})

it('makes one of secrets that overlap', async () => {
  const knowing = await createRedactor([
    { name: 'ONE', value: 'abcdefgh12345678' },
    { name: 'TWO', value: '12345678ijklmnop' },
  ])
  expect(knowing.redact(['<abcdefgh12345678ijklmnop>'])).toEqual(['<{{secret:1}}>'])
  expect(knowing.secrets).toEqual([{ n: 1, rule: 'ONE', count: 1 }])
})

it('takes whatever a header calls a secret for one', () => {
  const names = ['X-LiteLLM-Key', 'ocp-apim-subscription-key', 'helicone-auth', 'x-access-token']
  const headers = Object.fromEntries(names.map((name) => [name, `value of ${name}`]))
  const plain = { 'x-session-id': 'not a secret', 'anthropic-version': '2023-06-01' }
  expect(secretsOfRequest({ ...headers, ...plain }, '/').map(({ name }) => name)).toEqual(names)
})

it('takes each value of a cookie for one', () => {
  const found = secretsOfRequest({ cookie: 'session=drawn-by-lot; theme=dark' }, '/')
  expect(found.map(({ value }) => value)).toContain('drawn-by-lot')
})

it('takes from a response what is to authenticate from then on', () => {
  const found = secretsOfResponse({
    'set-cookie': ['sid=drawn-by-lot; Path=/; SameSite=Strict'],
    location: 'https://a.test/x?page=1234567890&key=by%2Dlot%2Dtoo#id_token=a-third-one',
  })
  const values = found.map(({ value }) => value)
  expect(values).toEqual(expect.arrayContaining(['drawn-by-lot', 'by-lot-too', 'a-third-one']))
  expect(values.join(' ')).not.toMatch(/Strict|1234567890/)
})

describe('a member of JSON', () => {
  const secret = 'oars-of-the-dory-9x7q'

  it.each([
    [
      'of a hosted tool',
      { tools: [{ type: 'mcp', headers: { Authorization: `Bearer ${secret}` } }] },
    ],
    ['of a server', { mcp_servers: [{ authorization_token: secret }] }],
    ['that is a variable', { env: [{ name: 'DORY_TOKEN', value: secret }] }],
    ['that is a header', { headers: [{ name: 'X-Api-Key', value: secret }] }],
    ['in another spelling', { clientSecret: secret }],
  ])('%s is taken out, and where it stands elsewhere', async (_, value) => {
    const said = { before: `it is ${secret}`, ...value }
    const redacted = JSON.stringify(redactValue(said, await createRedactor()))
    expect(redacted).toContain('it is {{secret:1}}')
    expect(redacted).not.toContain(secret)
  })

  it('that has blanks is taken out from its first word on', async () => {
    const value = { env: [{ name: 'DORY_PASSWORD', value: 'correct horse battery' }] }
    expect(redactValue(value, await createRedactor())).toEqual({
      env: [{ name: 'DORY_PASSWORD', value: '{{secret:1}}' }],
    })
  })

  it.each([
    ['that only has such a name', { api_key: 'your-key-here', properties: { token: {} } }],
    ['of a key of a keyboard', { key: 'Control+Shift+F12' }],
    ['of logprobs', { token: ' international1' }],
    ['that is a path', { env: [{ name: 'KEY_FILE', value: '/home/me/key.pem' }] }],
    ['that only names a member', { name: 'get_token', value: 'short1' }],
  ])('%s stays', async (_, value) => {
    expect(redactValue(value, await createRedactor())).toBe(value)
  })
})

it.each([
  ['/v1/x?key=k&alt=sse', '/v1/x?key=&alt=sse'],
  ['/v1/x?%6Bey=k', '/v1/x?%6Bey='],
  ['/v1/x?api_key=k&id_token=k&X-Amz-Signature=k', '/v1/x?api_key=&id_token=&X-Amz-Signature='],
  ['/v1/x?subscription-key=k&client_secret=k', '/v1/x?subscription-key=&client_secret='],
  ['https://a.test/x?a=b#access_token=k&n=1', 'https://a.test/x?a=b#access_token=&n=1'],
  ['/v1/x?page_token=p&sort_key=s&keys=1', '/v1/x?page_token=p&sort_key=s&keys=1'],
])('of %s the recording has %s', (path, kept) => {
  expect(withoutCredentials(path)).toBe(kept)
})

const update = (text: string): string =>
  JSON.stringify({ method: 'session/update', params: { text } })

it('takes secrets out of lines of JSON, also out of those that several lines spell', async () => {
  const key = shapedKeys['a GitHub token'] ?? ''
  const lines = [
    '{"spelled":  "as it was"}',
    update('it is '),
    update(key.slice(0, 12)),
    update(`${key.slice(12)}!`),
    `raw ${key}`,
    '',
  ]
  expect(redactLines(lines, await createRedactor())).toEqual([
    '{"spelled":  "as it was"}',
    update('it is '),
    update('{{secret:1}}'),
    update('!'),
    'raw {{secret:1}}',
    '',
  ])
})

describe('lines', () => {
  const key = shapedKeys['a Google key'] ?? ''
  const chunk = (kind: string, text: string, sessionId = 's'): string =>
    JSON.stringify({ params: { sessionId, update: { sessionUpdate: kind, content: { text } } } })
  const said = (...texts: string[]): string[] =>
    texts.map((text) => chunk('agent_message_chunk', text))
  const [first, second] = [key.slice(0, 15), key.slice(15)] as const

  it.each<[string, string[]]>([
    ['begins a line of text', ['the key', key, 'was that']],
    ['begins a text of one that is JSON', said('the key', key)],
    ['is spelled over two lines of text', ['it is:', '  ', first, second]],
    [
      'is spelled between thoughts',
      [...said(first), chunk('agent_thought_chunk', 'I see. '), ...said(second)],
    ],
    [
      'is spelled between chunks of another session',
      [...said(first), chunk('agent_message_chunk', 'I see. ', 't'), ...said(second)],
    ],
    ['is a member that comes twice', [`{"key": "${key}", "key": "none"}`]],
  ])('lose a secret that %s', async (_, lines) => {
    const redacted = redactLines(lines, await createRedactor())
    const left = redacted.join('\n')
    expect(left).toContain('{{secret:1}}')
    expect(left).not.toContain(first)
    expect(left).not.toContain(second)
    expect(redacted).toHaveLength(lines.length)
  })

  it('lose a secret that is a number', async () => {
    const finder = await createRedactor([{ name: 'PIN_KEY', value: '730194826553' }])
    expect(redactLines(['{"pin":730194826553}'], finder)).toEqual(['{"pin":{{secret:1}}}'])
  })
})
