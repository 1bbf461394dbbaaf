/**
 * Text → recording of version 1 (docs/formats/recording.md). Bad input is data:
 * every defect is an issue with its line, and nothing throws.
 *
 * Lenient where nothing can be misunderstood: members that are not known are
 * ignored, blank lines too, and the lines of exchanges may be interleaved.
 * Strict elsewhere: an exchange with a defect is left out.
 */
import type { WireName } from '@runproof/llm'
import { isNestedDeeper, nestingMax } from '../body.ts'
import { isObject } from '../object.ts'
import { createGathering, readLine, type Defect, type RecordingIssue } from './gather.ts'
import { readHeader } from './line.ts'
import type { Exchange, Recording } from './recording.ts'

export type ParsedRecording = {
  /** Null when line 1 is no header; else what the sound exchanges are. */
  recording: Recording | null
  issues: RecordingIssue[]
}

/** Reads a recording line by line, for those that do not wait for its end. */
export type RecordingReader = {
  /**
   * Takes the value of the next line that is not blank; `undefined` for one that is no JSON.
   * @param line its number, from 1.
   */
  push(line: number, value: unknown): ReadLine
  /** Of the header; null before it was read. */
  readonly wire: WireName | null
  /** What was read, with the issues of `push` and those that only the end shows. Call it once. */
  end(): ParsedRecording
}

/** What a line was: an issue, or part of an exchange (as far as that has come), or neither. */
export type ReadLine = { issue: RecordingIssue | null; exchange: Exchange | null }

export function createRecordingReader(): RecordingReader {
  const issues: RecordingIssue[] = []
  let recording: Recording | null = null
  let isRefused = false
  const state = createGathering()
  const read = (line: number, value: unknown): Defect | null => {
    if (!isObject(value)) return notAnObject
    if (isNestedDeeper(value, lineNestingMax)) return nestedTooDeeply
    if (recording !== null) return readLine(line, value, state)
    const header = readHeader(value)
    if ('code' in header) return header
    recording = header
    return null
  }
  return {
    push(line, value) {
      // Without a header nothing can be known of what follows.
      if (isRefused) return { issue: null, exchange: null }
      const defect = read(line, value)
      if (defect === null) {
        const open = isObject(value) ? state.exchanges.get(value.n) : undefined
        return { issue: null, exchange: open?.exchange ?? null }
      }
      isRefused = recording === null
      const issue = { line, ...defect }
      issues.push(issue)
      return { issue, exchange: null }
    },
    get wire() {
      return recording?.wire ?? null
    },
    end() {
      if (recording === null) {
        if (!isRefused) {
          issues.push({ line: 1, code: 'bad-header', message: 'is missing: the text is empty' })
        }
        return { recording, issues }
      }
      const all = [...state.exchanges.values()]
      for (const { line, isEnded, exchange } of all) {
        if (isEnded) continue
        issues.push({ line, code: 'unfinished', message: `exchange ${exchange.n} has no end` })
      }
      const sound = all.filter(({ isSound, isEnded }) => isSound && isEnded)
      const exchanges = sound.map(({ exchange }) => exchange)
      return { recording: { ...recording, exchanges }, issues }
    },
  }
}

export function parseRecording(text: string): ParsedRecording {
  const reader = createRecordingReader()
  if (text.startsWith('\uFEFF')) {
    const message = 'begins with a byte order mark; save the file as UTF-8 without one'
    return { recording: null, issues: [{ line: 1, code: 'bad-header', message }] }
  }
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() !== '') reader.push(index + 1, parseLine(source))
  }
  return reader.end()
}

function parseLine(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

/** A body lies in its line. */
const lineNestingMax = nestingMax + 1

const nestedTooDeeply: Defect = {
  code: 'bad-line',
  message: `has more than ${lineNestingMax} values inside each other`,
}

const notAnObject: Defect = { code: 'bad-line', message: 'is no JSON object' }
