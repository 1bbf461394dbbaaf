/** One line of a transcript: spellings, writers, ids, defects. */
import { quote, readAcpLine } from '@runproof/progress/acp'
import { describe, expect, it } from 'vitest'
import { allow, ask, prompt, result, say } from './wire.ts'

describe('readAcpLine', () => {
  const message = say('a')

  it.each([
    ['Transcript v1', { t: 5, dir: '<', m: message }, 5],
    ['long names', { t_ms: 5, dir: 'agent->client', msg: message }, 5],
    ['no time', { dir: '<', m: message }, null],
    ['bare', message, null],
  ])('reads %s', (_, line, timeMs) => {
    expect(readAcpLine(line)).toMatchObject({
      kind: 'message',
      timeMs,
      from: 'agent',
      message: { kind: 'notification', method: 'session/update' },
      defect: null,
    })
  })

  it.each([
    ['a prompt', prompt(1), 'client'],
    ['an answered permission', allow(1), 'client'],
    ['a permission request', ask(1), 'agent'],
    ['a result', result(1, { outcome: 'fine' }), 'agent'],
    ['what both may call', { id: 1, method: 'mcp/message' }, 'agent'],
  ])('takes bare %s for the right side', (_, bare, from) => {
    expect(readAcpLine(bare)).toMatchObject({ from })
  })

  it.each([
    [1, '1'],
    ['1', '"1"'],
    [null, 'null'],
  ])('keeps ids of two types apart: %j', (id, key) => {
    expect(readAcpLine(result(id, {}))).toMatchObject({ message: { id: key } })
  })

  it.each([
    ['process facts', { t: 9, dir: 'x', exit: { c: 0 } }],
    ['the head of a case', { case: 'name', expect: 'that' }],
  ])('passes over %s', (_, line) => {
    expect(readAcpLine(line)).toMatchObject({ kind: 'fact' })
  })

  it('says what of JSON-RPC a message breaks', () => {
    expect(readAcpLine({ id: 1, result: {} })).toMatchObject({ defect: 'no "jsonrpc": "2.0"' })
    expect(readAcpLine({ jsonrpc: '2.0', id: 1, result: {}, error: {} })).toMatchObject({
      message: { kind: 'error', code: null, message: '' },
      defect: 'both "result" and "error"',
    })
  })

  it('quotes the beginning of a raw line', () => {
    const raw = '\u001b]0;title'.padEnd(200, '.')
    expect(readAcpLine({ dir: '<', raw })).toMatchObject({
      kind: 'unreadable',
      why: expect.stringMatching(/^the line is "\\u001b\]0;title\.+…"$/),
    })
    expect(quote('short')).toBe('"short"')
  })
})
