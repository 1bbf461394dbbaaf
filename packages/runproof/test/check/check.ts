/** Runs `runproof check --json` over files and sorts what it says. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { jsonLines, runproof } from '../command-line.ts'

export const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../../../fixtures/${path}`, import.meta.url))

const sharedRoot = fileURLToPath(new URL('../../../../../shared', import.meta.url))
export const hasShared: boolean = existsSync(sharedRoot)
export const shared = (path: string): string => `${sharedRoot}/${path}`
export const sharedSuite = (name: string): string =>
  hasShared ? name : `${name} (skipped: no folder ../shared beside the checkout)`

export type Violation = {
  rule: string
  severity: string
  file: string
  line: number
  event: string
  message: string
}

type Report = {
  end: true
  file: string
  from: string
  lines: number
  errors: number
  warnings: number
  rules: Record<string, string>
  reasons: Record<string, string>
}

export type Checked = {
  exitCode: number
  violations: Violation[]
  reports: Report[]
  stderr: string
}

const isViolation = (line: unknown): line is Violation =>
  typeof line === 'object' && line !== null && 'rule' in line
const isReport = (line: unknown): line is Report =>
  typeof line === 'object' && line !== null && 'end' in line

export async function check(
  args: readonly string[],
  options: { stdin?: string | Uint8Array } = {},
): Promise<Checked> {
  const { exitCode, stdout, stderr } = await runproof(['check', ...args, '--json'], options)
  const lines = stdout === '' ? [] : jsonLines(stdout)
  return {
    exitCode,
    violations: lines.filter(isViolation),
    reports: lines.filter(isReport),
    stderr,
  }
}

/** Violations as `R2 7 tool_call`, warnings with a question mark: `R4? 9 response 2`. */
export const briefly = (violations: readonly Violation[]): string[] =>
  violations.map(
    ({ rule, severity, line, event }) =>
      `${rule}${severity === 'warning' ? '?' : ''} ${line} ${event}`,
  )

/** The rules with this verdict, in order. */
export const rulesWith = ({ reports }: Checked, verdict: string): string =>
  reports
    .flatMap(({ rules }) => Object.entries(rules))
    .filter(([, found]) => found === verdict)
    .map(([rule]) => rule)
    .join(' ')
