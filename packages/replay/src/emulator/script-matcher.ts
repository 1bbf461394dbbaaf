/**
 * Which call of a session log a request gets. The log knows no request, only
 * the conversation, so a call is given to a request that stands where the call
 * stood: the user's prompt of its turn is in the request, word for word, and
 * the model has answered as often since, the last time with calls that have their
 * results. That is the whole rule; of several calls that fit, the first one that
 * was not given out is taken. A call without a place is given to any request of
 * its wire.
 */
import { familyOf } from '../match/endpoint.ts'
import type { WireFamily } from '../match/endpoint.ts'
import type { FolderMask } from '../match/folder.ts'
import { readConversation } from './conversation.ts'
import type { Spoken } from './conversation.ts'
import type { ScriptedCall } from './script.ts'

export type ScriptMatcher = {
  /** Gives out a call. */
  take(family: WireFamily, body: unknown): ScriptedCall | null
  /** Whether the last words from outside are a prompt of one of the calls. */
  endsWithPrompt(family: WireFamily, body: unknown): boolean
  /** Calls that can still be given out. */
  free(): readonly ScriptedCall[]
  /** Calls that nobody asked for. */
  unused(): ScriptedCall[]
}

export type ScriptMatcherOptions = {
  /** Of the live run. */
  folders: FolderMask | null
  /** When all calls were given out, begin again. */
  repeat: boolean
}

export function createScriptMatcher(
  calls: readonly ScriptedCall[],
  { folders, repeat }: ScriptMatcherOptions,
): ScriptMatcher {
  const used = new Set<ScriptedCall>()
  let free = [...calls]
  const says = (item: Spoken, prompt: string): boolean => {
    if (item.who !== 'user') return false
    return holdsWords(folders === null ? item.text : folders(item.text), prompt)
  }
  const stands = ({ place }: ScriptedCall, spoken: readonly Spoken[]): boolean => {
    if (place === null) return true
    const at = spoken.findLastIndex((item) => says(item, place.prompt))
    const since = spoken.slice(at + 1).filter(({ who }) => who !== 'user')
    const answerCount = since.filter(({ who }) => who === 'model').length
    return at !== -1 && answerCount === place.answerCount && since.at(-1)?.who !== 'model'
  }
  return {
    take(family, body) {
      if (calls.length === 0) return null
      const spoken = readConversation(family, body)
      const call = free.find((some) => familyOf(some.wire) === family && stands(some, spoken))
      if (call === undefined) return null
      used.add(call)
      free = free.filter((some) => some !== call)
      if (free.length === 0 && repeat) free = [...calls]
      return call
    },
    endsWithPrompt(family, body) {
      const last = readConversation(family, body).findLast(({ who }) => who === 'user')
      if (last === undefined) return false
      return calls.some(({ place }) => place === null || says(last, place.prompt))
    },
    free: () => free,
    unused: () => calls.filter((call) => !used.has(call)),
  }
}

const wordUnit = /[0-9A-Za-z_]/

/** Whether a text has these words as they are, and not as parts of longer ones: `Hi`, not `This`. */
function holdsWords(text: string, words: string): boolean {
  const isInside = (at: number): boolean =>
    wordUnit.test(text[at - 1] ?? '') && wordUnit.test(text[at] ?? '')
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if (!isInside(at) && !isInside(at + words.length)) return true
  }
  return false
}
