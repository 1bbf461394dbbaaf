import { relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GuardAgent } from '../../src/guard/snapshot.ts'
import { readSnapshot } from '../../src/guard/snapshot.ts'
import { guardScenario } from '../../src/guard/suite.ts'
import { readScenarioFolder } from '../../src/scenario/scenario.ts'
import {
  foreign,
  golden,
  header,
  input,
  json,
  jsonl,
  numbered,
  sound,
  turn,
  without,
  writeFiles,
  type Files,
} from './folder.ts'

/** `code file:line: message` of each finding. */
async function findings(files: Files, agent: GuardAgent | null = null): Promise<string[]> {
  const folder = await writeFiles(files)
  const content = await readScenarioFolder(folder)
  if ('problems' in content) throw new Error(content.problems.join())
  const snapshot = await readSnapshot({ name: 'demo', ...content }, agent)
  const found = await guardScenario(snapshot)
  return found.map(({ code, path, line, message }) => {
    const place = relative(folder, path) + (line === null ? '' : `:${line}`)
    return `${code} ${place} ${message}`
  })
}

const textOf = (file: string): string => sound[file] ?? ''
const steps = (...more: unknown[]): string => json({ ...input, steps: [...input.steps, ...more] })
const silent = { ...input, steps: input.steps.slice(0, 2) }
const child = (more: object = {}): string => jsonl([{ ...header, id: 'child-1', ...more }])
const parented = child({ parentSession: header.id })
const withHeader = (fields: object): string =>
  jsonl([
    header,
    ...turn.map((event) =>
      event.type === 'request/header'
        ? { ...event, data: { header: fields, reason: 'initial' } }
        : event,
    ),
  ])

