/**
 * The plugin for the `llm/stream` seam of a cordis host, this project's agent
 * or the DeepSeek Harness: it answers every model request from recorded
 * session logs and never calls `next`, so no provider is asked.
 *
 * Mount it where the model adapter stood. A listener that was registered
 * before it wraps it; one registered after it is not heard.
 *
 * Which logs, it learns from its configuration or else from the environment
 * (`seam/`). It writes the report when it starts, so that a report that cannot
 * be written stops the start, and a process that is killed leaves its calls
 * unused; on a miss at once; and at dispose. It never ends the process: whoever
 * started the agent judges it by the report.
 *
 * It imports nothing of cordis; the context is typed by what it uses.
 */
import type { StreamChunk } from '@runproof/llm'
import { ReplayError } from './error.ts'
import { createReplay, missOf } from './replay.ts'
import type { Replay, ReplayReport, ReplayRequest } from './replay.ts'
import { findReportFile, readSeam } from './seam/config.ts'
import type { ReplayConfig } from './seam/config.ts'
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
  const options = config ?? {}
  const file = findReportFile(options, process.env)
  const save = (report: ReplayReport): void => {
    if (file !== undefined) writeReport(file, report)
  }
  const replay = openReplay(options, save)
  save(replay.report())
  ctx.effect(() => () => {
    replay.close()
    save(replay.report())
  })
  ctx.on('llm/stream', (request) => replay.stream(request))
}

function openReplay(options: ReplayConfig, save: (report: ReplayReport) => void): Replay {
  try {
    const seam = readSeam(options, process.env)
    const replay = createReplay({
      ...seam,
      scripts: readScripts(seam),
      writeMarker,
      onMiss() {
        try {
          save(replay.report())
        } catch {
          // The agent must hear of the miss itself; the disposer tries to write again.
        }
      },
    })
    return replay
  } catch (reason) {
    if (ReplayError.is(reason)) {
      save({ served: 0, unused: 0, misses: [missOf(reason)], sessions: [] })
    }
    throw reason
  }
}
