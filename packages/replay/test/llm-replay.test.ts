/** The plugin in a real cordis host, with real files. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Context } from '@deepseek-ai/cordis'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as llmReplay from '@runproof/replay/llm-replay'
import type { ReplayConfig } from '@runproof/replay/llm-replay'
import type { ReplayReport, ReplayRequest } from '@runproof/replay'
import type { StreamChunk } from '@runproof/llm'
import { drain, fixtureFile, fixtureScript, messagesOf, user } from './scenarios.ts'

declare module '@deepseek-ai/cordis' {
  interface Events {
    'llm/stream'(
      request: ReplayRequest,
      next: () => AsyncIterable<StreamChunk>,
    ): AsyncIterable<StreamChunk>
  }
}

const kitchen = fixtureScript('kitchen')
const kitchenFile = fixtureFile('kitchen/session.jsonl')

/** The seam's variables, unset; a test sets its own. */
beforeEach(() => {
  for (const name of Object.keys(process.env)) {
    if (/^(RUNPROOF_|DSH_SNAPSHOT)/.test(name)) vi.stubEnv(name, '')
  }
  onTestFinished(() => void vi.unstubAllEnvs())
})

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'runproof-replay-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Host = {
  ask(request: ReplayRequest): Promise<StreamChunk[]>
  /** The requests that reached the model adapter. */
  live: ReplayRequest[]
  dispose(): Promise<unknown>
}

/** A host as an agent is one: a context, the plugin, and an adapter where the waterfall ends. */
async function startHost(config?: ReplayConfig): Promise<Host> {
  const root = new Context()
  const fiber = await root.plugin(llmReplay, config ?? {})
  const live: ReplayRequest[] = []
  return {
    live,
    async ask(request) {
      const adapter = (): AsyncIterable<StreamChunk> => {
        live.push(request)
        throw new Error('the provider was called')
      }
      // Requests of a loop are frozen.
      return drain(root.waterfall('llm/stream', Object.freeze(request), adapter))
    },
    dispose: () => fiber.dispose(),
  }
}

function readReport(file: string): ReplayReport {
  const report: ReplayReport = JSON.parse(readFileSync(file, 'utf8'))
  return report
}

describe('in a cordis host', () => {
  it('answers instead of the adapter, and reports at its start and at dispose', async () => {
    const report = join(makeFolder(), 'made', 'report.json')
    const host = await startHost({ file: kitchenFile, report })
    // What a process that is killed leaves: nothing claimed.
    expect(readReport(report)).toMatchObject({ served: 0, unused: 3, misses: [] })
    for (const [call, { chunks }] of kitchen.recorded.entries()) {
      expect(await host.ask({ messages: messagesOf(kitchen, call), sessionId: 's' })).toEqual(
        chunks,
      )
    }
    await host.dispose()
    expect(readReport(report)).toEqual({
      served: 3,
      unused: 0,
      misses: [],
      sessions: [{ file: kitchenFile, sessionId: 's', served: 3, unused: 0 }],
    })
    expect(readdirSync(join(report, '..'))).toEqual(['report.json'])
    expect(host.live).toEqual([])
  })

  it('gives the seam back when it is disposed', async () => {
    const host = await startHost({ file: kitchenFile })
    await host.dispose()
    await expect(host.ask({ messages: [] })).rejects.toThrow('the provider was called')
  })

  it('tells of a miss at once, asks no provider, and goes on', async () => {
    const report = join(makeFolder(), 'report.json')
    const host = await startHost({ file: kitchenFile, report })
    await expect(host.ask({ messages: [user('Surprise.')] })).rejects.toMatchObject({
      code: 'request-mismatch',
    })
    expect(readReport(report)).toMatchObject({
      served: 0,
      unused: 3,
      misses: [
        { code: 'request-mismatch', call: 0, message: expect.stringContaining('+user: Surprise.') },
      ],
    })
    await host.ask({ messages: messagesOf(kitchen, 0) })
    await host.dispose()
    expect(readReport(report)).toMatchObject({ served: 1, unused: 2, misses: [{ call: 0 }] })
    expect(host.live).toEqual([])
  })

  it('ends a hang when it is disposed, and writes its marker before', async () => {
    const folder = makeFolder()
    const override = join(folder, 'override.json')
    const readyFile = join(folder, 'deep', 'ready')
    writeFileSync(override, JSON.stringify([{ kind: 'hang', readyFile }]))
    const host = await startHost({ file: kitchenFile, override })
    const hanging = host.ask({ messages: messagesOf(kitchen, 0) })
    const settled = expect(hanging).rejects.toMatchObject({ code: 'ABORTED' })
    await vi.waitUntil(() => existsSync(readyFile))
    await host.dispose()
    await settled
  })

  it('lets a listener that came first wrap it', async () => {
    const root = new Context()
    const seen: string[] = []
    root.on('llm/stream', (_request, next) => {
      seen.push('wrapped')
      return next()
    })
    await root.plugin(llmReplay, { file: kitchenFile })
    const stream = root.waterfall('llm/stream', { messages: messagesOf(kitchen, 0) }, () => {
      throw new Error('the provider was called')
    })
    expect(await drain(stream)).toEqual(kitchen.recorded[0]?.chunks)
    expect(seen).toEqual(['wrapped'])
  })
})

