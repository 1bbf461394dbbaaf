/** The tool `todo_write`: replaces the visible plan of the session. */
import { array, object, string, enum as oneOf } from 'zod'
import { defineTool, type Tool } from './tool.ts'

const statuses = ['pending', 'in_progress', 'completed'] as const

export const todoWrite: Tool = defineTool({
  name: 'todo_write',
  description:
    'Replaces the todo list that the user sees. Send the whole list every time; keep one item in progress.',
  arguments: object({
    todos: array(
      object({
        content: string().min(1).describe('What is to be done.'),
        status: oneOf(statuses),
      }),
    ),
  }),
  open: ({ todos }) => ({
    card: { title: 'Update todo list', kind: 'other', rawInput: todos },
    accesses: [],
    async run({ record }) {
      record('todo/write', { todos })
      const [pending, inProgress, completed] = statuses.map(
        (status) => todos.filter((todo) => todo.status === status).length,
      )
      return {
        text: `Updated todo list: ${pending} pending, ${inProgress} in progress, ${completed} completed.`,
        isError: false,
      }
    },
  }),
})
