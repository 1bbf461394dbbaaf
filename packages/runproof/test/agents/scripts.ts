/**
 * Scenarios for agents whose prompts may not be passed on, so that none are in
 * this repository: an answer, a tool round, a permission, a cancel, each with a
 * scripted model, recorded in a folder that is removed again. What a tool is
 * called is each agent's own affair.
 */

type Call = [name: string, args: Record<string, unknown>]

export type AgentTools = {
  /** Reads `notes.txt`. */
  read: Call
  /** Runs a command that writes `list.txt`. */
  shell: Call
}

const command = 'printf "oars\\nrope\\n" > list.txt'
const described = { command, description: 'Writes the list' }

export const tools: Readonly<Record<string, AgentTools>> = {
  'claude-agent-acp': {
    read: ['Read', { file_path: '{{cwd}}/notes.txt' }],
    shell: ['Bash', described],
  },
  copilot: {
    read: ['view', { path: '{{cwd}}/notes.txt' }],
    shell: ['bash', described],
  },
}

/** Agents that offer `providers/set`, with nothing else that says where their provider is. */
export const toldOverTheProtocol: Readonly<Record<string, object>> = {
  'claude-agent-acp': {
    env: { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' },
    provider: { set: { id: 'main', apiType: 'anthropic', headers: { 'x-api-key': '{key}' } } },
  },
  'codex-acp': {
    files: { '.codex/config.toml': 'sandbox_mode = "danger-full-access"\n' },
    provider: { set: { id: 'openai', apiType: 'openai', baseUrl: '{provider}/v1' } },
  },
}

type Chunk = Record<string, unknown>
const usage: Chunk = { type: 'usage', usage: { inputTokens: 12, outputTokens: 6 } }

function block(index: number, text: string): Chunk[] {
  return [
    { type: 'block-start', index, blockType: 'text' },
    { type: 'text-delta', index, text },
    { type: 'block-end', index, block: { type: 'text', text } },
  ]
}

const say = (text: string): object => ({
  kind: 'chunks',
  chunks: [...block(0, text), usage, { type: 'finish', reason: { kind: 'stop' } }],
})

function call(lead: string, [name, args]: Call): object {
  const id = 'call_1'
  const text = JSON.stringify(args)
  return {
    kind: 'chunks',
    chunks: [
      ...block(0, lead),
      { type: 'block-start', index: 1, blockType: 'tool-call' },
      { type: 'tool-call-delta', index: 1, id, name, argumentsDelta: text },
      { type: 'block-end', index: 1, block: { type: 'tool-call', id, name, arguments: text } },
      usage,
      { type: 'finish', reason: { kind: 'tool-calls' } },
    ],
  }
}

const input = (step: object, more: object = {}): object => ({
  version: 1,
  overridden: true,
  recorded: false,
  expect: { status: 'done' },
  ...more,
  steps: [{ op: 'initialize' }, { op: 'newSession' }, step],
})
const prompt = (text: string, accept: object): object => ({
  op: 'prompt',
  text,
  accept: [accept],
})

/** One prompt, one answer: all that an agent without any tool needs. */
export function scriptText(): Record<string, unknown> {
  return {
    'input.json': input(prompt('What is a recording?', { matches: 'once' })),
    'replay.override.json': [say('What has to be said only once.')],
  }
}

/** Its scenarios by name, each with its files by path. */
export function scriptScenarios({
  read,
  shell,
}: AgentTools): Record<string, Record<string, unknown>> {
  const notes = 'The boat is green.\n'
  const when = { waitFor: { update: 'agent_message_chunk' } }
  return {
    text: scriptText(),
    tool: {
      'input.json': input(
        prompt('What colour is the boat in notes.txt?', { equals: 'The boat is green.' }),
      ),
      'replay.override.json': [call('I will look.', read), say('The boat is green.')],
      'workspace/notes.txt': notes,
    },
    permission: {
      'input.json': input(prompt('Write a list with oars and rope.', { workspace: true }), {
        permissionAnswers: [{ kind: 'allow_once' }],
      }),
      'replay.override.json': [call('I will write it.', shell), say('It is written.')],
      'workspace/notes.txt': notes,
      'workspace.expected/notes.txt': notes,
      'workspace.expected/list.txt': 'oars\nrope\n',
    },
    cancel: {
      'input.json': input(
        { op: 'promptAndCancel', text: 'Count very slowly.', when },
        { expect: { status: 'cancelled' } },
      ),
      'replay.override.json': [
        { kind: 'hang', chunks: [usage, ...block(0, 'One. Two. Three.').slice(0, -1)] },
      ],
    },
  }
}
