import { readdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSessionLog } from '@runproof/session-log/node'
import { fixtureText } from '../logs.ts'
import { createClock, makeFolder } from './folder.ts'

const host = encodeURIComponent(hostname())

function makeLog(): {
  file: string
  open: () => ReturnType<typeof openSessionLog>
  claim: (name: string) => string
} {
  const file = join(makeFolder(), 's.jsonl')
  writeFileSync(file, fixtureText('two-turns'))
  return {
    file,
    open: () => openSessionLog({ file, clock: createClock() }),
    claim(name) {
      const path = `${file}.lock@${name}`
      writeFileSync(path, '')
      return path
    },
  }
}

describe('one writer a log', () => {
  it('refuses a second one in the same process until the first closes', async () => {
    const { file, open } = makeLog()
    const first = await open()
    await expect(open()).rejects.toMatchObject({ code: 'locked', file })
    await first.close()
    await (await open()).close()
    expect(readdirSync(dirname(file))).toEqual([basename(file)])
  })

  it.each([
    ['of a process that is gone', `4194305-77@${host}`],
    ['of a process whose number another one has now', `${process.ppid}-1@${host}`],
  ])('clears away the claim %s', async (_name, name) => {
    const { file, open, claim } = makeLog()
    claim(name)
    await (await open()).close()
    expect(readdirSync(dirname(file))).toEqual([basename(file)])
  })

  it.each([
    ['of another machine', `1-1@some%20other%40host`, 'process 1 on some%20other%40host'],
    [
      'of a living process whose start nobody knows',
      `${process.ppid}-0@${host}`,
      `process ${process.ppid}`,
    ],
    ['that it cannot read', 'somebody', 'somebody'],
  ])('respects the claim %s, and says which file it is', async (_name, name, holder) => {
    const { file, open, claim } = makeLog()
    const path = claim(name)
    await expect(open()).rejects.toMatchObject({ code: 'locked', file })
    await expect(open()).rejects.toThrow(holder)
    await expect(open()).rejects.toThrow(`remove ${path}`)
    expect(readdirSync(dirname(file)).toSorted()).toEqual([basename(file), basename(path)])
  })

  it('lets one of many through at most', async () => {
    const { open } = makeLog()
    const tries = await Promise.allSettled(Array.from({ length: 8 }, open))
    const opened = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(opened.length).toBe(1)
    await Promise.all(opened.map((log) => log.close()))
  })
})
