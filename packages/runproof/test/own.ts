/** Our own agent and scenarios, for tests that change a copy of them. */
import { join } from 'node:path'

export const repository: string = join(import.meta.dirname, '..', '..', '..')
export const ownScenarios: string = join(repository, 'scenarios', 'runproof-agent')

const agentFolder = join(repository, 'packages', 'agent')

/** `runproof.yml` with the agent that is built from `folder`. */
export const configOf = (folder: string): object => ({
  version: 1,
  agents: {
    'runproof-agent': {
      command: ['{node}', join(folder, 'bin', 'runproof-agent.js')],
      env: { NODE_COMPILE_CACHE: join(repository, 'node_modules', '.cache', 'runproof-agent') },
    },
  },
})

export const ownConfig: object = configOf(agentFolder)
