/**
 * What normalising knows of one run: the volatile things that it makes stable.
 * Each side of a comparison has its own context.
 */
import type { Folders } from './folder.ts'

/**
 * One rule of a project (`normalise:` in `runproof.yml`). `path` selects values
 * (`result.sessions[*].updatedAt`, `**.durationMs`), `match` a pattern inside
 * strings (only its first group, when it has one); with both, inside those values.
 * `token` `duration` writes `{{duration}}`; `job:n` numbers distinct values by
 * first sight: `{{job:1}}`, `{{job:2}}`.
 */
export type NormaliseRule = { path?: string; match?: string; token: string }

/** `typed`: `{{session:1}}`, `{{rpc:1}}` …; `untyped`: the seed's `{{sessionId}}`, ids 1, 2, 3 … */
export type TokenStyle = 'typed' | 'untyped'

/** Whose messages these are: `acp`, or `jsonl` for a plain program with no fields to know. */
type Protocol = 'acp' | 'jsonl'

export type NormaliseContext = {
  /** Default `acp`. */
  protocol?: Protocol
  /** The agent's working folder, in every spelling that the caller knows (given, real path). */
  cwd?: string | readonly string[]
  home?: string | readonly string[]
  /** The folder of the run that is replayed: what a model said then still names it. Becomes `{{cwd}}`. */
  recordedCwd?: string | readonly string[]
  /** Further folders by token name: `{ sessions: '/tmp/x' }` becomes `{{sessions}}`. */
  roots?: Folders
  /** Session ids that the messages may name in text only. */
  sessionIds?: readonly string[]
  /** Default `typed`; `goldenMode` says what a golden asks for. */
  tokens?: TokenStyle
  rules?: readonly NormaliseRule[]
  /**
   * Joins adjacent text chunks of one kind, session and `messageId`, and adjacent updates of a call that
   * do not contradict each other. Default false.
   */
  joinChunks?: boolean
  /** `state` (default): the last value of each kind and session, at the end; `order`: where they came. */
  housekeeping?: 'state' | 'order'
}

/** The folders of a context by token name; what the agent and the recording call cwd is one. */
export function foldersOf(context: NormaliseContext): Folders {
  const { cwd = [], recordedCwd = [], home = [], roots = {} } = context
  return { cwd: [cwd, recordedCwd].flat(), home, ...roots }
}
