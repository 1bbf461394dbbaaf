/**
 * `npm run demo`: the main job, shown on shipped inputs by the real command
 * line, each command as a person would type it, with a word on what to see.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { styleText } from 'node:util'

const root = join(import.meta.dirname, '..')
const bin = join('packages', 'runproof', 'bin', 'runproof.js')

/** One thing to see: what to look at, then the command that shows it. */
type Act = { heading: string; text: string; command: string[]; exitCode: number }

const cases = 'fixtures/progress/cases.json'
const stream = 'fixtures/progress/cut-stream.sse'

const acts: Act[] = [
  {
    heading: 'A run, event by event',
    text: 'After each event: what a screen may claim. The text is complete long before "done", which needs a run that ended and an acceptance check of exactly this text.',
    command: ['status', cases, 'normal'],
    exitCode: 0,
  },
  {
    heading: 'The same words, but the connection breaks',
    text: 'No end of the run ever arrived. A naive screen would show a tick; here the end of the input gives "unknown".',
    command: ['status', cases, 'cut_stream'],
    exitCode: 0,
  },
  {
    heading: 'A verdict for another text',
    text: 'The check passed, but for a different text: its digest does not fit this one.',
    command: ['status', cases, 'stale_verdict'],
    exitCode: 0,
  },
  {
    heading: 'One stream as bytes',
    text: 'A captured response body with CRLF line ends, multi-byte characters and a cut in its last event. The decoder is fed one byte at a time; the events are the same under every cut, and the tail is dropped and reported.',
    command: ['sse', stream, '--chunk', '1'],
    exitCode: 0,
  },
  {
    heading: 'The same bytes, judged',
    text: 'The agent wrote "All done!", and its last event even said that the run succeeded, but that event never ended. With --expect, a CI job fails on it:',
    command: ['status', stream, '--expect', 'done'],
    exitCode: 1,
  },
  {
    heading: 'A real agent, replayed',
    text: 'Each scenario starts the agent as a process, drives it over stdio and answers its model calls from a log: no key, no network. Its transcript, its session log, its files and what a screen could have claimed are compared with goldens.',
    command: ['test'],
    exitCode: 0,
  },
]

const width = Math.min(process.stdout.columns ?? 80, 100)

/** The text in lines no longer than the screen. */
function wrap(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}

for (const [index, { heading, text, command, exitCode }] of acts.entries()) {
  process.stdout.write(`\n${styleText('bold', `${index + 1}. ${heading}`)}\n${wrap(text)}\n\n`)
  process.stdout.write(`${styleText('dim', `$ npx runproof ${command.join(' ')}`)}\n`)
  const { status, error } = spawnSync(process.execPath, [bin, ...command], {
    cwd: root,
    stdio: 'inherit',
  })
  if (error !== undefined) throw error
  if (status !== exitCode) {
    process.stderr.write(`demo: expected exit code ${exitCode}, got ${status}\n`)
    process.exit(1)
  }
}
process.stdout.write(
  `\n${wrap(`That was all of it. Try your own: npx runproof status FILE judges a log; docs/guide has a page for each task.`)}\n`,
)
