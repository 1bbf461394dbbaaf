/**
 * A program for `crash.test.ts`: opens one log again and again, each time
 * appending one event, while others do the same, until it was let in ROUNDS
 * times.
 *
 *     node racing-writer.ts FILE ROUNDS
 */
import { SessionLogError } from '@runproof/session-log'
import { openSessionLog } from '@runproof/session-log/node'
import { header } from './header.ts'

const [file = '', rounds = ''] = process.argv.slice(2)
let entered = 0

while (entered < Number(rounds)) {
  try {
    const log = await openSessionLog({ file, header, clock: { now: () => 1 } })
    try {
      await log.append([{ type: 'test/round', data: { pid: process.pid, round: entered } }])
      entered++
    } finally {
      await log.close()
    }
  } catch (reason) {
    const isExpected =
      SessionLogError.is(reason) && (reason.code === 'locked' || reason.code === 'exists')
    if (!isExpected) throw reason
  }
}
