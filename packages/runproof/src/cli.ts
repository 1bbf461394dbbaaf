/**
 * The command line: what each command takes and says of itself. A command's
 * code is imported when it runs, so that `--help` starts fast.
 */
import { Command, CommanderError } from 'commander'
import { explainError } from './error.ts'
import { createOutput, type Output, type Terminal } from './terminal.ts'
import { visible } from './visible.ts'

const description = `Record an agent's run once, replay it for ever, and never let a screen say "done" without proof.`

const examples = {
  program: `
Exit codes: 0 all holds · 1 a difference or an unmet expectation · 2 bad usage or nothing readable · 3 the environment lacks something`,
  status: `
Examples:
  runproof status log.jsonl                 judge a log of envelopes, event by event
  runproof status log.jsonl --expect done   and exit 1 unless it may claim done
  runproof status cases.json all            replay every case of a cases file
  agent | runproof status - --json          judge a live stream, one JSON line an event`,
  check: `
Examples:
  runproof check transcript.jsonl           audit what crossed an agent's stdio
  runproof check session.jsonl              audit an agent's own log
  runproof check out/*.jsonl --json         one JSON line a violation, one more a file`,
  test: `
Examples:
  runproof test                             all scenarios
  runproof test my-agent/tool-bash          one; its name alone is enough where only one has it
  runproof test tool-bash --out out         one, with what it produced kept in out/tool-bash/
  runproof test ../other/snapshots --agent mine --reporter junit > report.xml`,
  sse: `
Examples:
  runproof sse stream.txt                   decode a captured response body
  curl -sN URL | runproof sse - --json      one JSON line an event, then how it ended
  runproof sse stream.txt --chunk 1         cut into single bytes: the events stay the same`,
  review: `
KEY is the key of a pending difference, a scenario, a cause, or all.
Examples:
  runproof review                           one at a time, on a terminal
  runproof review --list                    what is pending, gathered by cause
  runproof review --accept text-turn        write the goldens of one scenario
  runproof review --markdown                the same for a pull request
Session logs and recordings are replay source: only runproof record writes them.`,
  emulate: `
Examples:
  runproof emulate recording.jsonl --port 4010      an agent with base URL http://127.0.0.1:4010 needs no key
  runproof emulate session.jsonl --wire anthropic   an authored log, served as Anthropic would
  runproof emulate recording.jsonl --pace step      each line on stdin lets one event out (a number: so many)
Give the agent the address with the path its own base URL has (/v1, or none). Ends with Ctrl-C.`,
  tap: `
Examples:
  runproof tap -- gemini --acp              in the place of the agent's command in an editor
  runproof tap --out run.jsonl -- my-agent  and then: runproof check run.jsonl
The agent's exit code is the tap's.`,
  init: `
Examples:
  runproof init                             the agent that is found here
  runproof init --preset gemini-cli         this one, installed or not
Presets: claude-agent-acp, codex-acp, codex-acp-rust, copilot, deepseek-harness-acp, gemini-cli, kilo,
opencode, pi, qwen-code. What is there is never written over.`,
  doctor: `
Examples:
  runproof doctor                           all scenarios of runproof.yml
  runproof doctor scenarios/agent/one       one folder; works without runproof.yml too
A finding names file and line, says what is expected and what to do.`,
}

/** Runs one command. @returns the exit code; never throws for what a user can cause. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0
  const help = createOutput(terminal.stdout)
  const program = createProgram(terminal, help, (code) => (exitCode = code))
  try {
    await parse(program, argv)
    await help.flush()
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return 2
    const told = explainError(error)
    if (told === null) throw error
    terminal.stderr.write(`runproof: ${told.message}\n`)
    return told.exitCode
  }
}

/** Runs what the words ask for; help and version are no errors. */
async function parse(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
  }
}

