/**
 * What is known of a run beside its requests: its folders, and what its agent
 * writes that differs from run to run.
 */
import { isObject } from '../object.ts'

/** Where a run took place and what is volatile in it; all that is given is masked in its texts. */
export type RunContext = {
  /** Working folder. */
  cwd?: string | undefined
  /** Home folder of the agent. */
  home?: string | undefined
  /** Folder for temporary files. */
  temp?: string | undefined
  /** Folder that the agent is installed in. */
  agent?: string | undefined
  /** What only this agent makes volatile, such as the version of the system in its prompt. */
  masks?: readonly ContextMask[]
}

/** Text that becomes `{{token}}`. */
export type ContextMask = {
  /** A regular expression; with a group, only its first group is replaced. */
  match: string
  token: string
}

/** The folders of a context by the token that stands for each. */
export const folderNames = ['cwd', 'home', 'temp', 'agent'] as const

/** The context of the recorded run, as far as the provenance of its recording has it. */
export function contextOf(provenance: Readonly<Record<string, unknown>>): RunContext {
  const { masks } = provenance
  const folders = folderNames.flatMap((name) => {
    const folder = provenance[name]
    return typeof folder === 'string' ? [[name, folder] as const] : []
  })
  return {
    ...Object.fromEntries(folders),
    ...(Array.isArray(masks) && { masks: masks.filter((mask) => isMask(mask)) }),
  }
}

function isMask(value: unknown): value is ContextMask {
  return isObject(value) && typeof value.match === 'string' && typeof value.token === 'string'
}
