import type { SessionHeader } from '@runproof/session-log'

export const header: SessionHeader = {
  type: 'session',
  version: 0,
  id: '5b0f6a9e-66b8-4f83-9a70-6a54b6a3c1de',
  createdAt: 999,
  cwd: '/tmp/kitchen',
}
