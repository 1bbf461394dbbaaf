/** Ctrl-C on the real command line: the agent, its children and its folders are gone with it. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configFor, createProject, script } from '../project.ts'

const bin = join(import.meta.dirname, '..', '..', 'bin', 'runproof.js')

/** Processes that have the folder in their environment. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').includes(`=${folder}/`)
    } catch {
      return false
    }
  })
}

it('gives the terminal back on a signal', () => {
  const live = join(import.meta.dirname, '..', '..', 'src', 'report', 'live.ts')
  const code = `import { createLiveReporter } from ${JSON.stringify(live)}
    const stream = Object.assign(process.stdout, { isTTY: true })
    const reporter = createLiveReporter({ stream, write() {}, createInner: () => ({}) })
    reporter.begin([])
    process.kill(process.pid, 'SIGTERM')`
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code])
  expect(signal).toBe('SIGTERM')
  const text = stdout.toString('latin1')
  expect(text).toContain('\u001b[?25l')
  expect(text.lastIndexOf('\u001b[?25h')).toBeGreaterThan(text.lastIndexOf('\u001b[?25l'))
})

describe.runIf(process.platform === 'linux')('a signal to the harness', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s leaves nothing behind', async (signal) => {
    const project = createProject({
      'runproof.yml': configFor(['writes']),
      'scenarios/writes/wait/input.json': script({
        op: 'promptAndCancel',
        text: 'wait',
        when: { waitFor: { file: 'never' } },
      }),
    })
    const runs = join(project.root, 'runs')
    mkdirSync(runs)
    const harness = spawn(process.execPath, [bin, 'test'], {
      cwd: project.root,
      env: { PATH: process.env['PATH'], TMPDIR: runs },
      stdio: 'ignore',
    })
    const ended = new Promise<string | null>((resolve) =>
      harness.once('exit', (_code, by) => resolve(by)),
    )
    const folders = (): string[] => readdirSync(runs).filter((name) => name.startsWith('runproof-'))
    const started = (): boolean =>
      folders().some((run) => existsSync(join(runs, run, 'workspace', 'started')))
    await expect.poll(started, { timeout: 10_000 }).toBe(true)
    const [run = ''] = folders()
    expect(processesOf(join(runs, run))).not.toEqual([])

    harness.kill(signal)
    expect(await ended).toBe(signal)
    await expect.poll(() => processesOf(join(runs, run))).toEqual([])
    expect(folders()).toEqual([])
  })
})
