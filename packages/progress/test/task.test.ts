/** Several runs of one task, and the one claim they support. */
import { createProducer, createTask, verdictFor } from '@runproof/progress'
import type { Envelope, Task } from '@runproof/progress'
import { describe, expect, test } from 'vitest'

const final = 'All tidy.'

/** The envelopes of one run, from short words. */
function runOf(name: string, ...words: string[]): Envelope[] {
  const producer = createProducer(name)
  return words.map((word) => {
    const [verb = '', call = 'c'] = word.split(' ')
    switch (verb) {
      case 'wait':
        return producer.emit('approval.wait', {})
      case 'paused':
        return producer.emit('run.ended', { outcome: 'paused', final_text: null })
      case 'failed':
        return producer.emit('run.ended', { outcome: 'failed', final_text: null })
      case 'succeeded':
        return producer.emit('run.ended', { outcome: 'succeeded', final_text: final })
      case 'accept':
        return producer.emit(
          'app.checked',
          verdictFor({ terminal: 'succeeded', finalText: final }, true),
        )
      case 'requested':
      case 'started':
      case 'finished':
        return producer.emit(`tool.${verb}`, { call_id: call })
      default:
        return producer.emit('text.delta', { text: word })
    }
  })
}

const first = (...words: string[]): Envelope[] => runOf('t/1', ...words)
const second = (...words: string[]): Envelope[] => runOf('t/2', ...words)
const third = (...words: string[]): Envelope[] => runOf('t/3', ...words)

function fed(...parts: Envelope[][]): Task {
  const task = createTask({ task: 't' })
  for (const event of parts.flat()) task.feed(event)
  return task
}

describe('the claim', () => {
  const paused = first('requested', 'wait', 'paused')
  test.each<[string, Envelope[][], string, string[]]>([
    ['nothing yet', [], 'running', []],
    ['one run', [first('hello')], 'running', []],
    ['one run that ends well', [first('succeeded', 'accept')], 'done', []],
    ['a pause', [paused], 'waiting', []],
    ['the run after a pause', [paused, second('requested')], 'running', []],
    ['a second pause', [paused, second('requested', 'wait', 'paused')], 'waiting', []],
    [
      'an accepted run after a pause',
      [paused, second('requested', 'finished', 'succeeded', 'accept')],
      'done',
      [],
    ],
    [
      'a pause without open calls',
      [first('wait', 'paused'), second('succeeded', 'accept')],
      'done',
      [],
    ],
    [
      'three runs',
      [paused, second('requested', 'wait', 'paused'), third('requested', 'finished', 'succeeded')],
      'checking',
      [],
    ],
    ['a failure after a pause', [paused, second('failed')], 'failed', []],
    [
      'a new run after an open one',
      [first('hello'), second('hello')],
      'unknown',
      ['run_not_paused'],
    ],
    [
      'a new run after a failed one',
      [first('failed'), second('succeeded', 'accept')],
      'unknown',
      ['run_not_paused'],
    ],
    [
      'an open call that does not come again',
      [paused, second('succeeded', 'accept')],
      'unknown',
      ['open_call_dropped'],
    ],
    [
      'a lost event in an earlier run',
      [paused.toSpliced(1, 1), second('requested')],
      'unknown',
      ['run_issue'],
    ],
    [
      'a late event of an earlier run',
      [first('wait', 'paused'), second('hello'), first('wait', 'paused', 'late').slice(2)],
      'unknown',
      ['run_issue'],
    ],
    [
      'a pause that comes after the next run began',
      [first('hello'), second('hello'), first('hello', 'paused').slice(1)],
      'unknown',
      ['run_not_paused', 'run_issue'],
    ],
    [
      'a repetition from an earlier run',
      [first('wait', 'paused'), second('hello'), first('wait')],
      'running',
      [],
    ],
    [
      'a missing run',
      [first('wait', 'paused'), third('succeeded', 'accept')],
      'unknown',
      ['run_gap_or_reorder'],
    ],
    [
      'a missing run that comes late',
      [first('wait', 'paused'), third('hello'), second('wait', 'paused')],
      'unknown',
      ['run_gap_or_reorder'],
    ],
    ['a log that begins with the second run', [second('hello')], 'unknown', ['run_not_paused']],
  ])('%s', (_, parts, status, issues) => {
    const task = fed(...parts)
    expect([task.status, task.issues]).toEqual([status, issues])
    expect([task.message(), task.message('zh')]).toHaveLength(2)
  })
})

test('the end of the input', () => {
  const open = fed(first('hello'))
  open.end()
  open.end()
  expect([open.status, open.current.closed]).toEqual(['unknown', true])
  const paused = fed(first('wait', 'paused'))
  paused.end()
  expect([paused.status, paused.message()]).toEqual([
    'waiting',
    'Waiting for approval; the task is not finished',
  ])
})

test('only runs of the task count', () => {
  const others = [
    'other/1',
    't',
    't/',
    't/0',
    't/01',
    't/x',
    't/1/2',
    't/-1',
    'T/1',
    't/1 ',
    `t/${'9'.repeat(16)}`,
  ]
  const task = fed(...others.map((name) => runOf(name, 'hello')))
  expect([task.foreign, task.runs.length, task.status]).toEqual([others.length, 1, 'running'])
})

test('a malformed event is the current run’s', () => {
  const task = fed(first('wait', 'paused'), second('hello'))
  task.feed({ run: 't/1' })
  expect(task.runs.map((run) => run.issues)).toEqual([[], ['bad_envelope']])
  expect([task.status, task.issues]).toEqual(['unknown', ['run_issue']])
})

test('a verdict is for the current run', () => {
  const task = fed(first('wait', 'paused'), second('succeeded'))
  const verdict = verdictFor(task.current, false)
  task.feed({ run: 't/2', id: 't/2:2', seq: 2, kind: 'app.checked', data: verdict })
  expect([task.status, task.current.verdict, task.current.run]).toEqual(['rejected', false, 't/2'])
})

const beat = (name: string): Envelope => ({ run: name, id: 'b', seq: 1, kind: 'beat', data: {} })

test('options are those of each run', () => {
  const task = createTask({ task: 't', ignoreKinds: ['beat'], window: 3 })
  task.feed(beat('t/1'))
  expect([task.current.issues, task.current.window?.events]).toEqual([[], 3])
  task.feed(beat('t/2'))
  expect([task.current.issues, task.current.window?.events]).toEqual([[], 3])
})

test.each([{ task: '' }, { task: 't', window: 0 }])('%o is a TypeError', (options) => {
  expect(() => createTask(options)).toThrow(TypeError)
})
