/**
 * Placeholders in the words of a command and the values of variables: `{node}`
 * the Node.js that runs the harness, `{root}` the folder of `runproof.yml`,
 * `{cwd}` the run's working folder, `{home}` its home. Other braces stay.
 */
import process from 'node:process'

export type Places = { root: string; cwd: string; home: string }

/** Fills in every placeholder of the text. */
export function fillPlaceholders(text: string, { root, cwd, home }: Places): string {
  const values: Record<string, string> = { node: process.execPath, root, cwd, home }
  return text.replace(/\{(node|root|cwd|home)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** The same for every value of a record. */
export function fillRecord(
  record: Readonly<Record<string, string>>,
  places: Places,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, fillPlaceholders(value, places)]),
  )
}
