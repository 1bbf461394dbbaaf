// A plugin whose configuration has a schema.
import { strictObject, number } from 'zod'
export const name = 'strict'
export const Config = strictObject({ size: number() })
export function apply() {}
