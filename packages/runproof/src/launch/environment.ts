/**
 * The environment of an agent and of acceptance commands: an allow-list of
 * names without secrets, fresh homes, fixed locale and zone, and what the
 * configuration sets. A key of the parent never gets through by itself.
 */
import { join } from 'node:path'
import type { RunFolders } from './folders.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Names copied from the parent: where programs are found and how Windows finds itself. */
const passed = ['PATH', 'PATHEXT', 'SystemRoot', 'ComSpec', 'windir', 'USER', 'LOGNAME'] as const

/** The same on every machine, so that tools print the same. */
const fixed = { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC', TERM: 'dumb', NO_COLOR: '1' }

/** @param set variables of the configuration and the scenario; they win */
export function buildEnvironment(
  parent: Variables,
  folders: Pick<RunFolders, 'home' | 'tmp'>,
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const { home, tmp } = folders
  return {
    ...pickVariables(parent, passed),
    ...fixed,
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, 'AppData', 'Roaming'),
    LOCALAPPDATA: join(home, 'AppData', 'Local'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    TMPDIR: tmp,
    TMP: tmp,
    TEMP: tmp,
    ...set,
  }
}

/** The named variables that are set. */
export function pickVariables(from: Variables, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = from[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
