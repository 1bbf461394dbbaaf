/**
 * What normalising must know of a format, as data: which fields are volatile,
 * who wrote what, which messages only state a fact. The engine itself knows no
 * protocol.
 */
import type { Message } from '../transcript/line.ts'

/** A volatile field: replaced by a token, or by a constant of its own type. */
export type FieldRule = {
  /** A selector without `**`. */
  path: string
  /** Which messages have the field; all, when absent. */
  when?: (message: Message) => boolean
} & (
  | { token: string; /** Ids of different spaces are different values. */ space?: string }
  | { constant: number }
)

/**
 * Who wrote a string. `protocol`: the agent's own framing; ids in it are made
 * stable. `content`: titles, tool input and output; a known session id is, a
 * look-alike is not. `model`: what a model said or a person asked; only known
 * folders are.
 */
export type Zone = 'protocol' | 'content' | 'model'

type ZoneRule = { path: string; zone: Zone; when?: (message: Message) => boolean }

/**
 * A message that states a fact; only the last of a kind counts, unless `all` do.
 * `after`: what it and the one before say together, for facts that are told in parts.
 */
type Fact = {
  session: string
  kind: string
  all?: boolean
  after?: (before: Message) => Message
}

/** A piece of a streamed text; `withText` is its message with another text. */
type Chunk = { text: string; withText: (text: string) => Message }

export type Profile = {
  fields: readonly FieldRule[]
  zones: readonly ZoneRule[]
  /** Keys whose values are never touched. */
  keptKeys: readonly string[]
  factOf: (message: Message) => Fact | null
  /** A piece of a streamed text, or null. */
  chunkOf: (message: Message) => Chunk | null
  /** Two neighbours that say parts of one thing, as one message, or null. */
  mergeOf: (first: Message, second: Message) => Message | null
}

/** Lines of a program about which nothing is known. */
export const plainProfile: Profile = {
  fields: [],
  zones: [{ path: '**', zone: 'content' }],
  keptKeys: [],
  factOf: () => null,
  chunkOf: () => null,
  mergeOf: () => null,
}
