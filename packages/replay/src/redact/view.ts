/**
 * A text as those who read it have it: escapes (of JSON, programs, shells),
 * escapes of addresses, and the line ends that fold base64 are undone, one
 * inside the other. A secret is looked for in every view, and taken out where
 * the text spells it.
 */

export type View = {
  text: string
  /** Where a part of the view stands in the text itself: escapes are whole. */
  placeOf: (start: number, end: number) => { start: number; end: number }
}

/** JSON inside JSON inside JSON; more is not looked into. */
const depthMax = 3

type Writing = {
  /** A part of every escape that is fast to look for. */
  hint: string
  /** Global. One that the text breaks off in is one, too. */
  escape: RegExp
  read: (escape: string) => string
}

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

const digitsOf: Readonly<Record<string, number>> = { u: 4, x: 2 }

const writings: readonly Writing[] = [
  {
    hint: '\\',
    escape: /\\(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|(?:u[\dA-Fa-f]{0,3}|x[\dA-Fa-f]?)?$|[^])/g,
    read([, letter = '', ...digits]) {
      const length = digitsOf[letter]
      if (length === undefined) return controls[letter] ?? letter
      if (digits.length < length) return ''
      return String.fromCharCode(Number.parseInt(digits.join(''), 16))
    },
  },
  {
    hint: '%',
    // One character in UTF-8 each.
    escape:
      /%(?:[0-7][\da-f]|[cd][\da-f]%[89ab][\da-f]|e[\da-f](?:%[89ab][\da-f]){2}|f[0-4](?:%[89ab][\da-f]){3}|[\da-f]?$)/gi,
    read: (escape) =>
      escape.length < 3 ? '' : Buffer.from(escape.replaceAll('%', ''), 'hex').toString('utf8'),
  },
  // Lines of 64 or 76, as programs write base64.
  { hint: '\n', escape: /(?<=[A-Za-z0-9+/]{64})\r?\n(?=[A-Za-z0-9+/])/g, read: () => '' },
]

/** All views of a text, itself first, each distinct one once. */
export function viewsOf(text: string): View[] {
  const views: View[] = [{ text, placeOf: (start, end) => ({ start, end }) }]
  const seen = new Set([text])
  let from = 0
  for (let depth = 0; depth < depthMax; depth++) {
    for (const view of views.slice(from)) {
      from++
      for (const writing of writings) {
        const undone = view.text.includes(writing.hint) ? undo(view, writing) : view
        if (seen.has(undone.text)) continue
        seen.add(undone.text)
        views.push(undone)
      }
    }
  }
  return views
}

function undo({ text, placeOf }: View, { escape, read }: Writing): View {
  const parts: string[] = []
  /** Where unescaped text begins: here, and in `text`. */
  const starts: { here: number; there: number }[] = [{ here: 0, there: 0 }]
  let here = 0
  let there = 0
  for (const { 0: found, index } of text.matchAll(escape)) {
    const plain = text.slice(there, index)
    const character = read(found)
    parts.push(plain, character)
    here += plain.length + character.length
    there = index + found.length
    starts.push({ here, there })
  }
  parts.push(text.slice(there))
  const offsetOf = (at: number): number => {
    const start = starts[lastUpTo(starts, at)]
    return start === undefined ? at : start.there + at - start.here
  }
  return {
    text: parts.join(''),
    placeOf: (start, end) => placeOf(offsetOf(start), offsetOf(end)),
  }
}

/** Index of the last one that begins at `at` or before. */
function lastUpTo(starts: readonly { here: number }[], at: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle]?.here ?? Infinity) <= at) low = middle
    else high = middle - 1
  }
  return low
}
