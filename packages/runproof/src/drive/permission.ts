/**
 * Answers to an agent's requests for permission: the scenario's queue, first
 * in first out, each naming the kind of option to choose. An empty queue
 * answers `cancelled`, and so does a kind that was not offered, which is a
 * problem too.
 */
import type { PermissionAnswer } from '../scenario/input.ts'
import { isRecord, type Message } from '../transcript/line.ts'
import { describeNotOffered, describeUnusedAnswers, type Problem } from './problem.ts'

export type Permissions = {
  /** The result for a request with these params; takes the next answer. */
  answer(params: unknown): Message
  /** Answers whose kind was not offered, since the last call. */
  takeProblem(): Problem | null
  /** What nobody has taken yet: a kind that was not offered outside of a turn, and answers that are left. */
  close(needsAll: boolean): Problem[]
}

export const cancelledResult: Message = { outcome: { outcome: 'cancelled' } }

export function createPermissions(answers: readonly PermissionAnswer[]): Permissions {
  const queue = answers.map(({ kind }) => kind)
  let problem: Problem | null = null
  return {
    answer(params) {
      const kind = queue.shift()
      if (kind === undefined) return cancelledResult
      const options = optionsOf(params)
      const chosen = options.find((option) => option['kind'] === kind)
      if (chosen !== undefined) {
        return { outcome: { outcome: 'selected', optionId: chosen['optionId'] } }
      }
      problem ??= describeNotOffered(
        kind,
        options.map((option) => String(option['kind'])),
      )
      return cancelledResult
    },
    takeProblem() {
      const taken = problem
      problem = null
      return taken
    },
    close: (needsAll) => [
      ...(problem === null ? [] : [problem]),
      ...(needsAll && queue.length > 0 ? [describeUnusedAnswers(queue)] : []),
    ],
  }
}

function optionsOf(params: unknown): Message[] {
  const options = isRecord(params) ? params['options'] : undefined
  return Array.isArray(options) ? options.filter(isRecord) : []
}
