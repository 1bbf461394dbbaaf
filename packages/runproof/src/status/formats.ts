/**
 * Which protocol a log speaks (`--from`): the names, how one parsed value is
 * recognised, and how it becomes envelopes. A value that no rule knows proves
 * nothing; the first recognised one decides.
 */
import { isEnvelope } from '@runproof/progress'
import { RunproofError } from '../error.ts'
import { isRecord } from '../transcript/line.ts'
import { visible } from '../visible.ts'

/** Turns parsed values into what the reducer is fed; never throws on JSON. */
export type Translate = {
  /** What a value becomes, or in words why it is none of this protocol. */
  push(value: unknown): readonly unknown[] | string
  /** The end of the input. A file shows no more than that, so only the log itself signs an end. */
  finish(): readonly unknown[]
  /** Whether runs are named `<task>/<n>` and one claim stands for all runs of a task. */
  hasTasks: boolean
}

type Format = {
  recognises: (value: unknown) => boolean
  createTranslate: (run: string) => Promise<Translate>
}

const hasType = (value: unknown, types: readonly string[]): boolean =>
  isRecord(value) && types.some((type) => type === value['type'])

const formats: Record<string, Format> = {
  envelope: {
    recognises: isEnvelope,
    createTranslate: () =>
      Promise.resolve({ push: (value) => [value], finish: () => [], hasTasks: false }),
  },
  session: {
    recognises: (value) => hasType(value, ['session']) && isRecord(value) && 'version' in value,
    createTranslate: async () => {
      const { createAdapter } = await import('@runproof/progress/session')
      const adapter = createAdapter({ run: 'turn' })
      return {
        push: (value) => adapter.push(value),
        finish: () => adapter.finish({}),
        hasTasks: true,
      }
    },
  },
  acp: {
    recognises: (value) =>
      isRecord(value) &&
      (value['jsonrpc'] === '2.0' ||
        ('dir' in value && ['m', 'msg', 'raw'].some((key) => key in value))),
    createTranslate: async () => {
      const { createAdapter } = await import('@runproof/progress/acp')
      const adapter = createAdapter({ run: 'prompt' })
      return {
        push: (value) => adapter.push(value),
        finish: () => adapter.finish({}),
        hasTasks: true,
      }
    },
  },
  'openai-agents': {
    recognises: (value) =>
      hasType(value, [
        'raw_response_event',
        'raw_model_stream_event',
        'run_item_stream_event',
        'agent_updated_stream_event',
      ]),
    createTranslate: async (run) => {
      const { createAdapter } = await import('@runproof/progress/openai-agents')
      const adapter = createAdapter({ run })
      return { push: (value) => adapter.push(value), finish: () => [], hasTasks: false }
    },
  },
  recording: {
    recognises: (value) => hasType(value, ['recording']),
    createTranslate: async () => (await import('./recording.ts')).createRecordingTranslate(),
  },
}

/** The names that `--from` takes. */
export const formatNames: readonly string[] = Object.keys(formats)

/** The format whose rule knows this value, or null. */
export function recogniseFormat(value: unknown): string | null {
  return formatNames.find((name) => formats[name]?.recognises(value) === true) ?? null
}

/** @throws RunproofError `usage` for a name that is not one of `formatNames`. */
export function createTranslate(name: string, run: string): Promise<Translate> {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (format === undefined) {
    throw new RunproofError(
      'usage',
      `--from ${visible(name)} is not known; choose one of: ${formatNames.join(', ')}`,
    )
  }
  return format.createTranslate(run)
}
