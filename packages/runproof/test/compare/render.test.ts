import { describe, expect, it } from 'vitest'
import { compareLines } from '../../src/compare/compare.ts'
import { renderDifference, type RenderOptions } from '../../src/compare/render.ts'
import { chunk, update } from '../normalise/acp-messages.ts'

const toLines = (values: unknown[]): string[] =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))

function render(
  expected: unknown[],
  actual: unknown[],
  options: Partial<RenderOptions> = {},
): string {
  const difference = compareLines({
    scenario: 'demo/one',
    file: 'stdout.golden.jsonl',
    expected: toLines(expected),
    actual: toLines(actual),
  })
  if (difference === null) throw new Error('no difference')
  return renderDifference(difference, { colours: false, ...options })
}

const tool = (status: string, text: string): unknown =>
  update('{{session:1}}', { sessionUpdate: 'tool_call_update', toolCallId: 'c', status, text })

const usage = (used: unknown): unknown => ({ type: 'usage', used })

const numbered = (from: number): unknown[] =>
  [0, 1].map((index) => ({ type: 'a', seq: from + index }))

const evil = (text: string): unknown => chunk('s', `\u001b[2J${text}\u202e\u0007`)

const longText = (word: string): string => `${'same '.repeat(30)}${word} ${'after '.repeat(30)}`

describe('renderDifference', () => {
  it('shows fields, and texts of several lines line by line', () => {
    const before = 'one\ntwo\nthree\nfour\nfive\n'
    expect(render([tool('completed', before)], [tool('failed', before.replace('five', 'six'))]))
      .toMatchInlineSnapshot(`
        "demo/one stdout.golden.jsonl
          ~ line 1 tool_call_update
              params.update.status: "completed" → "failed"
              params.update.text: 
                  one
                  … 2 equal lines
                  four
                - five
                + six"
      `)
  })

  it('shows texts with little in common one below the other', () => {
    const before = 'run.ended succeeded => checking | The run has ended; waiting for acceptance'
    const after = 'EOF => incomplete | The response was not generated in full; not finished'
    expect(render([chunk('s', before)], [chunk('s', after)])).toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        ~ line 1 agent_message_chunk
            params.update.content.text: 
              - "run.ended succeeded => checking | The run has ended; waiting for acceptance"
              + "EOF => incomplete | The response was not generated in full; not finished""
    `)
    expect(render([before], [after])).toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        ~ line 1
            - "run.ended succeeded => checking | The run has ended; waiting for acceptance"
            + "EOF => incomplete | The response was not generated in full; not finished""
    `)
  })

  it('shows the words of a long line that changed', () => {
    expect(render([chunk('s', longText('old'))], [chunk('s', longText('new'))]))
      .toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        ~ line 1 agent_message_chunk
            params.update.content.text: …same same same same same same same same same same same same [-old-]{+new+} after after after after after after after after after after…"
    `)
  })

  it('shows what is there on one side only, what moved, and the same as text', () => {
    const plan = update('s', { sessionUpdate: 'plan', entries: [] })
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => chunk('s', text))
    expect(render([plan, a, b, c], [a, b, plan, d], { text: true })).toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        > line 1 plan moved to line 3 of the output
        ~ line 4 agent_message_chunk
            params.update.content.text: "c" → "d"

        as text
        -…ate":"agent_message_chunk","content":{"type":"text","text":"c"}}}}
        +…ate":"agent_message_chunk","content":{"type":"text","text":"d"}}}}"
    `)
    expect(render([a, b], [a, plan], { text: true })).toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        - line 2 agent_message_chunk is missing
            {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"}}
        + extra plan at line 2 of the output
            {"sessionUpdate":"plan","entries":[]}

        as text
        -{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","co…
        +{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"
    `)
  })

  it('shows values that are no texts, and lines of text', () => {
    expect(render([usage(1)], [usage({ cached: 'x'.repeat(90) })])).toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        ~ line 1 usage
            used: 
              - 1
              + {"cached":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"
    `)
    expect(render(['EOF => done'], ['EOF => unknown'])).toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        ~ line 1
            "EOF => done" → "EOF => unknown""
    `)
  })

  it('counts the changes that it does not show, and events in a row', () => {
    const many = Array.from({ length: 5 }, (_, index) => ({ type: `t${index}` }))
    expect(render(many, [], { changesShown: 1 })).toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        - line 1 t0 is missing
            {"type":"t0"}
        … and 4 more"
    `)
    expect(render(numbered(3), numbered(4))).toMatchInlineSnapshot(`
      "demo/one stdout.golden.jsonl
        # line 1 a is numbered differently: seq 3 → 4 (2 in a row)"
    `)
  })

  it('shows a file that is missing as a whole', () => {
    const difference = compareLines({ scenario: 's', file: 'f', expected: ['a'], actual: null })
    if (difference === null) throw new Error('no difference')
    expect(renderDifference(difference, { colours: false })).toBe(
      's f\n  f is expected (1 line) and was not produced\n  - a',
    )
  })

  it('lets no control character through, and colours on request', () => {
    const shown = render([evil('a'), evil('c')], [evil('b\nx'), tool('x', '\u009b')], {
      text: true,
    })
    // oxlint-disable-next-line no-control-regex -- control characters are its subject
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(render([evil('a')], [evil('b')], { colours: true })).toContain('\u001b[32m')
  })
})
