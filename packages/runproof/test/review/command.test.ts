import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runproof } from '../command-line.ts'
import { createScene } from './scene.ts'

const keys = {
  one: 'one/stdout.golden.jsonl',
  two: 'two/stdout.golden.jsonl',
  progress: 'three/progress.golden.txt',
  log: 'three/session.jsonl',
}

describe('runproof review, without a terminal', () => {
  it('lists what is pending, gathered by cause', async () => {
    const { review } = await createScene()
    const { code, stdout } = await review({})
    expect(code).toBe(0)
    expect(stdout.replaceAll(/[0-9a-f]{12}/g, 'CAUSE')).toMatchInlineSnapshot(`
      "2 with one cause (CAUSE)
        one/stdout.golden.jsonl
          line 1 response: result.agentInfo.version "0.0.1" → "0.0.2"
        two/stdout.golden.jsonl
          line 1 response: result.agentInfo.version "0.0.1" → "0.0.2"
      three/progress.golden.txt
        line 1: "EOF => done" → "EOF => unknown"
      three/session.jsonl (not acceptable: replay source)
        line 1 session header: version absent → 0

      runproof review --show KEY | --accept KEY | --reject KEY (a key, a scenario, a cause or all)
      "
    `)
    expect((await review({ list: true })).stdout).toBe(stdout)
  })

  it('lists as JSON lines', async () => {
    const { review } = await createScene()
    const { stdout } = await review({ list: true, json: true })
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(rows).toMatchObject([
      {
        key: keys.one,
        scenario: 'one',
        file: 'stdout.golden.jsonl',
        kind: 'changed',
        changeCount: 1,
        acceptable: true,
      },
      { key: keys.progress, acceptable: true },
      { key: keys.log, acceptable: false },
      { key: keys.two, acceptable: true },
    ])
  })

  it('shows one, as events and as text, or as JSON', async () => {
    const { review, root } = await createScene()
    const { code, stdout } = await review({ show: keys.progress })
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        'three progress.golden.txt',
        '  ~ line 1',
        '      "EOF => done" → "EOF => unknown"',
        '',
        '  as text',
        '  -EOF => done',
        '  +EOF => unknown',
        '',
      ].join('\n'),
    )
    const json: unknown = JSON.parse((await review({ show: keys.progress, json: true })).stdout)
    expect(json).toMatchObject({
      key: keys.progress,
      path: join(root, 'scenarios', 'three', 'progress.golden.txt'),
      changes: [{ kind: 'changed', expected: 'EOF => done', actual: 'EOF => unknown' }],
    })
  })

  it('accepts a key, a scenario or a cause', async () => {
    const { review, read, store } = await createScene()
    expect(await review({ accept: keys.progress })).toMatchObject({
      code: 0,
      stdout: `accepted ${keys.progress}\n`,
    })
    expect(await read('scenarios/three/progress.golden.txt')).toBe('EOF => unknown\n')
    const { pending } = await store.list()
    const cause = pending.find(({ key }) => key === keys.one)?.difference.cause ?? ''
    expect((await review({ accept: cause })).stdout).toBe(
      `accepted ${keys.one}\naccepted ${keys.two}\n`,
    )
    expect(await read('scenarios/two/stdout.golden.jsonl')).toContain('0.0.2')
  })

  it('accepts all but what a replay reads, and says so', async () => {
    const { review, read, store } = await createScene()
    const { code, stdout } = await review({ accept: 'all', json: true })
    expect(code).toBe(1)
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(rows).toMatchObject([
      { key: keys.one, accepted: true },
      { key: keys.progress, accepted: true },
      { key: keys.log, accepted: false, reason: expect.stringContaining('runproof record three') },
      { key: keys.two, accepted: true },
    ])
    expect(await read('scenarios/three/session.jsonl')).toBe('{"type":"session"}\n')
    expect((await store.list()).pending).toHaveLength(1)
  })

  it('rejects', async () => {
    const { review, read, store } = await createScene()
    expect(await review({ reject: 'three' })).toMatchObject({ code: 0 })
    expect((await store.list()).pending.map(({ key }) => key)).toEqual([keys.one, keys.two])
    expect(await read('scenarios/three/progress.golden.txt')).toBe('EOF => done\n')
    expect((await review({ reject: keys.one, json: true })).stdout).toBe(
      `{"key":"${keys.one}","accepted":false,"rejected":true}\n`,
    )
  })

  it.each([{ accept: 'all' }, { reject: 'one' }])('writes nothing in CI: %j', async (options) => {
    const { review, store } = await createScene()
    await expect(review(options, { CI: 'true' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('CI is set'),
    })
    expect((await store.list()).pending).toHaveLength(4)
  })

  it.each([
    [
      { show: 'four' },
      'nothing pending is called four; pending: one/stdout.golden.jsonl, three/progress',
    ],
    [{ accept: 'four' }, 'nothing pending is called four'],
    [{ list: true, accept: 'one' }, 'give one of --list'],
  ])('refuses %j', async (options, message) => {
    const { review } = await createScene()
    await expect(review(options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    })
  })

  it('has nothing to do where nothing is pending', async () => {
    const { review, root } = await createScene()
    await rm(join(root, '.runproof'), { recursive: true })
    expect(await review({})).toEqual({ code: 0, stdout: 'nothing is pending\n', stderr: '' })
    expect(await review({ accept: 'all' })).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await review({ markdown: true })).stdout).toBe('### Runproof: nothing pending\n')
    await expect(review({ show: 'x' })).rejects.toThrow('nothing is pending')
  })

  it('names a file of the store that it cannot read', async () => {
    const { review, root } = await createScene()
    await writeFile(join(root, '.runproof', 'pending', 'x.json'), '')
    expect((await review({ list: true })).stderr).toContain('x.json is no pending difference')
  })
})

