/**
 * JUnit XML, as CI systems read it: a suite an agent, a case a scenario, a
 * failure with its text.
 */
import type { ScenarioResult } from '../run/scenario.ts'
import { renderFailures } from './failure-text.ts'
import type { Reporter } from './reporter.ts'

// What XML 1.0 cannot carry at all, escaped or not.
const unrepresentable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu // oxlint-disable-line no-control-regex -- control characters are its subject

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
}

export function createJunitReporter(write: (line: string) => void, from: string): Reporter {
  return {
    async finish({ results, durationMs }) {
      const suites = Map.groupBy(results, ({ agent }) => agent ?? 'unknown')
      write('<?xml version="1.0" encoding="UTF-8"?>')
      write(`<testsuites${counts(results)}${attributes({ time: seconds(durationMs) })}>`)
      for (const [agent, members] of suites) {
        write(`  <testsuite${attributes({ name: agent })}${counts(members)}>`)
        for (const member of members) for (const line of testCase(member, from)) write(line)
        write('  </testsuite>')
      }
      write('</testsuites>')
    },
  }
}

function testCase(result: ScenarioResult, from: string): string[] {
  const { scenario, agent, passed, durationMs, failures } = result
  const head = attributes({
    name: scenario,
    classname: agent ?? 'unknown',
    time: seconds(durationMs),
  })
  if (passed) return [`    <testcase${head}/>`]
  const [first] = failures
  const cause = attributes({ type: first?.code ?? 'failed', message: first?.message ?? '' })
  const text = escape(renderFailures(result, { colours: false, from }), /[&<>]/g)
  return [`    <testcase${head}>`, `      <failure${cause}>${text}</failure>`, '    </testcase>']
}

const counts = (results: readonly ScenarioResult[]): string =>
  attributes({
    tests: String(results.length),
    failures: String(results.filter(({ passed }) => !passed).length),
  })

const seconds = (durationMs: number): string => (durationMs / 1000).toFixed(3)

const attributes = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escape(value, /[&<>"'\n]/g)}"`)
    .join('')

const escape = (text: string, characters: RegExp): string =>
  text
    .replaceAll(unrepresentable, '\ufffd')
    .replaceAll(characters, (character) => entities[character] ?? character)
