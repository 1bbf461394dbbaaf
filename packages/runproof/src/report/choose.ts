/** Which reporter a command line asks for. */
import { randomUUID } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { isColoured, type Output, type Terminal } from '../terminal.ts'
import { createPrettyReporter } from './pretty.ts'
import type { Reporter } from './reporter.ts'

export type ReporterContext = { terminal: Terminal; output: Output; from: string }

/** A reporter's code is loaded when it is chosen. */
const reporters: Record<string, (context: ReporterContext) => Promise<Reporter>> = {
  pretty: createPretty,
  async junit({ output, from }) {
    const { createJunitReporter } = await import('./junit.ts')
    return createJunitReporter((line) => output.line(line), from)
  },
  async github(context) {
    const { createGithubReporter } = await import('./github.ts')
    const { output, from, terminal } = context
    const write = (line: string): void => output.line(line)
    const inner = createPrettyReporter({ write, colours: false, from })
    const page = terminal.env['GITHUB_STEP_SUMMARY'] ?? ''
    const writePage = page === '' ? null : (markdown: string) => appendFile(page, markdown)
    return createGithubReporter({ write, from, inner, token: randomUUID(), writePage })
  },
  async json({ output }) {
    const { createJsonReporter } = await import('./json.ts')
    return createJsonReporter((line) => output.line(line))
  },
}

/** The names that `--reporter` takes. */
export const reporterNames: readonly string[] = ['pretty', 'junit', 'github']

/** @param name one of `reporterNames`, or `json`. */
export async function createReporter(name: string, context: ReporterContext): Promise<Reporter> {
  const create = reporters[name]
  if (create === undefined) throw new TypeError(`no reporter ${name}`)
  return create(context)
}

/** On a terminal the lines come with a live view; its library is loaded only then. */
async function createPretty({ terminal, output, from }: ReporterContext): Promise<Reporter> {
  const { stdout, stderr, env } = terminal
  const colours = isColoured(stdout, env)
  const plain = (line: string): void => output.line(line)
  if (stderr.isTTY !== true || stdout.isTTY !== true) {
    return createPrettyReporter({ write: plain, colours, from })
  }
  const { createLiveReporter } = await import('./live.ts')
  return createLiveReporter({
    stream: stderr,
    write: plain,
    createInner: (write) => createPrettyReporter({ write, colours, from }),
  })
}
