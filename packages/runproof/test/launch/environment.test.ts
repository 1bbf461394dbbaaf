import { describe, expect, it } from 'vitest'
import { buildEnvironment } from '../../src/launch/environment.ts'

const folders = { home: '/run/home', tmp: '/run/tmp' }

describe('the environment of an agent', () => {
  const parent = {
    PATH: '/bin',
    USER: 'ada',
    DEEPSEEK_API_KEY: 'sk-1',
    AWS_SECRET_ACCESS_KEY: 'x',
    HTTPS_PROXY: 'http://proxy',
    NODE_OPTIONS: '--inspect',
    HOME: '/home/ada',
    LANG: 'de_CH.UTF-8',
    CI: 'true',
  }

  it('has the allow-list, fresh homes and a fixed locale; nothing else of the parent', () => {
    expect(buildEnvironment(parent, folders, {})).toEqual({
      PATH: '/bin',
      USER: 'ada',
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      TERM: 'dumb',
      NO_COLOR: '1',
      HOME: '/run/home',
      USERPROFILE: '/run/home',
      APPDATA: expect.stringContaining('home'),
      LOCALAPPDATA: expect.stringContaining('home'),
      XDG_CONFIG_HOME: '/run/home/.config',
      XDG_CACHE_HOME: '/run/home/.cache',
      XDG_DATA_HOME: '/run/home/.local/share',
      XDG_STATE_HOME: '/run/home/.local/state',
      TMPDIR: '/run/tmp',
      TMP: '/run/tmp',
      TEMP: '/run/tmp',
    })
  })

  it('lets the configuration win', () => {
    const set = { LANG: 'C', EXTRA: 'yes', HOME: '/elsewhere' }
    expect(buildEnvironment(parent, folders, set)).toMatchObject(set)
  })
})
