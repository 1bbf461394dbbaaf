/** Whom the end of a run may reach, seen from a small harness with a process group of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const tree = JSON.stringify(join(import.meta.dirname, '..', '..', 'src', 'launch', 'tree.ts'))

/** A neighbour in the harness's group, and what an acceptance command left behind there. */
const harness = `
  import { spawn } from 'node:child_process'
  import { once } from 'node:events'
  import { killTree, listTree, rememberGroups } from ${tree}
  const neighbour = spawn('sleep', ['30'], { stdio: 'ignore' })
  const left = spawn('sleep', ['31'], { stdio: 'ignore', env: { ...process.env, HOME: '/no-such-run/home' } })
  await Promise.all([once(neighbour, 'spawn'), once(left, 'spawn')])
  const run = { pids: [], folder: '/no-such-run' }
  rememberGroups(run)
  const listed = listTree(run).map(({ command }) => command)
  const ended = once(left, 'exit')
  killTree(run)
  await ended
  console.log(JSON.stringify({ listed, neighbour: neighbour.kill(0) && neighbour.signalCode === null }))
  neighbour.kill()
`

it.skipIf(process.platform !== 'linux')(
  'what shares only the group of the harness is not of the run (needs /proc)',
  async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', harness], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said = text(child.stdout)
    await once(child, 'exit')
    expect(JSON.parse(await said)).toEqual({ listed: ['sleep 31'], neighbour: true })
  },
)
