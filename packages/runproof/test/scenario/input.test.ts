import { describe, expect, it } from 'vitest'
import { parseInput } from '../../src/scenario/input.ts'

const parse = (value: unknown) => parseInput(JSON.stringify(value))
const own = (more: object) => parse({ version: 1, steps: [{ op: 'initialize' }], ...more })

describe('input.json, version 1', () => {
  it('fills in what is not said', () => {
    expect(
      own({
        steps: [
          { op: 'prompt', text: 'x' },
          { op: 'promptAndCancel', text: 'y' },
        ],
      }),
    ).toEqual({
      isForeign: false,
      input: {
        description: null,
        agent: null,
        overridden: false,
        recorded: null,
        headerClass: null,
        env: {},
        expect: null,
        permissionAnswers: [],
        steps: [
          { op: 'prompt', text: 'x', accept: [] },
          { op: 'promptAndCancel', text: 'y', when: 'update' },
        ],
      },
    })
  })

  it.each([
    ['an unknown key', { expected: 'done' }, 'Unrecognized key: "expected"'],
    ['another version', { version: 2 }, 'version: write "version": 1'],
    [
      'no version where it says what only we know',
      { version: undefined, expect: { status: 'done' } },
      'version: write "version": 1',
    ],
    [
      'conditions without a version',
      { version: undefined, steps: [{ op: 'prompt', text: '', accept: [] }] },
      'version: write "version": 1',
    ],
    [
      'two conditions in one',
      { steps: [{ op: 'prompt', text: '', accept: [{ equals: 'a', matches: 'b' }] }] },
      'steps.0.accept.0: Unrecognized key: "matches"',
    ],
    [
      'no program',
      { steps: [{ op: 'prompt', text: '', accept: [{ command: [''] }] }] },
      'steps.0.accept.0.command: begins with an empty word, not with a program',
    ],
    ['a name that is none', { env: { 'A=B': 'x' } }, /^env\.A=B: /],
    ['NUL', { env: { A: 'x\0' } }, 'env.A: holds a NUL character'],
    [
      'more than a kind of answer',
      { permissionAnswers: [{ kind: 'allow_once', by: 'us' }] },
      'permissionAnswers.0: Unrecognized key: "by"',
    ],
    ['no steps', { steps: [] }, 'steps: Too small: expected array to have >=1 items'],
    ['an unknown step', { steps: [{ op: 'promt' }] }, /^steps\.0\.op: .*'prompt'/],
    [
      'a key of a step',
      { steps: [{ op: 'cancel', when: 'sent' }] },
      'steps.0: Unrecognized key: "when"',
    ],
    ['a status', { expect: { status: 'fine' } }, /^expect\.status: .*"running"\|.*\|"done"$/],
    [
      'a pattern',
      { steps: [{ op: 'prompt', text: '', accept: [{ matches: '(' }] }] },
      'steps.0.accept.0.matches: is not a regular expression',
    ],
    [
      'two things to wait for',
      { steps: [{ op: 'waitFor', file: 'a', update: 'plan' }] },
      'steps.0: names exactly one of "file", "update", "message"',
    ],
    [
      'a moment',
      { steps: [{ op: 'promptAndCancel', text: '', when: 'later' }] },
      /^steps\.0\.when: .*"update"\|"sent"\|"permission"/,
    ],
    ['an answer', { permissionAnswers: [{ kind: 'yes' }] }, /^permissionAnswers\.0\.kind: /],
  ])('refuses %s', (_what, more, problem) => {
    expect(own(more)).toEqual({
      problems: [typeof problem === 'string' ? problem : expect.stringMatching(problem)],
    })
  })

  it('says what is not JSON', () => {
    expect(parseInput('{"version": 1,')).toEqual({
      problems: [expect.stringMatching(/^not JSON: /)],
    })
    expect(parse([])).toMatchObject({ problems: [/expected object/] })
  })
})

describe('input.json of another harness', () => {
  it('is read leniently, but for what a step needs', () => {
    const read = parse({
      note: 'theirs',
      steps: [{ op: 'initialize', terminalOutput: true, more: 1 }, { op: 'newSession' }],
      permissionAnswers: [{ kind: 'allow_once', by: 'us' }],
    })
    expect(read).toMatchObject({
      isForeign: true,
      input: {
        overridden: null,
        steps: [{ op: 'initialize', terminalOutput: true }, { op: 'newSession' }],
        permissionAnswers: [{ kind: 'allow_once' }],
      },
    })
    expect(parse({ steps: [{ op: 'waitForGoalPhase' }] })).toMatchObject({
      problems: [expect.stringMatching(/^steps\.0\.op: /)],
    })
  })
})
