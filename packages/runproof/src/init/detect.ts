/** Which agents that Runproof knows are on this machine. */
import { findProgram, type FoundProgram, type Program } from '../presets/program.ts'
import { listPresets, readPreset, type Preset } from '../presets/preset.ts'

export type Detected = { preset: Preset; program: Program; found: FoundProgram }

/** Where a program was found, the nearest to the project first. */
const nearness: readonly FoundProgram['where'][] = ['project', 'cache', 'path']

/** Every preset whose program is there, the nearest first, then by name. */
export async function detectAgents(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Detected[]> {
  const detected = await Promise.all(
    listPresets().map(async (name) => {
      const preset = readPreset(name)
      const program = preset?.agent.program
      if (preset === null || program === undefined) return []
      const found = await findProgram(program, folder, env)
      return found === null ? [] : [{ preset, program, found }]
    }),
  )
  return detected
    .flat()
    .toSorted(
      (one, other) => nearness.indexOf(one.found.where) - nearness.indexOf(other.found.where),
    )
}

/** Those that nothing else is nearer than. */
export function nearestOf(detected: readonly Detected[]): Detected[] {
  const [first] = detected
  return detected.filter(({ found }) => found.where === first?.found.where)
}