describe('the environment', () => {
  it.each([
    [
      'RUNPROOF',
      {
        mode: 'RUNPROOF_MODE',
        file: 'RUNPROOF_SESSION_FILE',
        override: 'RUNPROOF_OVERRIDE_FILE',
        children: 'RUNPROOF_CHILD_FILES',
      },
    ],
    [
      'DSH',
      {
        mode: 'DSH_SNAPSHOT',
        file: 'DSH_SNAPSHOT_FILE',
        override: 'DSH_SNAPSHOT_OVERRIDE',
        children: 'DSH_SNAPSHOT_CHILD_FILES',
      },
    ],
  ])(
    'names the files (%s), and children bind in the order of their creation',
    async (_name, names) => {
      const report = join(makeFolder(), 'report.json')
      const files = [1, 2].map((n) => fixtureFile(`children/session.${n}.jsonl`))
      vi.stubEnv(names.mode, 'replay')
      vi.stubEnv(names.file, fixtureFile('throw-first/session.jsonl'))
      vi.stubEnv(names.override, fixtureFile('throw-first/replay.override.json'))
      vi.stubEnv(names.children, files.join(delimiter))
      vi.stubEnv('RUNPROOF_REPORT', report)
      const host = await startHost()
      await host.dispose()
      expect(readReport(report).sessions).toEqual([
        { file: fixtureFile('throw-first/session.jsonl'), sessionId: null, served: 0, unused: 3 },
        { file: files[1], sessionId: null, served: 0, unused: 1 },
        { file: files[0], sessionId: null, served: 0, unused: 1 },
      ])
    },
  )

  it('gives way to the configuration, and RUNPROOF goes before DSH', async () => {
    const report = join(makeFolder(), 'report.json')
    vi.stubEnv('DSH_SNAPSHOT_FILE', 'nowhere.jsonl')
    vi.stubEnv('RUNPROOF_SESSION_FILE', kitchenFile)
    await (await startHost({ report })).dispose()
    expect(readReport(report).sessions[0]?.file).toBe(kitchenFile)
    vi.stubEnv('RUNPROOF_SESSION_FILE', 'nowhere.jsonl')
    await (await startHost({ report, file: kitchenFile })).dispose()
    expect(readReport(report).sessions[0]?.file).toBe(kitchenFile)
  })

  it('sets the level, for logs of another harness, and where to go on', async () => {
    vi.stubEnv('RUNPROOF_REPLAY_LEVEL', 'prompt')
    vi.stubEnv('RUNPROOF_REPLAY_START', '1')
    const host = await startHost({ file: kitchenFile })
    const messages = [user('List the pantry.')]
    expect(await host.ask({ messages })).toEqual(kitchen.recorded[1]?.chunks)
    await host.dispose()
  })

  it('may say where the live run works', async () => {
    const host = await startHost({ file: kitchenFile, startAt: 1, cwd: '/elsewhere' })
    await expect(host.ask({ messages: messagesOf(kitchen, 1) })).resolves.toHaveLength(6)
    await host.dispose()
  })
})

