/** The process alone, without a protocol: its lines, its end, what it leaves behind. */
import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRunFolders, fillWorkspace, removeRunFolders } from '../../src/launch/folders.ts'
import { launchAgent, type AgentProcess } from '../../src/launch/process.ts'
import { listTree, signalTree, type Tree } from '../../src/launch/tree.ts'
import { agentFile } from '../project.ts'

async function launch(
  words: string[],
  exitMs = 2000,
): Promise<{ agent: AgentProcess; tree: Tree }> {
  const folders = await createRunFolders()
  await fillWorkspace(folders, null)
  const tree: Tree = { pids: [], folder: folders.root }
  onTestFinished(async () => {
    signalTree(tree, 'SIGKILL')
    await removeRunFolders(folders)
  })
  const env = { PATH: process.env['PATH'] ?? '', HOME: folders.home }
  const command = words[0] === 'node' ? [process.execPath, ...words.slice(1)] : words
  return {
    tree,
    agent: await launchAgent({ command, cwd: folders.cwd, env, tree, exitMs, settleMs: 300 }),
  }
}

const script = (code: string): Promise<{ agent: AgentProcess; tree: Tree }> =>
  launch(['node', '-e', code])

async function readAll({ lines }: AgentProcess): Promise<{ text: string; problem?: string }[]> {
  const all = []
  for await (const batch of lines) all.push(...batch)
  return all
}

describe('a process', () => {
  it('gives its lines in order, and what it says on stderr', async () => {
    const { agent } = await script(
      `process.stdout.write(Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a])); console.log('last'); console.error('aside')`,
    )
    expect((await readAll(agent)).map(({ text, problem }) => problem ?? text)).toEqual([
      'a',
      'not UTF-8',
      'last',
    ])
    await agent.stop()
    expect(agent.stderr).toBe('aside\n')
    expect(agent.exit).toEqual({ code: 0, signal: null })
  })

  it('leaves when stdin ends', async () => {
    const { agent } = await script(`process.stdin.on('end', () => process.exit(4)).resume()`)
    const read = readAll(agent)
    expect(await agent.stop()).toEqual({ exitCode: 4, signal: null, forced: null, leftovers: [] })
    expect(await agent.stop()).toBe(await agent.stop())
    expect(await read).toEqual([])
  })

  it.each([
    ['SIGTERM', `setInterval(() => {}, 1000)`],
    ['SIGKILL', `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`],
  ])('that stays is made to leave by %s', async (forced, code) => {
    const { agent } = await launch(['node', '-e', `${code}; console.log('up')`], 50)
    const lines = agent.lines[Symbol.asyncIterator]()
    expect((await lines.next()).value).toMatchObject([{ text: 'up' }])
    const end = await agent.stop()
    expect(end).toEqual({ forced, signal: forced, exitCode: null, leftovers: [] })
  })

  it('takes what it is told after its death without complaint', async () => {
    const { agent } = await script(`process.exit(0)`)
    await agent.exited
    agent.writeLine('anybody there?')
    expect((await agent.stop()).exitCode).toBe(0)
  })

  it.each([
    ['there is no such program', ['/no/such/program'], /there is no such program; install it/],
    ['it may not be run', [import.meta.filename], /it is not executable/],
  ])('that cannot be started: %s', async (_what, command, message) => {
    await expect(launch(command)).rejects.toThrow(message)
    await expect(launch(command)).rejects.toMatchObject({ exitCode: 3 })
  })
})

describe.runIf(process.platform === 'linux')('what a process leaves behind', () => {
  it('is found too when it has another group, environment and folder', async () => {
    const orphan = `require('child_process').spawn('env', ['-i', '${process.execPath}', '-e', 'setInterval(() => {}, 1000)'], { detached: true, cwd: '/', stdio: 'ignore' }).unref()`
    const { agent, tree } = await script(
      `${orphan}; console.log('up'); process.stdin.on('end', () => process.exit()).resume()`,
    )
    const lines = agent.lines[Symbol.asyncIterator]()
    expect((await lines.next()).value).toMatchObject([{ text: 'up' }])
    expect((await agent.stop()).leftovers).toHaveLength(1)
    expect(listTree(tree)).toEqual([])
  })

  it('does not keep its lines from ending, though it holds the pipe', async () => {
    const holder = `require('child_process').spawn('sleep', ['20'], { detached: true, stdio: 'inherit' }).unref()`
    const { agent } = await script(`${holder}; console.log('last words'); process.exit(0)`)
    expect(await readAll(agent)).toMatchObject([{ text: 'last words' }])
    expect((await agent.stop()).leftovers).toMatchObject([{ command: 'sleep 20' }])
  })

  it('is listed and killed, though it has its own group and its own parent', async () => {
    const { agent, tree } = await launch(['node', agentFile('leaves-child')])
    const read = readAll(agent)
    for (const [id, method, params] of [
      [1, 'session/new', { cwd: '/' }],
      [2, 'session/prompt', { sessionId: `sess-${tree.pids[0]}-1`, prompt: [{ text: '' }] }],
    ]) {
      agent.writeLine(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    }
    const { leftovers, exitCode } = await agent.stop()
    await read
    expect(exitCode).toBe(0)
    expect(leftovers).toEqual([
      { pid: expect.any(Number), command: expect.stringContaining('setInterval') },
    ])
    await expect.poll(() => listTree(tree)).toEqual([])
  })
})

it('removes its folders', async () => {
  const folders = await createRunFolders()
  expect(existsSync(folders.sessions)).toBe(true)
  await removeRunFolders(folders)
  expect(existsSync(folders.root)).toBe(false)
})
