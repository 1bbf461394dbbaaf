/** The cases format, and where its files are: our own, and the seed's beside the checkout. */
import { existsSync, readFileSync } from 'node:fs'

export type Case = {
  name: string
  note: string
  run: string
  events: unknown[]
  expected_steps: string[]
  expected_final: string
  assertions: Record<string, unknown>
}

const ownFolder = new URL('../../../fixtures/progress/', import.meta.url)
const sharedFolder = new URL('../../../../shared/conformance/', import.meta.url)

/** Appended to the name of a test that needs the seed's files and cannot have them. */
export const noShared: string = existsSync(sharedFolder)
  ? ''
  : ' (skipped: no ../shared beside the checkout)'

export const readOwn = (file: string): string => readFileSync(new URL(file, ownFolder), 'utf8')

export const readShared = (file: string): string =>
  readFileSync(new URL(file, sharedFolder), 'utf8')

export const ownCases: Case[] = JSON.parse(readOwn('cases.json'))

export const seedCases: Case[] =
  noShared === '' ? JSON.parse(readShared('progress-cases.json')) : []
