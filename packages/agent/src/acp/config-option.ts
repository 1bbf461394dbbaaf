/** The one session option an editor can change: the permission mode. */
import type { SessionConfigOption } from '@agentclientprotocol/sdk'
import { permissionDescriptions, permissionModes, type PermissionMode } from '../permission.ts'

export const permissionOptionId = 'permission'

export function describeOptions(currentValue: PermissionMode): SessionConfigOption[] {
  return [
    {
      id: permissionOptionId,
      name: 'Permissions',
      description: 'What this session does without asking.',
      category: 'mode',
      type: 'select',
      currentValue,
      options: permissionModes.map((value) => ({
        value,
        name: value,
        description: permissionDescriptions[value],
      })),
    },
  ]
}
