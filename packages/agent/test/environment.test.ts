import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSecrets, readFolderEnvironment, scrubEnvironment } from '../src/environment.ts'
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
  it('is read where it is a file', () => {
    const folder = temporaryFolder('env')
    expect(readFolderEnvironment(folder)).toEqual({})
    writeFileSync(join(folder, '.env'), 'A=2\nB="three"\n')
    expect(readFolderEnvironment(folder)).toEqual({ A: '2', B: 'three' })
    const withFolder = temporaryFolder('env')
    mkdirSync(join(withFolder, '.env'))
    expect(readFolderEnvironment(withFolder)).toEqual({})
  })
})

describe('secrets', () => {
  it('are replaced wherever they stand; a placeholder is none', () => {
    const secrets = createSecrets()
    for (const value of ['', 'none', 's3cret-9']) secrets.add(value)
    expect(secrets.redact('none: s3cret-9, as3cret-9b')).toBe('none: [redacted], a[redacted]b')
  })
})
