import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSecrets, readEnvironment, scrubEnvironment } from '../src/environment.ts'
import { temporaryFolder } from './scenario.ts'

describe('the environment of a command', () => {
  it('has harmless names, what was allowed, and nothing else', () => {
    const env = {
      PATH: '/bin',
      LC_ALL: 'C',
      DEEPSEEK_API_KEY: 'k',
      AWS_SECRET: 's',
      JAVA_HOME: '/j',
      EMPTY: undefined,
    }
    expect(scrubEnvironment(env, ['JAVA_HOME', 'EMPTY'])).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      JAVA_HOME: '/j',
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
    })
  })
})

describe('.env', () => {
  it('stands beneath the environment', () => {
    const folder = temporaryFolder('env')
    expect(readEnvironment({ A: '1' }, folder)).toEqual({ A: '1' })
    writeFileSync(join(folder, '.env'), 'A=2\nB="three"\n')
    expect(readEnvironment({ A: '1' }, folder)).toEqual({ A: '1', B: 'three' })
  })
})

describe('secrets', () => {
  it('are replaced wherever they stand, and the empty one is none', () => {
    const secrets = createSecrets()
    secrets.add('')
    secrets.add('s3cret')
    expect(secrets.redact('a s3cret, as3cretb')).toBe('a [redacted], a[redacted]b')
  })
})
