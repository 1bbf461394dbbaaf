import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createOutput, isColoured } from '../src/terminal.ts'
import { createSlowWritable } from './command-line.ts'

describe('createOutput', () => {
  it('waits for a slow reader', async () => {
    const slow = createSlowWritable()
    const output = createOutput(slow.stream)
    output.line('x'.repeat(100_000))
    let settled = false
    const settling = output.settle().then(() => (settled = true))
    await setImmediate()
    expect(settled).toBe(false)
    slow.release()
    await settling
    expect(slow.text()).toHaveLength(100_001)
  })

  it('drops what comes after the reader has gone, and says that it has', async () => {
    const slow = createSlowWritable()
    const output = createOutput(slow.stream)
    output.line('x'.repeat(100_000))
    const settling = output.settle()
    slow.stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    await settling
    await setImmediate()
    expect(output.gone).toBe(true)
    output.line('nobody reads this')
    await output.flush()
    expect(slow.text()).not.toContain('nobody')
  })
})

describe('isColoured', () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{}, {}, false],
  ])('%j with %j: %s', (stream, env: Record<string, string>, coloured) => {
    expect(isColoured(stream, env)).toBe(coloured)
  })
})
