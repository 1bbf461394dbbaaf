/** A project with pending differences, and a terminal to look at them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { compareLines } from '../../src/compare/compare.ts'
import { digestInputs } from '../../src/pending/inputs.ts'
import { createPendingStore, type PendingStore } from '../../src/pending/store.ts'
import { runReview, type ReviewOptions } from '../../src/review/command.ts'
import { createFolder } from '../pending/folder.ts'

export type Scene = {
  root: string
  store: PendingStore
  /** Text of a file of the project. */
  read: (path: string) => Promise<string>
  review: (
    options: ReviewOptions,
    env?: Record<string, string>,
  ) => Promise<{ code: number; stdout: string; stderr: string }>
}

const answer = (version: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: '{{rpc:1}}', result: { agentInfo: { version } } })

const printed = (stream: PassThrough): string => String(stream.read() ?? '')

/** Two scenarios with one cause, a third with another, and a log that replay reads. */
export async function createScene(): Promise<Scene> {
  const root = await createFolder()
  await writeFile(join(root, 'runproof.yml'), 'version: 1\nagents: {}\n')
  const store = createPendingStore(root)
  const add = async (
    scenario: string,
    file: string,
    before: string,
    after: string,
  ): Promise<void> => {
    const path = join(root, 'scenarios', scenario, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `${before}\n`)
    const difference = compareLines({ scenario, file, expected: [before], actual: [after] })
    const inputs = await digestInputs(root, dirname(path))
    if (difference !== null) await store.write(difference, `${after}\n`, path, inputs)
  }
  await add('one', 'stdout.golden.jsonl', answer('0.0.1'), answer('0.0.2'))
  await add('two', 'stdout.golden.jsonl', answer('0.0.1'), answer('0.0.2'))
  await add('three', 'session.jsonl', '{"type":"session"}', '{"type":"session","version":0}')
  await add('three', 'progress.golden.txt', 'EOF => done', 'EOF => unknown')
  return {
    root,
    store,
    read: (path) => readFile(join(root, path), 'utf8'),
    async review(options, env = {}) {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
      const code = await runReview(options, { stdin, stdout, stderr, env }, root)
      return { code, stdout: printed(stdout), stderr: printed(stderr) }
    },
  }
}
