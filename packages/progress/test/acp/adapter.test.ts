/** What the ACP adapter claims of whole transcripts: shipped ones, reported ones, real ones. */
import { createAdapter } from '@runproof/progress/acp'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  claimsOf,
  envelopesOf,
  fixture,
  hasShared,
  linesOf,
  shared,
  sharedSuite,
  storyOf,
} from './judge.ts'

const judge = (path: string): string[] =>
  claimsOf(envelopesOf(createAdapter({ run: 'prompt' }), linesOf(path), {}))

const authored: Record<string, string[]> = {
  'agent-side': ['checking "Seen."', 'incomplete'],
  approval: ['checking "Washed."'],
  'cancel-while-asking': ['cancelled'],
  'failed-prompt': ['failed'],
  load: ['checking "New answer."'],
  'r1-agent-exited': ['unknown'],
  'r1-client-left': ['waiting'],
  'r1-never-answered': ['unknown'],
  'r1-second-answer': ['unknown "Yes."'],
  'r12-methods': ['checking "Seen."'],
  'r13-egress': ['checking "There are three cups."', 'checking "None."'],
  'r2-banner': ['checking "Seen."'],
  'r2-late-update': ['unknown'],
  'r3-orphan-update': ['unknown "Seen."'],
  'r4-background': ['unknown'],
  'r4-open-call': ['unknown'],
  'r4-refused': ['unknown'],
  'r5-not-pending': ['checking "Washed."'],
  'r5-refused-completed': ['checking "I left them whole."'],
  'r5-refused': ['checking "I left it."'],
  'r5-unannounced': ['checking "Washed."'],
  'r5-went-on': ['checking "Washed."'],
  'r6-cancel-ignored': ['unknown'],
  'r6-nobody-cancelled': ['cancelled'],
  'r7-noise': ['checking "Seen."'],
  'r8-early-update': ['checking "Hi."'],
  rejection: ['checking "I left them whole."'],
  'two-prompts': ['checking "There are three cups."', 'checking "None."'],
  'two-sessions': ['checking "first answer"', 'incomplete'],
}

const negative: Record<string, string[]> = {
  cut: ['unknown'],
  hostile: ['unknown'],
  misshapen: ['unknown'],
  'not-messages': [],
  'not-utf8': ['unknown "yes"'],
}

describe.each([
  ['acp/authored', authored],
  ['acp/negative', negative],
])('fixtures/%s', (folder, expected) => {
  it('has an expectation for each file', () => {
    const files = readdirSync(fixture(folder)).map((name) => name.replace('.jsonl', ''))
    expect(Object.keys(expected).toSorted()).toEqual(files.toSorted())
  })

  it.each(Object.entries(expected))('%s', (name, claims) => {
    expect(judge(fixture(`${folder}/${name}.jsonl`))).toEqual(claims)
  })
})

it('tells an approval as two runs, the second beginning with the open calls', () => {
  const lines = linesOf(fixture('acp/authored/approval.jsonl'))
  expect(storyOf(envelopesOf(createAdapter({ run: 'prompt' }), lines, {}))).toEqual([
    '[prompt-1/1]',
    'text.delta',
    'tool.requested c1',
    'tool.requested c2',
    'approval.wait',
    'run.ended paused',
    '[prompt-1/2]',
    'tool.requested c1',
    'tool.requested c2',
    'tool.started c1',
    'tool.failed c2',
    'tool.finished c1',
    'text.delta Washed.',
    'run.ended succeeded',
  ])
})

// What each public report asks for; `checking` is never a claim that all is done.
const reported: Record<string, string[]> = {
  '01-background-work-after-end_turn': ['unknown "WAITING"'],
  '02-response-before-updates': ['checking "Created the file."'],
  '04-version-banner-out-of-turn': ['unknown "answer"'],
  '05-cancel-reported-as-end_turn': ['unknown'],
  '07-permission-without-tool_call': ['checking "done"'],
  '09-tool-started-never-completed': ['unknown'],
  '10-update-before-session-new-response': [],
  '11-prompt-never-answered': ['unknown'],
  '12-stdout-pollution': [],
  '13-duplicate-user-message': ['checking "hello"'],
  '16-background-task-completed-at-launch': ['unknown'],
  '17-failed-turn-as-success': ['checking ""'],
}

describe.skipIf(!hasShared)(sharedSuite('transcripts of public reports and of real agents'), () => {
  it.each(Object.entries(reported))('%s', (name, claims) => {
    expect(judge(shared(`conformance/acp-cases/${name}.jsonl`))).toEqual(claims)
  })

  it.each(hasShared ? readdirSync(shared('conformance/acp-observed')) : [])('%s', (name) => {
    expect(judge(shared(`conformance/acp-observed/${name}`))).toEqual([
      'checking "The tool printed hello-from-tool."',
    ])
  })
})
