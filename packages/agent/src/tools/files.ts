/**
 * The tools `read`, `write` and `edit`. Text in, text out; paths may be
 * relative to the workspace. Results name the absolute path, cards the path
 * as the model wrote it.
 */
import { isAbsolute, join } from 'node:path'
import { array, boolean, number, object, string } from 'zod'
import type { FolderEntry } from '../backend.ts'
import { isCode, messageOf } from '../error.ts'
import { createHunk, type Hunk } from './hunk.ts'
import {
  defineTool,
  showText,
  type ResultCard,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './tool.ts'

/** Lines of one read, and characters of one line, that the model gets at most. */
const linesMax = 2000
const lineCharsMax = 2000
/** Characters of one read. */
const readCharsMax = 200_000

const filePath = string()
  .min(1)
  .describe('Path of the file, absolute or relative to the workspace.')

const diffs = array(object({ path: string(), oldText: string().nullable(), newText: string() }))
type Diff = { path: string; oldText: string | null; newText: string }

export const read: Tool = defineTool({
  name: 'read',
  description: `Reads a text file with line numbers, or lists a folder. At most ${linesMax} lines a call.`,
  arguments: object({
    file_path: filePath,
    offset: number().int().positive().optional().describe('First line to read, counted from 1.'),
    limit: number().int().positive().optional().describe('How many lines to read.'),
  }),
  open: ({ file_path: path, offset = 1, limit = linesMax }) => ({
    card: { title: `Read ${path}`, kind: 'read', locations: [{ path, line: offset }] },
    accesses: [{ kind: 'read', path }],
    run: (context) =>
      attempt(async () => {
        const target = resolvePath(path, context)
        const entries = await context.backend.readFolder(target)
        const [type, body] =
          entries === null
            ? ['file', numberLines(await context.backend.readText(target), offset, limit)]
            : ['folder', listFolder(entries)]
        return success(
          `<path>${target}</path>\n<type>${type}</type>\n<content>\n${body}\n</content>`,
        )
      }),
  }),
})

export const write: Tool = defineTool({
  name: 'write',
  description: 'Writes a whole text file, replacing it when it exists and making its folder.',
  arguments: object({
    file_path: filePath,
    content: string().describe('The whole new content.'),
  }),
  open: ({ file_path: path, content }) => ({
    card: {
      title: `Write ${path}`,
      kind: 'edit',
      locations: [{ path }],
      content: [{ type: 'diff', path, newText: content }],
    },
    accesses: [{ kind: 'write', path }],
    run: (context) =>
      attempt(async () => {
        const target = resolvePath(path, context)
        const old = await readIfThere(target, context)
        await context.backend.writeText(target, content)
        const diff = old === null ? { oldText: null, newText: content } : createHunk(old, content)
        const verb = old === null ? 'created' : 'replaced'
        return success(`The file ${target} has been ${verb} successfully.`, { path, ...diff })
      }),
    showResult: showDiffs(`Write ${path}`),
  }),
})

export const edit: Tool = defineTool({
  name: 'edit',
  description:
    'Replaces literal text in a file. The old text must occur exactly once, unless replace_all is true.',
  arguments: object({
    file_path: filePath,
    old_string: string().min(1).describe('The literal text to replace, with its white space.'),
    new_string: string().describe('The text to put in its place.'),
    replace_all: boolean().optional().describe('Replaces every occurrence.'),
  }),
  open: ({ file_path: path, old_string: oldString, new_string: newString, replace_all: all }) => ({
    card: {
      title: `Edit ${path}`,
      kind: 'edit',
      locations: [{ path }],
      content: [{ type: 'diff', path, oldText: oldString, newText: newString }],
    },
    accesses: [
      { kind: 'read', path },
      { kind: 'write', path },
    ],
    run: (context) =>
      attempt(async () => {
        const target = resolvePath(path, context)
        const text = await context.backend.readText(target)
        const parts = text.split(oldString)
        const problem = describeMismatch(parts.length - 1, oldString, newString, all === true)
        if (problem !== null) return failure(`${problem} (${target})`)
        const changed = parts.join(newString)
        await context.backend.writeText(target, changed)
        return success(`The file ${target} has been updated successfully.`, {
          path,
          ...createHunk(text, changed),
        })
      }),
    showResult: showDiffs(`Edit ${path}`),
  }),
})

function describeMismatch(
  count: number,
  oldString: string,
  newString: string,
  all: boolean,
): string | null {
  if (oldString === newString) return 'old_string and new_string are the same.'
  if (count === 0) return 'old_string does not occur in the file. Read it again first.'
  if (count > 1 && !all) {
    return `old_string occurs ${count} times. Make it longer until it is unique, or set replace_all.`
  }
  return null
}

function numberLines(text: string, offset: number, limit: number): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  let last = offset - 1
  let numbered = ''
  const end = Math.min(lines.length, last + Math.min(limit, linesMax))
  while (last < end && numbered.length < readCharsMax) {
    numbered += `${last + 1}: ${shorten(lines[last] ?? '')}\n`
    last++
  }
  return last >= lines.length
    ? `${numbered}\n(End of file - total ${lines.length} lines)`
    : `${numbered}\n(Lines ${offset} to ${last} of ${lines.length}; read on with offset ${last + 1})`
}

function shorten(line: string): string {
  return line.length <= lineCharsMax
    ? line
    : `${line.slice(0, lineCharsMax)}… (${line.length} characters)`
}

function listFolder(entries: readonly FolderEntry[]): string {
  const shown = entries
    .slice(0, linesMax)
    .map(({ name, isFolder }) => (isFolder ? `${name}/` : name))
  const rest = entries.length - shown.length
  return [...shown, `\n(${entries.length} entries${rest > 0 ? `, ${rest} not shown` : ''})`].join(
    '\n',
  )
}

async function readIfThere(path: string, { backend }: ToolContext): Promise<string | null> {
  try {
    return await backend.readText(path)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

function resolvePath(path: string, { cwd }: ToolContext): string {
  return isAbsolute(path) ? path : join(cwd, path)
}

/** What the operating system refuses is a result for the model, not a failure of the turn. */
async function attempt(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work()
  } catch (error) {
    return failure(messageOf(error))
  }
}

function success(text: string, diff?: Diff | ({ path: string } & Hunk)): ToolResult {
  return { text, isError: false, ...(diff !== undefined && { meta: { diffs: [diff] } }) }
}

function failure(text: string): ToolResult {
  return { text, isError: true }
}

/** The diffs that the log holds, or the text when there is none. */
function showDiffs(title: string): (result: ToolResult) => ResultCard {
  return (result) => {
    const found = diffs.safeParse(result.meta?.['diffs'])
    if (!found.success) return showText(result)
    return { content: found.data.map((diff) => ({ type: 'diff', ...diff })), title }
  }
}