describe('the command line', () => {
  it('refuses to write in CI before it looks at anything', async () => {
    const { exitCode, stderr } = await runproof(['review', '--accept', 'all'], {
      env: { CI: 'true' },
    })
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      'runproof: CI is set, so nothing is written; review where the goldens can be committed\n',
    )
  })

  it.each(['review', 'doctor'])('explains %s', async (command) => {
    const { exitCode, stdout } = await runproof([command, '--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`runproof ${command} [options]`)
    expect(stdout).toContain('Examples:')
  })
})

describe('the Markdown summary', () => {
  it('does not pass for a good one where nothing is kept', async () => {
    const { review } = await createScene()
    await review({ reject: 'all' })
    expect((await review({ markdown: true }, { CI: '1' })).stderr).toContain('--reporter github')
    expect((await review({ markdown: true })).stderr).toBe('')
  })

  it('has a block a cause', async () => {
    const { review } = await createScene()
    const { stdout } = await review({ markdown: true }, { CI: '1' })
    expect(stdout).toMatchInlineSnapshot(`
      "### Runproof: 4 pending differences, 3 causes

      <details><summary>line 1 response: result.agentInfo.version "0.0.1" → "0.0.2" (2)</summary>

      - \` one/stdout.golden.jsonl \`
      - \` two/stdout.golden.jsonl \`

      \`\`\`text
      one stdout.golden.jsonl
        ~ line 1 response
            result.agentInfo.version: "0.0.1" → "0.0.2"
      \`\`\`

      </details>

      <details><summary>line 1: "EOF =&gt; done" → "EOF =&gt; unknown" (1)</summary>

      - \` three/progress.golden.txt \`

      \`\`\`text
      three progress.golden.txt
        ~ line 1
            "EOF => done" → "EOF => unknown"
      \`\`\`

      </details>

      <details><summary>line 1 session header: version absent → 0 (1)</summary>

      - \` three/session.jsonl \`

      \`\`\`text
      three session.jsonl
        ~ line 1 session header
            version: (absent) → 0
      \`\`\`

      </details>

      Look at them with \`runproof review\` where the tests ran; accept what is meant.
      "
    `)
  })
})
