/** Our own scenarios, as any project would run them: one test each, through `runproof/vitest`. */
import { join } from 'node:path'
import { defineScenarios } from '../src/vitest.ts'

const folder = join(import.meta.dirname, '..', '..', '..')

// Those of agents that are not ours: npm run test:agents.
for (const agent of ['runproof-agent', 'calculator']) {
  await defineScenarios({ folder, agent, concurrent: true })
}
