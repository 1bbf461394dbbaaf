/**
 * Service `permissions`: the mode a new session starts in and the rule that
 * says which calls must be approved. Scenarios run in temporary folders and
 * start without questions; a person's session starts with them.
 */
import { strictObject, enum as oneOf, type ZodType } from 'zod'
import { findApprovalReason, permissionModes, type PermissionMode } from '../permission.ts'
import type { Context } from '../services.ts'
import type { Access } from '../tools/tool.ts'

export const name = 'permissions'
export const inject: string[] = ['host', 'backend']

export type PermissionsConfig = {
  /** Mode of a new session in an editor. */
  live: PermissionMode
  /** Mode of a new session under `record` and `replay`, which must agree. */
  scenario: PermissionMode
}

export const Config: ZodType<PermissionsConfig> = strictObject({
  live: oneOf(permissionModes).default('workspace-write'),
  scenario: oneOf(permissionModes).default('danger-full-access'),
}).prefault({})

export type Permissions = {
  initial: PermissionMode
  /** Why a call must be approved, or null when it may run. */
  findReason(mode: PermissionMode, accesses: readonly Access[], cwd: string): Promise<string | null>
}

export function apply(ctx: Context, config: PermissionsConfig): void {
  const { backend, host } = ctx
  const permissions: Permissions = {
    initial: host.mode === 'live' ? config.live : config.scenario,
    findReason: (mode, accesses, cwd) => findApprovalReason(mode, accesses, cwd, backend),
  }
  ctx.provide('permissions', permissions)
}
