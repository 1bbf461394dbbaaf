/** The programmatic face of the command line. */
export { main } from './cli.ts'
export { RunproofError, type RunproofErrorCode } from './error.ts'
export type { Terminal } from './terminal.ts'
