/**
 * The permission modes: what a session may do without asking.
 *
 * A mode is a rule over what a call touches (`Access`), not over tool names,
 * so a new tool is covered by saying what it touches. Without a sandbox a
 * shell command can do anything, so in the two lower modes it always asks.
 */
import { isAbsolute, join, relative, sep } from 'node:path'
import type { Backend } from './backend.ts'
import type { Access } from './tools/tool.ts'

export const permissionModes = ['read-only', 'workspace-write', 'danger-full-access'] as const
export type PermissionMode = (typeof permissionModes)[number]

/** What a person reads in the editor's menu. */
export const permissionDescriptions: Readonly<Record<PermissionMode, string>> = {
  'read-only':
    'Reads files of the workspace. Every edit, every read outside and every shell command asks first.',
  'workspace-write':
    'Reads and edits files of the workspace. Files outside ask first, and so does every shell command, because this agent has no sandbox that could hold it in the workspace.',
  'danger-full-access': 'Reads, edits and runs everything without asking.',
}

export function isPermissionMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value)
}

/**
 * Why a call must be approved in `mode`, in words for the person who decides,
 * or null when it may run.
 */
export async function findApprovalReason(
  mode: PermissionMode,
  accesses: readonly Access[],
  cwd: string,
  backend: Backend,
): Promise<string | null> {
  if (mode === 'danger-full-access') return null
  for (const access of accesses) {
    if (access.kind === 'execute') {
      if (mode === 'workspace-write' && backend.confinesCommands) continue
      return 'runs a shell command'
    }
    const path = isAbsolute(access.path) ? access.path : join(cwd, access.path)
    const inside = await isInside(path, cwd, backend).catch(() => false)
    if (!inside) return `${access.kind}s outside the workspace: ${path}`
    if (access.kind === 'write' && mode === 'read-only') return `writes ${path}`
  }
  return null
}

/** Links are followed first: one inside the workspace that points out is outside. */
async function isInside(path: string, folder: string, backend: Backend): Promise<boolean> {
  const way = relative(await backend.realPath(folder), await backend.realPath(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
