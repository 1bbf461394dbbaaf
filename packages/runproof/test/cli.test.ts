/** The built bin as a user starts it. `npm test` builds before it tests. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runproof } from './command-line.ts'

const bin = join(import.meta.dirname, '..', 'bin', 'runproof.js')

describe('the runproof bin', () => {
  it('explains itself and its commands', () => {
    const { status, stdout } = spawnSync(process.execPath, [bin, '--help'], { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stdout).toContain('status [options] <file> [case]')
    expect(stdout).toContain('Exit codes')
  })

  it.each(['status', 'check', 'test', 'record', 'emulate', 'tap', 'init', 'doctor'])(
    'explains %s in lines that are as wide as the terminal',
    async (command) => {
      const { stdout } = await runproof([command, '--help'])
      const lines = stdout.split('\n\n')[1]?.split('\n') ?? []
      expect(lines.length).toBeGreaterThan(1)
      for (const [index, line] of lines.slice(0, -1).entries()) {
        const next = lines[index + 1]?.split(' ')[0]
        expect(`${line} ${next}`.length).toBeGreaterThan(80)
      }
    },
  )

  it('ends quietly when its reader goes away', () => {
    const command = `"${process.execPath}" "${bin}" sse - --chunk 1 | head -n 1`
    const { stdout, stderr } = spawnSync('sh', ['-c', command], {
      input: 'data: line\n\n'.repeat(200_000),
      encoding: 'utf8',
    })
    expect(stdout).toBe('message | line\n')
    expect(stderr).toBe('')
  })

  it.skipIf(process.platform !== 'linux')(
    'says in one sentence that its help cannot be written (needs /dev/full)',
    () => {
      const command = `"${process.execPath}" "${bin}" --help > /dev/full`
      const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
      expect(status).toBe(3)
      expect(stderr).toBe('runproof: write: the disk is full\n')
    },
  )

  it('says what to do on a Node below the floor, in code that old Nodes can read', () => {
    const script = readFileSync(bin, 'utf8').replace('process.versions.node', '"20.19.4"')
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
      input: script.replace("'../dist/cli.js'", "'node:never-imported'"),
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toContain('needs Node.js 22.12 or newer')
  })

  it('lists its commands after a wrong one, without a stack trace', async () => {
    const { exitCode, stderr } = await runproof(['\u001b[31mstatsu'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('unknown command')
    expect(stderr).not.toContain('\u001b')
    expect(stderr).not.toMatch(/\n +at /)
  })
})