describe('the guards', () => {
  it.each<[what: string, files: Files]>([
    ['a sound folder', sound],
    ['a foreign one', foreign],
    ['a note', { ...sound, 'README.md': 'Why.\n', '.gitkeep': '' }],
    [
      'no prompt, header only',
      {
        ...without(sound, 'progress.golden.txt'),
        'input.json': json(silent),
        'session.jsonl': jsonl([header]),
      },
    ],
    [
      'a declared override',
      {
        ...sound,
        'input.json': json({ ...input, overridden: true }),
        'replay.override.json': '[{"kind":"hang"}]',
      },
    ],
    [
      'patches',
      {
        ...sound,
        'input.json': json({ ...input, overridden: true }),
        'replay.override.json': '{"patches":[{"at":0}]}',
      },
    ],
    ['a foreign override', { ...foreign, 'replay.override.json': '[{"kind":"hang"}]' }],
    ['a child log', { ...sound, 'session.1.jsonl': parented }],
    ['a workspace', { ...sound, 'workspace/a.txt': 'a', 'workspace.expected/a.txt': 'b' }],
    [
      'a prompt that is refused before its turn',
      {
        ...foreign,
        'input.json': json({
          steps: [...input.steps.slice(0, 2), { op: 'promptExpectError', text: '' }],
        }),
        'session.jsonl': jsonl([header]),
      },
    ],
  ])('find nothing in %s', async (_, files) => {
    expect(await findings(files)).toEqual([])
  })

  it.each<[what: string, files: Files, found: (string | RegExp)[]]>([
    [
      'what was never recorded',
      without(sound, 'session.jsonl', 'stdout.golden.jsonl', 'progress.golden.txt'),
      ['missing-file session.jsonl is missing; run: runproof record demo'],
    ],
    [
      'missing goldens',
      without(sound, 'stdout.golden.jsonl', 'progress.golden.txt'),
      [
        'missing-file stdout.golden.jsonl is missing; run: runproof test demo, then runproof review',
        'missing-file progress.golden.txt is missing; run: runproof test demo, then runproof review',
      ],
    ],
    [
      'an expected workspace that is missing',
      {
        ...sound,
        'input.json': steps({ op: 'cancel' }, { op: 'waitFor', file: 'a' }).replace(
          '"text":"Say hello."',
          '"text":"a","accept":[{"workspace":true}]',
        ),
      },
      [
        'missing-file workspace.expected is missing; a prompt accepts by the workspace, so put the expected files there',
      ],
    ],
    [
      'leftover files',
      { ...sound, 'session.old.jsonl': '', 'notes.txt': '' },
      [
        'leftover-file notes.txt is no file of a scenario; remove it, or move it into workspace/ if the agent needs it',
        'leftover-file session.old.jsonl is no file of a scenario; remove it, or move it into workspace/ if the agent needs it',
      ],
    ],
    [
      'an override that is not declared',
      { ...sound, 'replay.override.json': '[{"kind":"hang"}]' },
      [
        'override replay.override.json replaces what the log replays, so input.json must say "overridden": true; say it, or remove the file',
      ],
    ],
    [
      'a declared override that is not there',
      { ...sound, 'input.json': json({ ...input, overridden: true }) },
      [
        'override replay.override.json is missing though input.json says "overridden": true; write it, or take the word out',
      ],
    ],
    [
      'an empty override',
      { ...foreign, 'replay.override.json': '[]' },
      [
        'override replay.override.json is empty, so the model would never answer; write its entries, or remove the file',
      ],
    ],
    [
      'an override of no shape',
      { ...foreign, 'replay.override.json': '{"kind":"hang"}' },
      [
        'override replay.override.json is neither a list with an entry for each model call ({"kind": "chunks", "chunks": […]}) nor {"patches": [{"at": 0, "entry": {…}}]}',
      ],
    ],
    [
      'an override that is cut off',
      { ...foreign, 'replay.override.json': '[{' },
      ['override replay.override.json is not JSON; write a list of entries'],
    ],
    [
      'a gap in the child logs',
      { ...sound, 'session.2.jsonl': parented },
      [
        'child-log session.2.jsonl child logs are numbered from 1 without a gap, so this one is session.1.jsonl; rename it',
      ],
    ],
    [
      'a child log without a parent',
      { ...sound, 'session.1.jsonl': child() },
      [
        'child-log session.1.jsonl:1 names no parent session, so it is not a child log; record the scenario again',
      ],
    ],
    [
      'an empty log',
      { ...sound, 'session.jsonl': '' },
      [
        'session-log session.jsonl:1 cannot be read from here on: no complete header line: this session never began; record it again',
      ],
    ],
    [
      'a log that lost a line',
      { ...sound, 'session.jsonl': jsonl([header, ...turn.toSpliced(2, 1)]) },
      [/^session-log session\.jsonl:4 cannot be read from here on: .*seq.*; record it again$/],
    ],
    [
      'a log that is cut off',
      { ...sound, 'session.jsonl': textOf('session.jsonl').slice(0, -10) },
      ['session-log session.jsonl:8 the last line is cut off; record it again'],
    ],
    [
      'a log without its last line end',
      { ...sound, 'session.jsonl': textOf('session.jsonl').slice(0, -1) },
      ['line-ends session.jsonl the last line has no end; add a newline'],
    ],
    [
      'a header-only log of a script that prompts',
      { ...sound, 'session.jsonl': jsonl([header]) },
      ['session-log session.jsonl has 0 turns for the 1 prompts of input.json; record it again'],
    ],
    [
      'a turn in the log of a script that never prompts',
      { ...without(sound, 'progress.golden.txt'), 'input.json': json(silent) },
      [
        'session-log session.jsonl:2 the script of input.json never prompts, so the log has its header line only; cut the rest, or record it again',
      ],
    ],
    [
      'the prompt and the tools themselves',
      {
        ...sound,
        'session.jsonl': withHeader({ config: {}, system: 'You are small.', tools: [] }),
      },
      [
        'prompt session.jsonl:5 holds the system prompt itself; write {{system}} and keep the text in system-prompt.golden.md of one scenario of the class',
        'prompt session.jsonl:5 holds the tool list itself; write {{tools}} and keep the list in tool-schemas.golden.json of one scenario of the class',
      ],
    ],
    [
      'an empty golden',
      { ...sound, 'stdout.golden.jsonl': '' },
      ['golden stdout.golden.jsonl is empty, so it proves nothing; delete it and run the scenario'],
    ],
    [
      'an empty progress golden',
      { ...sound, 'progress.golden.txt': '\n' },
      [
        'golden progress.golden.txt is empty though the script prompts, so it proves nothing; delete it and run the scenario',
      ],
    ],
    [
      'a golden line that is no object',
      { ...sound, 'stdout.golden.jsonl': `${textOf('stdout.golden.jsonl')}booting\n` },
      [
        'golden stdout.golden.jsonl:5 is not one JSON object; goldens are written by runproof review, not by hand',
      ],
    ],
    [
      'a golden that was edited by hand',
      {
        ...sound,
        'stdout.golden.jsonl': textOf('stdout.golden.jsonl').replace('{{rpc:3}}', '{{rpc:7}}'),
      },
      [
        'normal-form stdout.golden.jsonl:4 is not in normal form (line 4 response is numbered differently: id "{{rpc:7}}" → "{{rpc:3}}"); run the scenario and review it',
      ],
    ],
    [
      'a golden of another script',
      { ...sound, 'stdout.golden.jsonl': jsonl(golden.slice(0, 3)) },
      [
        'golden stdout.golden.jsonl has 2 responses for the 3 requests of input.json, so it is not of this script; delete it, run the scenario and review what it says now',
      ],
    ],
    [
      'CRLF',
      { ...sound, 'progress.golden.txt': 'a\r\nb\r\n' },
      [
        'line-ends progress.golden.txt:1 ends with CRLF; goldens have LF: add "scenarios/** -text" to .gitattributes and check them out again',
      ],
    ],
    [
      'a golden without its last line end',
      { ...sound, 'progress.golden.txt': 'EOF => checking' },
      ['line-ends progress.golden.txt the last line has no end; add a newline'],
    ],
  ])('find %s', async (_, files, found) => {
    expect(await findings(files)).toEqual(
      found.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
    )
  })

  it('know what an agent of each seam has', async () => {
    const provider: GuardAgent = { protocol: 'acp', seam: 'provider', normalise: [] }
    expect(await findings(sound, provider)).toEqual([
      'missing-file recording.jsonl is missing; run: runproof record demo',
      'leftover-file session.jsonl is not used by an agent of seam "provider"; remove it',
      'leftover-file system-prompt.golden.md is not used by an agent of seam "provider"; remove it',
      'leftover-file tool-schemas.golden.json is not used by an agent of seam "provider"; remove it',
    ])
    const plain: GuardAgent = { protocol: 'jsonl', seam: 'none', normalise: [] }
    const files = {
      'input.json': json({ version: 1, steps: [{ op: 'send', message: { say: 'a' } }] }),
      'stdout.golden.jsonl': '{"said":"a"}\n',
    }
    expect(await findings(files, plain)).toEqual([])
    const more = { 'progress.golden.txt': 'EOF\n', 'system-prompt.golden.md': 'Be brief.\n' }
    expect(await findings({ ...files, ...more }, plain)).toEqual(
      expect.arrayContaining([
        'leftover-file progress.golden.txt is not used by an agent of protocol "jsonl"; remove it',
        'leftover-file system-prompt.golden.md is not used by an agent of seam "none"; remove it',
      ]),
    )
  })

  it('read goldens with the rules of the project', async () => {
    const rules = [{ match: 'Hello\\.', token: 'greeting' }]
    const [finding] = await findings(sound, { protocol: 'acp', seam: 'session', normalise: rules })
    expect(finding).toContain('"Hello." → "{{greeting}}"')
  })
})

