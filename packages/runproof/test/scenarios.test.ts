/** Our own scenarios, as any project would run them: one test each, through `runproof/vitest`. */
import { join } from 'node:path'
import { defineScenarios } from '../src/vitest.ts'

await defineScenarios({ folder: join(import.meta.dirname, '..', '..', '..'), concurrent: true })
