import { describe, expect, it } from 'vitest'
import { createKeyer, requestKey } from '@runproof/replay'
import type { RunContext } from '@runproof/replay'

/** The text as a request key sees it. */
function mask(text: string, context: RunContext = {}): unknown {
  const request = { method: 'POST', path: '/elsewhere', body: text }
  return requestKey('anthropic', request, context).canonical.body
}

const uuid = '01234567-89ab-4cde-8f01-23456789abcd'
const other = 'ffffffff-89ab-4cde-8f01-23456789abcd'

describe('what is masked', () => {
  it.each([
    [`agent_${uuid}_0 and ${other}, ${uuid}`, 'agent_{{uuid:1}}_0 and {{uuid:2}}, {{uuid:1}}'],
    ['at 2026-11-30T18:55:30.123Z or 2026-11-30 18:55+0100', 'at {{time}} or {{time}}'],
    ['run_shell-1764528930123-0_1764528930999_x', 'run_shell-{{ms}}-0_{{ms}}_x'],
    [
      'Chunk ID: a1b2c3\nWall time: 0.0420 seconds',
      'Chunk ID: {{hex:1}}\nWall time: {{seconds}} seconds',
    ],
    ['ses_0123456789abcdefABCDEF and msg_0123456789abcdefABCDEF', '{{id:1}} and {{id:2}}'],
    ['/tmp/run-x1/a.txt /private/tmp/run-x1/b', '{{folder:1}}/a.txt {{folder:2}}/b'],
    ['in /var/folders/zz/zyx_1/T/agent-x1/out', 'in {{folder:1}}/out'],
    [String.raw`C:\Users\me\AppData\Local\Temp\x1\out`, String.raw`{{folder:1}}\out`],
    ["Today's date is Monday, November 30, 2026 (local)", "Today's date is {{date}} (local)"],
    ["Today's date: Mon Nov 30 2026", "Today's date: {{date}}"],
    ['<current_date>2026-11-30</current_date>', '<current_date>{{date}}</current_date>'],
    [
      'Current date and time: Monday, November 30, 2026 at 10:00:00 AM GMT+1',
      'Current date and time: {{date}}',
    ],
    ['today is 30. November 2026, or 30/11/2026', 'today is {{date}}, or 30/11/2026'],
    ['the key is {{secret:3}}', 'the key is {{secret}}'],
  ])('%s', (text, masked) => {
    expect(mask(text)).toBe(masked)
    expect(mask(masked)).toBe(masked)
  })
})

describe('what is not', () => {
  it.each([
    'released on 2024-05-01, see RFC 9112',
    'the currents of 2024-05-01',
    '4006381333931 is a barcode',
    '17645289301234 has a digit too many, 1764528930123.5 is no time',
    '/tmp/notes.txt and /tmp are chosen names',
    'home/tmp/run-x1 is no root',
    'ses_short and a12345678-89ab',
    'Chunk ID: none',
  ])('%s', (text) => {
    expect(mask(text)).toBe(text)
  })
})

it.each(Object.entries({ 'a folder': '/tmp/', 'a folder of macOS': '/var/folders/a/b/T/' }))(
  'a long name behind %s takes no longer than its length',
  (_, root) => {
    const text = `${root}${'a'.repeat(1_000_000)}.x`
    expect(mask(text)).toBe(text)
  },
)

it('a folder at the root is a word like any other without its slash', () => {
  const context = { cwd: '/app', home: '/root' }
  expect(mask('the app in /app/src, -app, root and /root', context)).toBe(
    'the app in {{cwd}}/src, -app, root and {{home}}',
  )
})

describe('folders of the run', () => {
  const context = {
    cwd: '/work/run-1/garden',
    home: '/work/run-1',
    temp: '/work/run-1/tmp/',
    agent: '/opt/agent',
  }

  it.each([
    ['/work/run-1/garden/a.txt', '{{cwd}}/a.txt'],
    ['see /work/run-1/garden.', 'see {{cwd}}.'],
    ['/private/work/run-1/garden', '{{cwd}}'],
    ['/work/run-1/garden-2 is a sibling', '{{home}}/garden-2 is a sibling'],
    ['/work/run-12 is another', '/work/run-12 is another'],
    ['/work/run-1/tmp/x and /opt/agent/bin', '{{temp}}/x and {{agent}}/bin'],
    ['/work/run-1/.agent/projects/-work-run-1-garden/x', '{{home}}/.agent/projects/{{cwd-slug}}/x'],
  ])('%s', (text, masked) => {
    expect(mask(text, context)).toBe(masked)
  })

  it('a root or nothing is no folder to mask', () => {
    expect(mask('/ and x', { cwd: '/', home: '' })).toBe('/ and x')
  })
})

describe('masks of an agent', () => {
  it('come first, whole or by their group', () => {
    const masks = [
      { match: String.raw`Platform: (\S+)`, token: 'platform' },
      { match: String.raw`v\d+\.\d+`, token: 'version' },
    ]
    expect(mask('Platform: linux v1.2 v3.4', { masks })).toBe(
      'Platform: {{platform}} {{version}} {{version}}',
    )
  })

  it('that are no regular expression are refused', () => {
    expect(() => mask('x', { masks: [{ match: '(', token: 't' }] })).toThrow(
      expect.objectContaining({ code: 'bad-config' }),
    )
  })
})

it('texts are masked the same when there were too many to remember', () => {
  const keyOf = createKeyer()
  const request = (body: unknown) => keyOf('gemini', { method: 'POST', path: '/x', body }).key
  const before = request(`at ${uuid}`)
  for (const letter of 'abc') request(letter.repeat(3_000_000))
  request('d'.repeat(5_000_000))
  expect(request(`at ${other}`)).toBe(before)
})

it('a text that was seen before is masked the same', () => {
  const request = {
    method: 'POST',
    path: '/v1/messages',
    body: { system: [{ text: uuid }, { text: uuid }] },
  }
  expect(requestKey('anthropic', request).canonical.body).toEqual({
    system: [{ text: '{{uuid:1}}' }, { text: '{{uuid:1}}' }],
  })
})
