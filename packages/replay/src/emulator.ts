/** `@runproof/replay/emulator`: a provider that answers from recordings. */
export { createEmulator } from './emulator/emulator.ts'
export type {
  EmulatedRequest,
  Emulator,
  EmulatorOptions,
  UnusedExchange,
} from './emulator/emulator.ts'
export type { Outcome } from './emulator/decide.ts'
export type { ExchangeRef, Fault } from './emulator/fault.ts'
export type { EmulatorRecording } from './emulator/load.ts'
export type { EmulatorMiss, EmulatorMissCode } from './emulator/miss.ts'
export { isPace } from './emulator/pace.ts'
export type { Pace } from './emulator/pace.ts'
