/** Whole logs as cases: the status and message after each event, at the end, and further facts. */
import { createProgress, createTask, messages, reduceProgress, statuses } from '@runproof/progress'
import { describe, expect, test } from 'vitest'
import { noShared, ownCases, readOwn, readShared, seedCases } from './cases.ts'
import type { Case } from './cases.ts'

function replay({ run, events }: Case) {
  const progress = createProgress({ run })
  const steps = events.map((event) => {
    progress.feed(event)
    return { status: progress.status, zh: progress.message('zh'), en: progress.message('en') }
  })
  progress.end()
  return { progress, steps }
}

function judge(one: Case, zh: Readonly<Record<string, string>>): void {
  const { progress, steps } = replay(one)
  expect(steps).toEqual(
    one.expected_steps.map((status) => ({
      status,
      zh: zh[status],
      en: Object.entries(messages.en).find(([key]) => key === status)?.[1],
    })),
  )
  expect(progress.status).toBe(one.expected_final)
  expect(progress.message('zh')).toBe(zh[one.expected_final])
  const { text, tools, issues, duplicates, foreign } = progress
  expect({ text, tools, issues, duplicates, foreign }).toMatchObject(one.assertions)
}

describe('own cases', () => {
  test.each(ownCases)('$name', (one) => judge(one, messages.zh))

  test('show every status and have distinct names and notes', () => {
    const shown = ownCases.flatMap((one) => [...one.expected_steps, one.expected_final])
    expect(new Set(shown)).toEqual(new Set(statuses))
    expect(new Set(ownCases.map((one) => one.name)).size).toBe(ownCases.length)
    expect(ownCases.every((one) => one.note.length > 20)).toBe(true)
  })
})

describe.skipIf(noShared !== '')(`the cases of the seed${noShared}`, () => {
  test('there are 30', () => {
    expect(seedCases).toHaveLength(30)
  })

  test.each(seedCases)('$name', (one) => {
    judge(one, JSON.parse(readShared('progress-messages.zh.json')))
  })

  test('the Chinese messages are the seed’s', () => {
    expect(messages.zh).toEqual(JSON.parse(readShared('progress-messages.zh.json')))
  })
})

describe('the log of two runs', () => {
  const events = readOwn('approval-two-runs.jsonl')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

  test('read as two runs: one waits, one is done, each sees the other as foreign', () => {
    const first = reduceProgress(events, { run: 'receipts/1' })
    const second = reduceProgress(events, { run: 'receipts/2' })
    expect([first.status, first.foreign, first.duplicates]).toEqual(['waiting', 9, 0])
    expect([second.status, second.foreign, second.duplicates]).toEqual(['done', 9, 1])
  })

  test('read as one task: done', () => {
    const task = createTask({ task: 'receipts' })
    for (const event of events) task.feed(event)
    task.end()
    expect([task.status, task.issues, task.runs.length]).toEqual(['done', [], 2])
  })
})
