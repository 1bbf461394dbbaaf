/** The allow-list, and the little that is read of DNS. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAllowList } from '../../src/fence/attempt.ts'
import { readQueryName, refuseQuery } from '../../src/fence/dns.ts'

describe('an allow-list', () => {
  it.each<[pattern: string, host: string, port: number | null, isAllowed: boolean]>([
    ['models.dev', 'models.dev', 443, true],
    ['models.dev', 'models.dev', null, true],
    ['models.dev', 'api.models.dev', 443, false],
    ['*.models.dev', 'api.models.dev', 443, true],
    ['*.models.dev', 'models.dev', 443, false],
    ['*.models.dev', 'evil-models.dev', 443, false],
    ['Models.Dev:443', 'models.dev', 443, true],
    ['models.dev:443', 'models.dev', 80, false],
    ['models.dev:443', 'models.dev', null, true],
    ['198.51.100.7', '198.51.100.7', 80, true],
    ['[2001:db8::1]:443', '2001:db8::1', 443, true],
  ])('with %s has %s port %s: %s', (pattern, host, port, isAllowed) => {
    expect(createAllowList([pattern])(host, port)).toBe(isAllowed)
  })

  it.each(['', '*', 'https://models.dev', 'a b', 'models.dev:https', 'a.*.b'])(
    'does not take %j',
    (pattern) => {
      expect(() => createAllowList([pattern])).toThrow(TypeError)
    },
  )
})

const query = (name: string): Buffer => {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]))
  const head = Buffer.from('123401200001000000000001', 'hex')
  return Buffer.concat([head, ...labels, Buffer.of(0, 0, 1, 0, 1), Buffer.from('additional')])
}

describe('a query', () => {
  it('is read, and answered with itself and the code that there is no such name', () => {
    const asked = query('Play.Example.com')
    expect(readQueryName(asked)).toBe('play.example.com')
    const answer = refuseQuery(asked)
    expect(answer.subarray(0, 12).toString('hex')).toBe('123481830001000000000000')
    expect(answer.subarray(12).toString('latin1')).toBe(asked.subarray(12, -10).toString('latin1'))
  })

  it('may be any bytes: what is none is null, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const name = readQueryName(Buffer.from(bytes))
        if (name !== null) refuseQuery(Buffer.from(bytes))
      }),
    )
  })
})