/** The sound folder with the result of a tool in its log. */
function withTool(text: string): Files {
  const data = { turn: 1, step: 1, callId: 'c', content: [{ type: 'text', text }], isError: false }
  const event = { type: 'tool/result', data, surfaceOp: 'append' }
  return { ...sound, 'session.jsonl': jsonl([header, ...numbered(turn.toSpliced(5, 0, event))]) }
}

/** The sound folder with another text in its golden. */
const saying = (said: string): Files => ({
  ...sound,
  'stdout.golden.jsonl': textOf('stdout.golden.jsonl').replace(
    'Hello.',
    JSON.stringify(said).slice(1, -1),
  ),
})

describe('machine paths', () => {
  it.each([
    '/home/ann/src/a.ts',
    'see /Users/Ann/x',
    '/root/.config',
    '/var/folders/2g/abc/T',
    '/tmp/runproof-Ab12cd/workspace/a.txt',
    'C:\\Users\\Ann\\a.txt',
    '/private{{cwd}}/a',
  ])('%s', async (path) => {
    const [finding, ...more] = await findings(saying(path))
    expect(finding).toMatch(/^machine-path stdout\.golden\.jsonl:3 names a path of one machine \(/)
    expect(more).toEqual([])
  })

  it.each([
    '{{cwd}}/a.txt',
    '{{home}}/.config',
    '/tmp/escalated.txt',
    '/tmp/read-create',
    '/etc/hosts',
    'a/root/b',
    'C:\\Windows',
  ])('not %s', async (path) => {
    expect(await findings(saying(path))).toEqual([])
  })

  it('in a log are those that its own header does not name', async () => {
    expect(await findings(withTool(`${header.cwd}/a.txt`))).toEqual([])
    expect(await findings(withTool('/home/ann/a.txt'))).toEqual([
      'machine-path session.jsonl:7 names a path of one machine (/home/ann/…); let the scenario stay below its working folder, or add a normalise rule to runproof.yml',
    ])
  })
})