describe('a host does not start', () => {
  const missing = '/nowhere/session.jsonl'
  it.each([
    ['without a log', {}, {}, 'bad-config', /set RUNPROOF_SESSION_FILE/],
    [
      'with a log that is not there',
      { file: missing },
      {},
      'missing-file',
      /nowhere.*the session log cannot be read: ENOENT/,
    ],
    [
      'with an override that is not there',
      { file: kitchenFile, override: missing },
      {},
      'missing-file',
      /the override cannot be read/,
    ],
    [
      'with a child that is not there',
      { file: kitchenFile, childFiles: [missing] },
      {},
      'missing-file',
      /the child session log/,
    ],
    [
      'with a log that needs an override',
      { file: fixtureFile('hang/session.jsonl') },
      {},
      'unfinished-call',
      /hang\/replay\.override\.json/,
    ],
    [
      'to record',
      { file: kitchenFile },
      { RUNPROOF_MODE: 'record' },
      'bad-config',
      /RUNPROOF_MODE is "record"/,
    ],
    [
      'in a mode nobody knows',
      { file: kitchenFile },
      { DSH_SNAPSHOT: 'replai' },
      'bad-config',
      /DSH_SNAPSHOT is "replai"/,
    ],
    [
      'with an unknown level',
      { file: kitchenFile },
      { RUNPROOF_REPLAY_LEVEL: 'lax' },
      'bad-config',
      /level is "lax"/,
    ],
    [
      'with a start that is no count',
      { file: kitchenFile },
      { RUNPROOF_REPLAY_START: '-1' },
      'bad-config',
      /RUNPROOF_REPLAY_START is "-1"/,
    ],
    [
      'with a misspelt option',
      { files: kitchenFile },
      {},
      'bad-config',
      /no option "files"; it has file, override/,
    ],
    [
      'with an option of another type',
      { startAt: '1' },
      {},
      'bad-config',
      /startAt is "1", not a number/,
    ],
    [
      'with child files that are file descriptors',
      { file: kitchenFile, childFiles: [0] },
      {},
      'bad-config',
      /childFiles is \[0\], not a list of texts/,
    ],
  ])('%s', async (_name, config: object, env: Record<string, string>, code, message) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const start = startHost(config)
    await expect(start).rejects.toMatchObject({ code })
    await expect(start).rejects.toThrow(message)
  })

  it('and says why in the report', async () => {
    const report = join(makeFolder(), 'report.json')
    await expect(startHost({ file: missing, report })).rejects.toThrow()
    expect(readReport(report)).toMatchObject({
      served: 0,
      unused: 0,
      misses: [{ code: 'missing-file', file: missing }],
    })
    vi.stubEnv('RUNPROOF_REPORT', report)
    await expect(startHost({})).rejects.toThrow()
    expect(readReport(report).misses).toMatchObject([{ code: 'bad-config' }])
  })

  it('when its report cannot be written', async () => {
    const report = makeFolder()
    await expect(startHost({ file: kitchenFile, report })).rejects.toThrow(/EISDIR|rename/)
  })

  it('and leaves no half-written report', async () => {
    const folder = makeFolder()
    await expect(startHost({ file: missing, report: folder })).rejects.toThrow(/EISDIR|rename/)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the module', () => {
  it('is a plugin by its named exports', () => {
    expect(Object.keys(llmReplay).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'apply',
      'inject',
      'name',
    ])
    expect(llmReplay).toMatchObject({ name: 'llm-replay', inject: [] })
  })
})
