/**
 * What is said on the command line of `runproof emulate`, checked.
 */
import type { RunContext } from '@runproof/replay'
import { isPace, type Pace } from '@runproof/replay/emulator'
import { wireNames, type WireName } from '@runproof/llm'
import { RunproofError } from '../error.ts'
import { visible } from '../visible.ts'

export type EmulateOptions = {
  port?: string
  pace?: string
  wire?: string
  cwd?: string
  repeat?: boolean
  auxiliary?: boolean
  json?: boolean
}

export type CheckedOptions = {
  port: number
  pace: Pace
  /** What session logs are served as. */
  wire: WireName | null
  context: RunContext
  repeat: boolean
  auxiliary: 'answer' | 'refuse'
  json: boolean
}

const portMax = 65_535

/** @throws RunproofError `usage` for what an option cannot be. */
export function readOptions(options: EmulateOptions): CheckedOptions {
  const { cwd, repeat = false, auxiliary = false, json = false } = options
  return {
    port: readPort(options.port ?? '0'),
    pace: readPace(options.pace ?? 'instant'),
    wire: options.wire === undefined ? null : readWire(options.wire),
    context: cwd === undefined ? {} : { cwd },
    repeat,
    auxiliary: auxiliary ? 'answer' : 'refuse',
    json,
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= portMax) return port
  throw usage(`--port takes a number from 0 to ${portMax}, not ${text}`)
}

function readPace(text: string): Pace {
  if (isPace(text)) return text
  throw usage(`--pace takes instant, recorded, step or xN such as x4, not ${text}`)
}

function readWire(text: string): WireName {
  const wire = wireNames.find((name) => name === text)
  if (wire !== undefined) return wire
  throw usage(`--wire takes ${wireNames.join(', ')}, not ${text}`)
}

function usage(message: string): RunproofError {
  return new RunproofError('usage', visible(message))
}
