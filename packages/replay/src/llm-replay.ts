/**
 * The plugin for the `llm/stream` seam of a cordis host, this project's agent
 * or the DeepSeek Harness: it answers every model request from recorded
 * session logs and never calls `next`, so no provider is asked.
 *
 * Mount it where the model adapter stood. A listener that was registered
 * before it wraps it; one registered after it is not heard.
 *
 * Which logs, it learns from its configuration or else from the environment
 * (`seam.ts`). At dispose it writes the report; on a miss at once, so that a
 * process that dies of it leaves one too. It never ends the process: whoever
 * started the agent judges it by the report.
 *
 * It imports nothing of cordis; the context is typed by what it uses.
 */
import type { StreamChunk } from '@runproof/llm'
import { ReplayError } from './error.ts'
import { createReplay, missOf } from './replay.ts'
import type { ReplayReport, ReplayRequest } from './replay.ts'
import { readSeam } from './seam/config.ts'
import type { ReplayConfig, Seam } from './seam/config.ts'
import { readScripts, writeMarker, writeReport } from './seam/files.ts'

export type { ReplayConfig } from './seam/config.ts'

export const name = 'llm-replay'

/** No service: the seam is an event. */
export const inject: string[] = []

/** What the plugin uses of a cordis context. */
export type ReplayHost = {
  on(
    event: 'llm/stream',
    listener: (request: ReplayRequest, next: () => unknown) => AsyncIterable<StreamChunk>,
  ): unknown
  effect(execute: () => () => void): unknown
}

/**
 * Loads the scripts and takes over the seam. Throws a `ReplayError` when
 * there is nothing sound to replay; the report then says so too.
 */
export function apply(ctx: ReplayHost, config?: ReplayConfig | null): void {
  // An entry of a composition without configuration passes null.
  const seam = readSeam(config ?? {}, process.env)
  const { level, cwd, startAt, report } = seam
  const save = (state: ReplayReport): void => {
    if (report !== undefined) writeReport(report, state)
  }
  const onMiss = (): void => {
    try {
      save(replay.report())
    } catch {
      // The miss itself must reach the agent; the disposer writes again, and fails loudly.
    }
  }
  const replay = createReplay({
    scripts: loadScripts(seam),
    level,
    cwd,
    startAt,
    writeMarker,
    onMiss,
  })
  ctx.effect(() => () => {
    replay.close()
    save(replay.report())
  })
  ctx.on('llm/stream', (request) => replay.stream(request))
}

function loadScripts(seam: Seam): ReturnType<typeof readScripts> {
  try {
    return readScripts(seam)
  } catch (reason) {
    if (ReplayError.is(reason) && seam.report !== undefined) {
      writeReport(seam.report, { served: 0, unused: 0, misses: [missOf(reason)], sessions: [] })
    }
    throw reason
  }
}
