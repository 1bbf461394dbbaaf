/** The tap: bytes, ends, files, secrets. It runs as its users run it, as a process of its own. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import {
  bin,
  echo,
  folder,
  program,
  readTranscript,
  removeFolder,
  saying,
  startTap,
} from './tap.ts'

afterAll(removeFolder)

const message = (text: string): string =>
  `{"jsonrpc":"2.0", "method":"session/update","params":{"text":"${text}","n":1.0}}`

describe('bytes', () => {
  it('pass both ways as they are, whatever they are', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${message('é')}\n\n\r\nnot JSON\r\n`),
      randomBytes(400_000),
      Buffer.from('no end'),
    ])
    const tap = startTap(['--out', 'bytes.jsonl', '--', ...echo])
    for (let at = 0; at < bytes.length;) {
      const end = at + 1 + ((at * 7919) % 20_000)
      tap.child.stdin.write(bytes.subarray(at, end))
      at = end
    }
    tap.child.stdin.end()
    expect((await tap.stdout).equals(bytes)).toBe(true)
    expect(await tap.ended).toEqual({ code: 0, signal: null })
  })

  it('are kept as messages, as raw lines and as facts, in order', async () => {
    const agent = program(`
      process.stdin.once('data', (data) => {
        process.stdout.write(data)
        process.stderr.write('a warning\\nwithout end')
        process.exitCode = 3
        process.stdin.destroy()
      })`)
    const tap = startTap(['--out', 'lines.jsonl', '--', ...agent, '--', '--flag'])
    tap.child.stdin.write(`${message('hello')}\r\n\nnot JSON\n[1]\n{"no":"message"}\n`)
    expect(await tap.ended).toEqual({ code: 3, signal: null })
    expect(await tap.stderr).toContain('a warning\nwithout end')
    const [spawned, ...lines] = readTranscript('lines.jsonl')
    expect(spawned).toMatchObject({
      dir: 'x',
      m: { spawn: { command: [...agent, '--', '--flag'] } },
    })
    const said = (dir: string): string[] => saying(lines).filter((line) => line.startsWith(dir))
    const crossed = [
      JSON.stringify(JSON.parse(message('hello'))),
      '"not JSON"',
      '"[1]"',
      '"{\\"no\\":\\"message\\"}"',
    ]
    expect(said('>')).toEqual(crossed.map((line) => `> ${line}`))
    expect(said('<')).toEqual(crossed.map((line) => `< ${line}`))
    expect(said('x')).toEqual([
      'x {"stderr":"a warning"}',
      'x {"stderr":"without end"}',
      'x {"exit":{"code":3,"signal":null}}',
    ])
    // As the sender spelled it.
    expect(readFileSync(join(folder, 'lines.jsonl'), 'utf8')).toContain(`"m":${message('hello')}}`)
  })
})

it('a message too deep for any stack passes, and is kept as a raw line', async () => {
  const deep = `{"jsonrpc":"2.0","method":"x","params":${'['.repeat(1e5)}${']'.repeat(1e5)}}`
  const tap = startTap(['--out', 'deep.jsonl', '--', ...echo])
  tap.child.stdin.end(`${deep}\n${message('after it')}\n`)
  expect(await tap.ended).toEqual({ code: 0, signal: null })
  expect(String(await tap.stdout)).toBe(`${deep}\n${message('after it')}\n`)
  const raws = readTranscript('deep.jsonl').map((line) => ('raw' in line ? line.raw : null))
  expect(raws.filter((raw) => raw === deep)).toHaveLength(2)
})

describe('a side that dies', () => {
  it('as an editor leaves the agent to finish, and all of it is kept', async () => {
    const agent = program(`
      process.stdin.resume()
      process.stdin.on('end', () => { for (let n = 0; n < 2000; n++) process.stdout.write('line ' + n + '\\n') })`)
    const tap = startTap(['--out', 'editor.jsonl', '--', ...agent], { readsStdout: false })
    tap.child.stdout.destroy()
    tap.child.stdin.end()
    expect(await tap.ended).toEqual({ code: 0, signal: null })
    const lines = saying(readTranscript('editor.jsonl'))
    expect(lines.filter((line) => line.startsWith('<'))).toHaveLength(2000)
    expect(lines.filter((line) => line.startsWith('x'))).toEqual([
      expect.stringContaining('spawn'),
      'x {"left":{"by":"stdin"}}',
      'x {"exit":{"code":0,"signal":null}}',
    ])
    expect(lines.at(-1)).toContain('exit')
  })

  it.skipIf(process.platform === 'win32')(
    'as an agent exits long before a slow editor has read it, and all of it is kept',
    async () => {
      // A pipe of a shell: a full one holds the tap up as a whole.
      const agent = `for (let n = 0; n < 400; n++) console.log('line ' + n + '.'.repeat(1000))`
      const editor = `
        const { readSync } = require('node:fs')
        const stalled = new Int32Array(new SharedArrayBuffer(4))
        for (let reads = 0, bytes = 0; ; reads++) {
          const count = readSync(0, Buffer.alloc(65536))
          if (count === 0) { console.log(bytes); break }
          bytes += count
          if (reads > 0 && reads < 4) Atomics.wait(stalled, 0, 0, 600)
        }`
      const script = `"$1" "$2" tap --out slow.jsonl -- "$1" -e "$3" | "$1" -e "$4"`
      const args = ['-c', script, 'sh', process.execPath, bin, agent, editor]
      const { stdout } = await promisify(execFile)('sh', args, { cwd: folder })
      expect(Number(stdout)).toBeGreaterThan(400_000)
      const lines = saying(readTranscript('slow.jsonl'))
      expect(lines.filter((line) => line.startsWith('<'))).toHaveLength(400)
    },
  )

  it('as an agent ends the tap with its code, though the editor goes on', async () => {
    const tap = startTap([
      '--out',
      'agent.jsonl',
      '--',
      ...program('process.stdout.write("bye"); process.exitCode = 42'),
    ])
    tap.child.stdin.write(`${message('to nobody')}\n`)
    expect(await tap.ended).toEqual({ code: 42, signal: null })
    expect(String(await tap.stdout)).toBe('bye')
    expect(saying(readTranscript('agent.jsonl'))).toContain('< "bye"')
  })

  it('by a signal ends the tap by that signal', async () => {
    const tap = startTap([
      '--out',
      'killed.jsonl',
      '--',
      ...program('process.kill(process.pid, "SIGKILL")'),
    ])
    expect(await tap.ended).toEqual({ code: null, signal: 'SIGKILL' })
    expect(saying(readTranscript('killed.jsonl')).at(-1)).toBe(
      'x {"exit":{"code":null,"signal":"SIGKILL"}}',
    )
  })

  it('leaves a tap that was itself killed with every line so far on disk', async () => {
    const tap = startTap(['--out', 'torn.jsonl', '--', ...echo])
    const echoed = new Promise((resolve) => tap.child.stdout.once('data', resolve))
    tap.child.stdin.write(`${message('kept')}\n`)
    await echoed
    const file = join(folder, 'torn.jsonl')
    while (!readFileSync(file, 'utf8').includes('"dir":"<"'))
      await new Promise((resolve) => setImmediate(resolve))
    tap.child.kill('SIGKILL')
    await tap.ended
    expect(saying(readTranscript('torn.jsonl'))).toHaveLength(3)
  })
})

it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s goes to the agent, which may take its time',
  async (signal) => {
    const agent = program(`
    process.on('${signal}', () => { process.stdout.write('leaving\\n'); process.exit(5) })
    process.stdin.resume()
    process.stdout.write('ready\\n')`)
    const tap = startTap(['--out', 'signal.jsonl', '--', ...agent])
    await new Promise((resolve) => tap.child.stdout.once('data', resolve))
    tap.child.kill(signal)
    expect(await tap.ended).toEqual({ code: 5, signal: null })
    const lines = saying(readTranscript('signal.jsonl'))
    expect(lines).toContain('< "leaving"')
    expect(lines).toContain(`x {"left":{"by":"${signal}"}}`)
  },
)

describe('the file', () => {
  it('is for its owner alone, and replaces what had its name', async () => {
    writeFileSync(join(folder, 'elsewhere'), 'untouched')
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link.jsonl'))
    const tap = startTap(['--out', 'link.jsonl', '--', ...program('')])
    expect((await tap.ended).code).toBe(0)
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('untouched')
    expect(statSync(join(folder, 'link.jsonl')).mode & 0o777).toBe(0o600)
    expect(readTranscript('link.jsonl')).toHaveLength(2)
  })

  it('has a name of its own when none is given, and replaces nothing', async () => {
    for (const name of ['transcript.jsonl', 'transcript.2.jsonl', 'transcript.3.jsonl']) {
      const tap = startTap(['--', ...program('')])
      expect((await tap.ended).code).toBe(0)
      expect(await tap.stderr).toContain(join(folder, name))
      expect(existsSync(join(folder, name))).toBe(true)
    }
  })

  it.skipIf(!existsSync('/dev/full'))('that cannot be written any more stops nothing', async () => {
    const tap = startTap(['--out', '/dev/full', '--', ...echo])
    tap.child.stdin.end(`${message('a')}\n${message('b')}\n`)
    expect(String(await tap.stdout)).toBe(`${message('a')}\n${message('b')}\n`)
    expect((await tap.ended).code).toBe(0)
    expect((await tap.stderr).match(/cannot be written any more/g)).toHaveLength(1)
  })

  it('that cannot be made is bad usage, before the agent starts', async () => {
    const tap = startTap([
      '--out',
      'no/such/folder.jsonl',
      '--',
      ...program('process.stdout.write("started")'),
    ])
    expect((await tap.ended).code).toBe(2)
    expect(await tap.stderr).toMatch(/cannot write the transcript: .*--out/)
    expect(String(await tap.stdout)).toBe('')
  })
})

it('says what is not there, and leaves no file', async () => {
  const tap = startTap(['--out', 'none.jsonl', '--', 'no-such-program'])
  expect((await tap.ended).code).toBe(3)
  expect(await tap.stderr).toContain('cannot start no-such-program: there is no such program')
  expect(existsSync(join(folder, 'none.jsonl'))).toBe(false)
})

describe('secrets', () => {
  const key = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6'].join('_')
  const env = { MY_API_KEY: 'correct horse battery staple' }

  it('pass to the other side and not to the disk: in messages, raw lines, stderr and the command', async () => {
    const agent = program(
      'process.stderr.write(process.env.MY_API_KEY + "\\n"); process.stdin.pipe(process.stdout)',
    )
    const text = `${message(key)}\nraw ${env.MY_API_KEY}\n{"jsonrpc":"2.0","id":1,"result":{"${key}":["${key}"]}}\n`
    const tap = startTap(
      [
        '--out',
        'secret.jsonl',
        '--',
        ...agent,
        '--',
        `--key=${key}`,
        '--api-token',
        'oars of the dory',
        '--api-token=bow-of-the-dory',
      ],
      { env },
    )
    tap.child.stdin.end(text)
    expect(String(await tap.stdout)).toBe(text)
    await tap.ended
    const transcript = readFileSync(join(folder, 'secret.jsonl'), 'utf8')
    expect(transcript).not.toContain(key)
    expect(transcript).not.toContain(env.MY_API_KEY)
    expect(transcript).not.toMatch(/of.the.dory/)
    const lines = saying(readTranscript('secret.jsonl'))
    expect(lines).toContain('> "raw {{secret:4}}"')
    expect(lines).toContain('x {"stderr":"{{secret:4}}"}')
    expect(lines).toContain('< {"jsonrpc":"2.0","id":1,"result":{"{{secret:1}}":["{{secret:1}}"]}}')
  })

  it('are not there for a moment where a member comes twice', async () => {
    const tap = startTap(['--out', 'twice.jsonl', '--', ...echo], { env })
    const params = `{"a":"${env.MY_API_KEY}","a":"z"}`
    tap.child.stdin.write(`{"jsonrpc":"2.0","method":"x","params":${params}}\n`)
    const read = (): string => readFileSync(join(folder, 'twice.jsonl'), 'utf8')
    await new Promise((resolve) => tap.child.stdout.once('data', resolve))
    while (!read().includes('"dir":"<"')) await new Promise((resolve) => setImmediate(resolve))
    const before = read()
    tap.child.kill('SIGKILL')
    await tap.ended
    expect(before).toContain('"params":{"a":"{{secret:1}}","a":"z"}')
    expect(before).not.toContain(env.MY_API_KEY)
  })

  it('are found when the deltas of a model cut them up', async () => {
    const tap = startTap(['--out', 'deltas.jsonl', '--', ...echo])
    const pieces = ['the key is ', key.slice(0, 9), key.slice(9, 30), `${key.slice(30)}, see`]
    tap.child.stdin.end(pieces.map((piece) => `${message(piece)}\n`).join(''))
    await tap.ended
    const texts = readTranscript('deltas.jsonl').flatMap((line) =>
      line.dir === '<' && 'm' in line ? [JSON.stringify(line.m)] : [],
    )
    const said = texts.map((text) => /"text":"([^"]*)"/.exec(text)?.[1])
    expect(said).toEqual(['the key is ', '{{secret:1}}', '', ', see'])
    expect(statSync(join(folder, 'deltas.jsonl')).mode & 0o777).toBe(0o600)
  })
})
