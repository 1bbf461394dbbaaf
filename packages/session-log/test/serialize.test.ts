import { describe, expect, it } from 'vitest'
import { deriveClosers, parseSessionLog, serializeSessionLog } from '@runproof/session-log'
import { ownLogs, realLogs, recordingsNote } from './logs.ts'

function writeBack(text: string): string {
  const { header, events, issue, torn } = parseSessionLog(text)
  expect({ issue, torn }).toEqual({ issue: null, torn: null })
  return header === null ? 'no header' : serializeSessionLog({ header, events })
}

it.each(ownLogs)('$name reads soundly and writes back byte for byte', ({ text }) => {
  expect(writeBack(text)).toBe(text)
})

describe.skipIf(realLogs.length === 0)(`logs of the DeepSeek Harness${recordingsNote}`, () => {
  it.each(realLogs)('$name reads soundly and writes back byte for byte', ({ text }) => {
    expect(writeBack(text)).toBe(text)
  })

  it.each(realLogs)('$name ends between turns', ({ text }) => {
    expect(deriveClosers(parseSessionLog(text).events)).toEqual([])
  })
})
