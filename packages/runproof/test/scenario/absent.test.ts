/** Scenarios of optional agents that are not installed. */
import { describe, expect, it } from 'vitest'
import { agentFile, createProject, resultsOf, script } from '../project.ts'

const rare = {
  program: { packages: ['no-such-agent@1.0.0'], bin: 'no-such-agent', nodeMin: '20' },
  command: ['{agent}'],
  seam: 'none',
}
const talks = { command: ['{node}', agentFile('talks')], seam: 'none' }
const files = {
  'scenarios/rare/one/input.json': script(),
  'scenarios/rare/two/input.json': script(),
  'scenarios/talks/three/input.json': script(),
}
const configOf = (isOptional: boolean): object => ({
  version: 1,
  agents: { rare: { ...rare, optional: isOptional }, talks },
})
const nowhere = { RUNPROOF_AGENTS: '/nowhere' }

describe('an optional agent that is not installed', () => {
  const create = () => createProject({ 'runproof.yml': configOf(true), ...files }, nowhere)

  it('is left out with a note, and the others run', async () => {
    const { stdout, stderr } = await create().test([], { json: true })
    expect(stderr).toBe(
      'left out 2 scenarios: not installed here are rare; runproof doctor says how to get them\n',
    )
    expect(stdout).toContain('"scenario":"three"')
    expect(stdout).toContain('"leftOut":2')
    expect(stdout).not.toContain('"scenario":"one"')
  })

  it.each([[['one']], [['one', 'two']]])('cannot be run when it is named: %j', async (wanted) => {
    await expect(create().test(wanted)).rejects.toMatchObject({
      code: 'environment',
      message: 'rare is not installed: npm install --save-dev no-such-agent@1.0.0',
    })
  })
})

describe('an agent that is not optional', () => {
  it('fails its scenarios when it is not installed', async () => {
    const project = createProject({ 'runproof.yml': configOf(false), ...files }, nowhere)
    const { code, stdout } = await project.test([], { json: true })
    expect(code).toBe(3)
    const codes = resultsOf(stdout).map(({ failures }) => failures[0]?.code)
    expect(codes).toEqual(['environment', 'missing-golden', 'environment'])
  })
})
