/** The tool `bash`: one shell command in the workspace. */
import { object, string, number } from 'zod'
import type { ShellResult } from '../shell.ts'
import { defineTool, textContent, type Tool, type ToolResult } from './tool.ts'

export const bash: Tool = defineTool({
  name: 'bash',
  description:
    'Runs one shell command in the workspace folder and returns its output. Every call is a fresh shell: the folder and variables of an earlier call are gone, and processes left in the background are ended.',
  arguments: object({
    command: string().min(1).describe('The command line to run.'),
    description: string().optional().describe('What the command does, in five to ten words.'),
    timeout_ms: number().int().positive().optional().describe('Ends the command after this time.'),
  }),
  open: ({ command, description, timeout_ms: timeoutMs }) => ({
    card: {
      title: command,
      kind: 'execute',
      rawInput: command,
      ...(description !== undefined && { content: [textContent(description)] }),
    },
    accesses: [{ kind: 'execute' }],
    async run({ cwd, signal, backend }) {
      const result = await backend.runCommand({
        command,
        cwd,
        signal,
        ...(timeoutMs !== undefined && { timeoutMs }),
      })
      return describeResult(result)
    },
    showResult: ({ text }) => ({ content: [textContent(fence(text))] }),
  }),
})

function describeResult({ output, exitCode, ended }: ShellResult): ToolResult {
  if (ended === 'exit' && exitCode === 0) {
    return { text: output === '' ? '(no output)' : output, isError: false }
  }
  const lines = output === '' || output.endsWith('\n') ? output : `${output}\n`
  return {
    text: `${lines}[${ended === 'exit' ? `exit code ${exitCode}` : ends[ended]}]`,
    isError: true,
  }
}

const ends: Record<Exclude<ShellResult['ended'], 'exit'>, string> = {
  signal: 'ended by a signal',
  timeout: 'stopped: it took too long',
  aborted: 'stopped: the turn was cancelled',
  unavailable: 'not started',
}

/** A console block whose fence is longer than any run of backticks inside. */
function fence(text: string): string {
  const runs = text.match(/`+/g) ?? []
  const ticks = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
  return `${ticks}console\n${text.replace(/\n$/, '')}\n${ticks}`
}
