/**
 * The ACP driver: what each step of a script says to an agent that speaks the
 * Agent Client Protocol, version 1, and what it waits for.
 */
import { housekeepingUpdates } from '@runproof/progress/acp'
import type { PermissionAnswer } from '../scenario/input.ts'
import type { CancelMoment, Step } from '../scenario/step.ts'
import { isRecord, type Message } from '../transcript/line.ts'
import { createAcpClient, type AcpClient, type Request } from './acp-client.ts'
import {
  findMessage,
  outcomeOf,
  passed,
  updateOf,
  waitFor,
  type Driver,
  type DriverOptions,
  type StepOutcome,
} from './driver.ts'
import { createPermissions } from './permission.ts'
import {
  describeForeignStep,
  describeNoId,
  describeNoProviders,
  describeNoSession,
  describeNothingToCancel,
  type Problem,
  type Waited,
} from './problem.ts'

export type AcpDriverOptions = DriverOptions & {
  permissionAnswers: readonly PermissionAnswer[]
  /** Whether answers that nobody asked for are a problem. */
  needsAllAnswers: boolean
  /** Silence that ends a turn after its response, in milliseconds. */
  quietMs: number
  /** Parameters of `providers/set`, said after each `initialize`; null: it is not said. */
  providerSet: Message | null
  /** Ends the process and talks to a new one with the same folders. */
  restart: () => Promise<void>
}

const takes =
  'initialize, newSession, newSessionExpectError, prompt, promptExpectError, promptAndCancel, cancel, setConfigOption, setConfigOptionExpectError, setMode, setModeExpectError, loadSession, waitFor'

export function createAcpDriver(options: AcpDriverOptions): Driver {
  const { channel, cwd, limitMs } = options
  const permissions = createPermissions(options.permissionAnswers)
  const client = createAcpClient(channel, permissions, limitMs)
  let sessionId: string | null = null
  let initializeParams: Message = {}

  const call = (method: string, params: Message, expects?: 'result' | 'error') =>
    client.answer(client.request(method, params), expects)

  const initialize = async (): Promise<Waited<Message>> => {
    const waited = await call('initialize', initializeParams)
    const { providerSet } = options
    if ('problem' in waited || providerSet === null) return waited
    const { agentCapabilities } = waited.value
    if (!isRecord(agentCapabilities) || !isRecord(agentCapabilities['providers'])) {
      return { problem: describeNoProviders() }
    }
    return call('providers/set', providerSet)
  }
  const openSession = async (
    extraFolders?: readonly string[],
    expects?: 'error',
  ): Promise<StepOutcome> => {
    const additional = extraFolders === undefined ? {} : { additionalDirectories: extraFolders }
    const waited = await call('session/new', { cwd, mcpServers: [], ...additional }, expects)
    if ('problem' in waited || expects !== undefined) return outcomeOf(waited)
    const id = waited.value['sessionId']
    if (typeof id !== 'string') return outcomeOf({ problem: describeNoId(waited.value) })
    sessionId = id
    return passed
  }
  const loadSession = async (restarts: boolean): Promise<StepOutcome> => {
    if (restarts) {
      await options.restart()
      const waited = await initialize()
      if ('problem' in waited) return outcomeOf(waited)
    }
    return outcomeOf(await call('session/load', { sessionId, cwd, mcpServers: [] }))
  }
  const prompt = (text: string): Request =>
    client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  const endTurn = async (turn: Request, expects?: 'error'): Promise<StepOutcome> => {
    const waited = await client.answer(turn, expects)
    if ('problem' in waited) return outcomeOf(waited)
    const quiet = await channel.quiet(options.quietMs, limitMs())
    const problem = 'problem' in quiet ? quiet.problem : permissions.takeProblem()
    return { problem, turnEnded: true }
  }
  const promptAndCancel = async (text: string, when: CancelMoment): Promise<StepOutcome> => {
    if (when === 'permission') client.holdPermissions()
    const turn = prompt(text)
    const waited = await waitForMoment(when, turn, client, options)
    if ('problem' in waited) return outcomeOf(waited)
    client.notify('session/cancel', { sessionId })
    client.cancelPermissions()
    return endTurn(turn)
  }

  const run = (step: Step): Promise<StepOutcome> | StepOutcome => {
    switch (step.op) {
      case 'initialize':
        initializeParams = createInitializeParams(step.terminalOutput === true)
        return initialize().then(outcomeOf)
      case 'newSession':
        return openSession()
      case 'newSessionExpectError':
        return openSession(step.additionalDirectories, 'error')
      case 'prompt':
        return endTurn(prompt(step.text))
      case 'promptExpectError':
        return endTurn(prompt(step.text), 'error')
      case 'promptAndCancel':
        return promptAndCancel(step.text, step.when)
      case 'cancel':
        client.notify('session/cancel', { sessionId })
        return outcomeOf({ value: null })
      case 'setConfigOption':
      case 'setConfigOptionExpectError': {
        const { configId, value } = step
        const expects = step.op === 'setConfigOption' ? 'result' : 'error'
        const params = { sessionId, configId, value }
        return call('session/set_config_option', params, expects).then(outcomeOf)
      }
      case 'setMode':
      case 'setModeExpectError': {
        const expects = step.op === 'setMode' ? 'result' : 'error'
        return call('session/set_mode', { sessionId, modeId: step.modeId }, expects).then(outcomeOf)
      }
      case 'loadSession':
        return loadSession(step.restart)
      case 'waitFor':
        return waitFor(step, client.since, options).then(outcomeOf)
      default:
        return outcomeOf({ problem: describeForeignStep(step.op, 'acp', takes) })
    }
  }
  return {
    async runStep(step) {
      if (sessionId === null && needsSession.has(step.op)) {
        return outcomeOf({ problem: describeNoSession(step.op) })
      }
      return run(step)
    },
    close: () => permissions.close(options.needsAllAnswers),
  }
}

const needsSession: ReadonlySet<string> = new Set<Step['op']>([
  'prompt',
  'promptExpectError',
  'promptAndCancel',
  'cancel',
  'setConfigOption',
  'setConfigOptionExpectError',
  'setMode',
  'setModeExpectError',
  'loadSession',
])

function createInitializeParams(terminalOutput: boolean): Message {
  return {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      ...(terminalOutput && { _meta: { terminal_output: true } }),
    },
    clientInfo: { name: 'runproof', version: '1' },
  }
}

/** Waits for the moment at which the turn is to be cancelled; a turn that is over has none. */
async function waitForMoment(
  when: CancelMoment,
  turn: Request,
  client: AcpClient,
  options: AcpDriverOptions,
): Promise<Waited<true>> {
  if (when === 'sent') return { value: true }
  const giveUp = (what: string) => (): Problem | undefined =>
    client.isAnswered(turn) ? describeNothingToCancel(what) : undefined
  if (typeof when === 'object') {
    return waitFor(when.waitFor, turn.at, options, giveUp('what the script waits for'))
  }
  const { channel, limitMs } = options
  const what = when === 'update' ? 'an update of the turn' : 'a request for permission'
  const check =
    when === 'update'
      ? findMessage(channel, turn.at, (message) => (isTurnUpdate(message) ? true : undefined))
      : () => (client.heldCount > 0 ? true : undefined)
  return channel.until({ what, limitMs: limitMs(), check, giveUp: giveUp(what) })
}

/** Housekeeping may come at any time; it is no sign that the turn is under way. */
function isTurnUpdate(message: Message): boolean {
  const kind = updateOf(message)?.['sessionUpdate']
  return typeof kind === 'string' && !housekeepingUpdates.includes(kind)
}
