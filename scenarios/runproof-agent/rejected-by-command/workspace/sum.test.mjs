import { sum } from './sum.mjs'
process.exit(sum(2, 2) === 4 ? 0 : 1)
