import { describe, expect, it } from 'vitest'
import { walkPending, type Decision } from '../../src/review/walk.ts'
import { createScene } from './scene.ts'

/** Answers in turn; notes what it was asked and told. */
function createScript(decisions: Decision[]) {
  const asked: string[] = []
  const told: string[] = []
  return {
    asked,
    told,
    decide: ({ members }: { members: { key: string }[] }, position: number, count: number) => {
      asked.push(`${position}/${count} ${members.map(({ key }) => key.split('.')[0]).join(' ')}`)
      return Promise.resolve(decisions[asked.length - 1] ?? 'quit')
    },
    tell: ({ key }: { key: string }, outcome: { accepted: boolean } | 'rejected') => {
      const state = outcome === 'rejected' ? outcome : outcome.accepted ? 'accepted' : 'refused'
      told.push(`${state} ${key.split('.')[0]}`)
    },
  }
}

async function walk(decisions: Decision[]) {
  const { store } = await createScene()
  const { pending } = await store.list()
  const script = createScript(decisions)
  const tally = await walkPending(pending, store, script)
  const left = (await store.list()).pending.map(({ key }) => key.split('.')[0])
  return { ...script, tally, left }
}

describe('walkPending', () => {
  it.each<[decisions: Decision[], asked: string[], told: string[], left: string[]]>([
    [
      ['accept', 'reject', 'skip'],
      ['1/3 one/stdout two/stdout', '2/3 three/progress', '3/3 three/session'],
      ['accepted one/stdout', 'accepted two/stdout', 'rejected three/progress'],
      ['three/session'],
    ],
    [
      ['each', 'skip', 'accept', 'quit'],
      ['1/3 one/stdout two/stdout', '2/5 one/stdout', '3/5 two/stdout', '4/5 three/progress'],
      ['accepted two/stdout'],
      ['one/stdout', 'three/progress', 'three/session'],
    ],
    [
      ['skip', 'accept-all'],
      ['1/3 one/stdout two/stdout', '2/3 three/progress'],
      ['accepted three/progress', 'refused three/session'],
      ['one/stdout', 'three/session', 'two/stdout'],
    ],
    [
      ['quit'],
      ['1/3 one/stdout two/stdout'],
      [],
      ['one/stdout', 'three/progress', 'three/session', 'two/stdout'],
    ],
    [
      ['reject', 'reject', 'reject'],
      ['1/3 one/stdout two/stdout', '2/3 three/progress', '3/3 three/session'],
      [
        'rejected one/stdout',
        'rejected two/stdout',
        'rejected three/progress',
        'rejected three/session',
      ],
      [],
    ],
  ])('%j', async (decisions, asked, told, left) => {
    const result = await walk(decisions)
    expect(result).toMatchObject({ asked, told, left })
    expect(result.tally.left).toBe(left.length)
    expect(result.tally.accepted + result.tally.rejected + result.tally.left).toBe(4)
  })
})
