/**
 * Placeholders in the words of a command, the values of variables and the texts
 * of files. Each has a value where a run has one; other braces stay.
 */
import process from 'node:process'

export type Places = {
  /** Folder of `runproof.yml`. */
  root: string
  /** The run's working folder. */
  cwd: string
  /** Its home. */
  home: string
  /** Seam `provider`: base URL of what stands for the provider, without a slash at its end. */
  provider?: string
  /** Seam `provider`: the key, or what stands for one. */
  key?: string
}

/** Fills in every placeholder of the text; `{node}` is the Node.js that runs the harness. */
export function fillPlaceholders(text: string, places: Places): string {
  const values: Readonly<Record<string, string | undefined>> = { node: process.execPath, ...places }
  return text.replace(/\{(node|root|cwd|home|provider|key)\}/g, (whole, name: string) => {
    return values[name] ?? whole
  })
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