function createProgram(
  terminal: Terminal,
  help: Output,
  setExitCode: (code: number) => void,
): Command {
  const program = new Command('runproof')
    .description(description)
    .addHelpText('after', examples.program)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => help.line(text.replace(/\n$/, '')),
      writeErr: (text) => void terminal.stderr.write(text),
      outputError: (text, write) => write(`runproof: ${visible(text.trim())}\n`),
    })
    .showHelpAfterError('(runproof --help lists the commands, runproof COMMAND --help its options)')

  program
    .command('status')
    .summary('what a screen may claim after each event of a log, and at its end')
    .description(
      'After each event, what a screen may claim; then the claim at the end of the input. Reads JSON lines, server-sent events with JSON data, or a JSON array of cases.',
    )
    .argument('<file>', 'a log or a cases file; - reads stdin')
    .argument('[case]', 'a case of a cases file, or all (default: "normal", else the first)')
    .option('--from <protocol>', 'the protocol of a log (default: seen from its first lines)')
    .option('--run <id>', 'judge this run only (default: each run of the log on its own)')
    .option('--lang <language>', 'language of the messages: en or zh', 'en')
    .option('--window <events>', 'remember this many events only: constant memory on endless logs')
    .option('--expect <status>', 'exit 1 unless the final claim is this one')
    .option('--json', 'one JSON line an event, one more at the end of each run or case')
    .addHelpText('after', examples.status)
    .action(async (file: string, wanted: string | undefined, options) => {
      const { runStatus } = await import('./status/command.ts')
      setExitCode(await runStatus(file, wanted, options, terminal))
    })

  program
    .command('check')
    .summary('audit transcripts and session logs against the rules')
    .description(
      'Audits transcripts and session logs against the rules that need no more than their file. A rule without its evidence is not evaluated: neither pass nor fail.',
    )
    .argument('<file...>', 'transcripts and session logs; - reads stdin')
    .option(
      '--from <protocol>',
      'acp, session or recording (default: seen from the first lines of each file)',
    )
    .option('--json', 'one JSON line a violation, one more at the end of each file')
    .addHelpText('after', examples.check)
    .action(async (files: string[], options) => {
      const { runCheck } = await import('./check/command.ts')
      setExitCode(await runCheck(files, options, terminal))
    })

  program
    .command('sse')
    .summary('decode server-sent events, byte for byte')
    .description('Decodes server-sent events and shows each one, then how the stream ended.')
    .argument('<file>', 'a captured response body; - reads stdin')
    .option(
      '--utf8 <mode>',
      'strict: stop at a bad byte; replace: read on as a browser does',
      'strict',
    )
    .option('--chunk <bytes>', 'feed the decoder pieces of this size')
    .option('--json', 'one JSON line an event, one more at the end')
    .addHelpText('after', examples.sse)
    .action(async (file: string, options) => {
      const { runSse } = await import('./sse/command.ts')
      setExitCode(await runSse(file, options, terminal))
    })

  program
    .command('test')
    .summary('replay scenarios without key and network, and compare all goldens')
    .description(
      'Replays scenarios and compares what the agent says, what it logs, what a screen would have claimed and what it left in the workspace. Never writes a golden.',
    )
    .argument('[scenario...]', 'folders, names or <agent>/<name> (default: all of runproof.yml)')
    .option('--agent <name>', 'only this agent; a folder that names no agent gets this one')
    .option('--filter <text>', 'only scenarios with this text in <agent>/<name>')
    .option('--shard <i/n>', 'the i-th of n parts')
    .option('--jobs <n>', 'how many run at once (default: as many as there are processors)')
    .option('--reporter <name>', 'pretty, junit or github', 'pretty')
    .option('--out <folder>', 'keep what each scenario produced: normalised outputs, stderr')
    .option('--json', 'one JSON line a scenario, one more at the end')
    .addHelpText('after', examples.test)
    .action(async (scenarios: string[], options) => {
      const { runTest } = await import('./run/command.ts')
      setExitCode(await runTest(scenarios, options, terminal, process.cwd()))
    })

  program
    .command('record')
    .summary('run scenarios against the real provider, write their logs and goldens')
    .description(
      "Runs scenarios with the agent's real provider and writes what it logged and said. A scenario whose model is scripted or authored needs no provider. Each is replayed once as a proof.",
    )
    .argument('[scenario...]', 'folders, names or <agent>/<name> (default: all of runproof.yml)')
    .option('--agent <name>', 'only this agent; a folder that names no agent gets this one')
    .option('--filter <text>', 'only scenarios with this text in <agent>/<name>')
    .option('--out <folder>', 'keep the transcript and stderr of each run here, without secrets')
    .option('--json', 'one JSON line a scenario')
    .action(async (scenarios: string[], options) => {
      const { runRecord } = await import('./record/command.ts')
      setExitCode(await runRecord(scenarios, options, terminal, process.cwd()))
    })

  program
    .command('review')
    .summary('go through the differences that runproof test left pending')
    .description('Shows pending differences one by one and accepts or rejects them.')
    .option('--list', 'what is pending, gathered by cause')
    .option('--show <key>', 'one difference, event by event and as text')
    .option('--accept <key>', 'write the golden; refused when CI is set')
    .option('--reject <key>', 'forget the difference; the golden stays')
    .option('--markdown', 'what is pending as Markdown')
    .option('--json', 'JSON lines, with any of the others')
    .addHelpText('after', examples.review)
    .action(async (options) => {
      const { runReview } = await import('./review/command.ts')
      setExitCode(await runReview(options, terminal, process.cwd()))
    })

  program
    .command('emulate')
    .summary('serve recordings as a provider on 127.0.0.1, without a key')
    .description(
      'Serves recordings and session logs as a provider on 127.0.0.1. A request gets the answer that was recorded for the same request, or an error; nothing is served because it is similar.',
    )
    .argument('<recording...>', 'recordings, and session logs with --wire')
    .option('--port <n>', 'the port (default: any that is free)')
    .option('--pace <pace>', 'instant, recorded, xN (N times as fast) or step', 'instant')
    .option('--wire <name>', 'what session logs are served as')
    .option('--cwd <folder>', 'working folder of the agent, where recordings name their own')
    .option('--repeat', 'serve an exchange again when all that are the same were served')
    .option('--auxiliary', 'give neutral answers to titles and the like that nobody recorded')
    .option('--json', 'one JSON line a request, one more at the end')
    .addHelpText('after', examples.emulate)
    .action(async (files: string[], options) => {
      const { runEmulate } = await import('./emulate/command.ts')
      const { untilStopped } = await import('./emulate/stop.ts')
      setExitCode(await runEmulate(files, options, terminal, untilStopped()))
    })

  program
    .command('tap')
    .summary('stand between an editor and an agent, and keep what crosses')
    .description(
      'Starts the agent, passes every byte on untouched, and writes what crossed as a transcript (for status and check), without secrets.',
    )
    .argument('<command...>', "the agent's command, behind --")
    .option(
      '--out <file>',
      'the transcript, replaced when it is there (default: transcript.jsonl, or with a number)',
    )
    .addHelpText('after', examples.tap)
    .action(async (command: string[], options) => {
      const { runTap } = await import('./tap/command.ts')
      setExitCode(await runTap(command, options, terminal, process.cwd(), raiseSignal))
    })

  program
    .command('init')
    .summary('find an agent and write runproof.yml and a first scenario')
    .description(
      'Finds an agent that Runproof knows (in the project, its cache, on the PATH), writes runproof.yml and a first scenario, and says what to do next. Runs and installs nothing.',
    )
    .option('--preset <name>', 'the agent, instead of looking for one')
    .option('--json', 'one JSON line a file, one more at the end')
    .addHelpText('after', examples.init)
    .action(async (options) => {
      const { runInit } = await import('./init/command.ts')
      setExitCode(await runInit(options, terminal, process.cwd()))
    })

  program
    .command('doctor')
    .summary('look over the scenario folders and the machine, without running an agent')
    .description(
      'Runs the guards over scenario folders (missing, left over, unreadable, secret, of one machine …) and checks what a run needs: Node.js, the programs of the agents.',
    )
    .argument('[scenario...]', 'folders or names (default: every scenario)')
    .option('--json', 'one JSON line a check and a finding, one more at the end')
    .addHelpText('after', examples.doctor)
    .action(async (scenarios: string[], options) => {
      const { runDoctor } = await import('./guard/command.ts')
      setExitCode(await runDoctor(scenarios, options, terminal, process.cwd()))
    })
  return program
}

/** Ends this process as another one was ended. */
function raiseSignal(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal)
}
