/**
 * The published JSON Schemas are those of the readers, and every file that this
 * repository ships fits. After a change of a reader: run this file with
 * `RUNPROOF_WRITE_SCHEMAS=1`, then `npm run fix`.
 */
import { Ajv } from 'ajv'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { load } from 'js-yaml'
import { z } from 'zod'
import { configSchema } from '../src/config/config.ts'
import { inputSchema } from '../src/scenario/input.ts'
import { ownScenarios, repository } from './own.ts'

const schemas: [string, string, z.ZodType, () => unknown[]][] = [
  [
    'scenario',
    'input.json of a scenario, version 1',
    inputSchema,
    () =>
      globSync('*/input.json', { cwd: ownScenarios }).map((file): unknown =>
        JSON.parse(readFileSync(join(ownScenarios, file), 'utf8')),
      ),
  ],
  [
    'runproof-yml',
    'runproof.yml, version 1',
    configSchema,
    () => [load(readFileSync(join(repository, 'runproof.yml'), 'utf8'))],
  ],
]

describe.each(schemas)('%s.schema.json', (name, title, reader, examples) => {
  const path = join(repository, 'docs', 'formats', `${name}.schema.json`)
  const published = (): object => {
    const value: object = JSON.parse(readFileSync(path, 'utf8'))
    return value
  }

  it('is what the reader reads', () => {
    const { $schema, ...schema } = z.toJSONSchema(reader, { io: 'input', target: 'draft-7' })
    const expected = { $schema, $id: `${name}.schema.json`, title, ...schema }
    if (process.env['RUNPROOF_WRITE_SCHEMAS'] === '1') {
      writeFileSync(path, `${JSON.stringify(expected, null, 2)}\n`)
    }
    // Through text, as it is published: no undefined, no functions.
    expect(published()).toEqual(JSON.parse(JSON.stringify(expected)))
  })

  it('fits what this repository ships, and nothing with an unknown key', () => {
    const validate = new Ajv({ strict: false }).compile(published())
    const shipped = examples()
    expect(shipped.length).toBeGreaterThan(0)
    for (const example of shipped) {
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true)
      expect(validate({ ...Object(example), unknown: 1 })).toBe(false)
    }
  })
})
