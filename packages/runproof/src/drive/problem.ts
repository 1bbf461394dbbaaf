/** What can go wrong while driving, each with a text of its own. */
import type { Failure } from '../run/failure.ts'
import type { Message } from '../transcript/line.ts'

/** A failure before it is known in which step it happened. */
export type Problem = Omit<Failure, 'step'>

/** A wait that ended well, or why it did not. */
export type Waited<T> = { value: T } | { problem: Problem }

const shownUnitsMax = 200

const shorten = (text: string): string =>
  text.length > shownUnitsMax ? `${text.slice(0, shownUnitsMax)}…` : text

export function describeBadLine(
  number: number,
  raw: string,
  problem: string,
  lineKind: string,
): Problem {
  return {
    code: 'stdout-not-json',
    message: `line ${number} of stdout is ${problem}; stdout carries ${lineKind} a line and nothing else`,
    details: [`line ${number}: ${shorten(raw)}`, 'logs and banners belong on stderr'],
    showsStderr: true,
  }
}

export function describeFlood(unitsMax: number): Problem {
  const mebi = Math.round(unitsMax / 1024 / 1024)
  return {
    code: 'stdout-flood',
    message: `the agent wrote more than ${mebi} Mi characters on stdout; the rest was not looked at`,
    details: [],
    showsStderr: true,
  }
}

export function describeEnd(
  exit: { code: number | null; signal: string | null } | null,
  what: string,
): Problem {
  const how =
    exit === null
      ? 'closed its stdout'
      : exit.signal === null
        ? `exited with code ${exit.code}`
        : `was ended by ${exit.signal}`
  return {
    code: 'agent-exited',
    message: `the agent ${how} while the script waited for ${what}`,
    details: [],
    showsStderr: true,
  }
}

export function describeTimeout(what: string, limitMs: number): Problem {
  return {
    code: 'step-timeout',
    message: `the agent hangs: ${Math.round(limitMs)} ms without ${what}`,
    details: ['more time: "limits" of the agent in runproof.yml'],
    showsStderr: true,
  }
}

export function describeTotal(totalMs: number): Problem {
  return {
    code: 'step-timeout',
    message: `the scenario is over its time of ${totalMs} ms before this step`,
    details: ['more time: "limits: {totalMs: …}" of the agent in runproof.yml'],
    showsStderr: true,
  }
}

export function describeError(method: string, error: Message): Problem {
  return {
    code: 'unexpected-error',
    message: `${method} was answered with an error, the script expects a result`,
    details: [`error: ${shorten(JSON.stringify(error))}`],
    showsStderr: true,
  }
}

export function describeResult(method: string, result: Message): Problem {
  return {
    code: 'expected-error',
    message: `${method} was answered with a result, the script expects an error`,
    details: [`result: ${shorten(JSON.stringify(result))}`],
  }
}

export function describeNothingToCancel(what: string): Problem {
  return {
    code: 'nothing-to-cancel',
    message: `the turn was over before there was ${what}, the moment to cancel it`,
    details: ['choose an earlier moment with "when", or script a longer turn'],
  }
}

export function describeNotOffered(wanted: string, offered: readonly string[]): Problem {
  return {
    code: 'permission-not-offered',
    message: `the next permission answer is ${wanted}, which the agent did not offer`,
    details: [`offered: ${offered.join(', ') || 'nothing'}`, 'the request was answered: cancelled'],
  }
}

export function describeUnusedAnswers(kinds: readonly string[]): Problem {
  return {
    code: 'permission-unused',
    message: `the agent asked for permission too rarely, answers are left: ${kinds.join(', ')}`,
    details: ['take them out of "permissionAnswers", or find out why it did not ask'],
  }
}

export function describeNoId(result: Message): Problem {
  return {
    code: 'unexpected-result',
    message: 'session/new was answered with a result that has no "sessionId"',
    details: [`result: ${shorten(JSON.stringify(result))}`],
  }
}

/** A step of another protocol: a mistake of the scenario. */
export function describeForeignStep(op: string, protocol: string, takes: string): Problem {
  return {
    code: 'bad-scenario',
    message: `the step "${op}" is not one of protocol ${protocol}`,
    details: [`it takes: ${takes}`],
  }
}

export function describeNoProviders(): Problem {
  return {
    code: 'bad-scenario',
    message: 'the agent cannot be told its provider: its capabilities have no "providers"',
    details: [
      'say where its provider is in "env" or "files" of the agent, and drop "provider.set" from runproof.yml',
    ],
  }
}

export function describeNoSession(op: string): Problem {
  return {
    code: 'bad-scenario',
    message: `the step "${op}" needs a session, and no step before it has opened one`,
    details: ['put {"op": "newSession"} before it'],
  }
}
