/**
 * The command line and the environment of the bin, as data: which composition
 * to start, with which patches, in which mode.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { PatchOptions } from './compose.ts'
import type { Environment } from './environment.ts'
import { AgentError, messageOf } from './error.ts'
import { modes, type Mode } from './host.ts'
import { logLevels, type LogLevel } from './start.ts'

export const help = `runproof-agent: a small coding agent that speaks the Agent Client Protocol (ACP).

Usage: runproof-agent [options]

An editor or a harness starts it and talks JSON-RPC over stdin and stdout, one
message a line; the log goes to stderr. It ends when stdin ends.

Options:
  --config FILE      composition to start instead of the built-in one
  --provider NAME    deepseek (default), openai-chat, openai-responses, anthropic, gemini
  --model NAME       model of that provider
  --log-level LEVEL  error, info, warn (default) or debug
  --version          print the version
  --help             print this text

Keys come from the environment or from .env in the working folder:
  DEEPSEEK_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY
and another endpoint from <PROVIDER>_BASE_URL, for example DEEPSEEK_BASE_URL;
one in .env counts only with the key beside it.

Set by a harness:
  RUNPROOF_MODE            record: persist a run against the real provider
                           replay: answer from a session log, no key, no network
  RUNPROOF_SESSION_FILE    the session log to replay
  RUNPROOF_OVERRIDE_FILE   scripted model behaviour in its place
  RUNPROOF_SESSIONS_ROOT   where sessions are persisted (default ~/.runproof/sessions)
  RUNPROOF_REPORT          where replay writes what was served and what was left
`

export type Options =
  | { command: 'help' }
  | { command: 'version' }
  | { command: 'start'; mode: Mode; file: string; patches: PatchOptions[]; logLevel: LogLevel }

/** @throws AgentError `bad-usage` */
export function readOptions(argv: string[], env: Environment): Options {
  const values = parse(argv)
  if (values.help === true) return { command: 'help' }
  if (values.version === true) return { command: 'version' }
  const mode = readMode(env['RUNPROOF_MODE'])
  const logLevel = logLevels.find((level) => level === (values['log-level'] ?? 'warn'))
  if (logLevel === undefined) {
    throw usage(`--log-level is one of ${logLevels.join(', ')}, not "${values['log-level']}"`)
  }
  return {
    command: 'start',
    mode,
    file: values.config ?? builtInFile(mode),
    patches: choosePatches(values),
    logLevel,
  }
}

type Values = ReturnType<typeof parse>

/** The type is derived from the table, which is the point of the table. */
function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        config: { type: 'string' },
        provider: { type: 'string' },
        model: { type: 'string' },
        'log-level': { type: 'string' },
        version: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw usage(messageOf(error))
  }
}

function readMode(value: string | undefined): Mode {
  const mode = modes.find((known) => known === (value || 'live'))
  if (mode === undefined) {
    throw usage(`RUNPROOF_MODE is record or replay, or not set; it is "${value}"`)
  }
  return mode
}

function builtInFile(mode: Mode): string {
  const name = mode === 'replay' ? '../cordis.snapshot.yml' : '../cordis.yml'
  return fileURLToPath(new URL(name, import.meta.url))
}

/** The flags are patches of the composition, so that there is one way to configure. */
function choosePatches({ provider, model }: Values): PatchOptions[] {
  if (provider === undefined && model === undefined) return []
  if (model === undefined) throw usage(`--provider ${provider} needs a --model`)
  const wire = provider ?? 'deepseek'
  return [
    { id: 'llm', config: { provider: wire, model } },
    ...(provider === undefined ? [] : [{ id: 'provider', config: { wire } }]),
  ]
}

function usage(problem: string): AgentError {
  return new AgentError('bad-usage', `${problem}. Try: runproof-agent --help`)
}
