/**
 * What normalising knows of one run: the volatile things that it makes stable.
 * Each side of a comparison has its own context.
 */

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

export type NormaliseContext = {
  /** The agent's working folder, in every spelling that the caller knows (given, real path). */
  cwd?: string | readonly string[]
  home?: string | readonly string[]
  /** The folder of the run that is replayed: what a model said then still names it. Becomes `{{cwd}}`. */
  recordedCwd?: string | readonly string[]
  /** Further folders by token name: `{ sessions: '/tmp/x' }` becomes `{{sessions}}`. */
  roots?: Readonly<Record<string, string | readonly string[]>>
  /** Session ids that the messages may name in text only. */
  sessionIds?: readonly string[]
  /** Default `typed`; `goldenMode` says what a golden asks for. */
  tokens?: TokenStyle
  rules?: readonly NormaliseRule[]
  /** Joins adjacent text chunks of one kind, session and `messageId`. Default false. */
  joinChunks?: boolean
  /** `state` (default): the last value of each kind and session, at the end; `order`: where they came. */
  housekeeping?: 'state' | 'order'
}
