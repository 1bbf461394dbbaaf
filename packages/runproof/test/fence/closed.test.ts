/** Lines of `ss --events --no-header --numeric --tcp`. */
import { expect, it } from 'vitest'
import { parseClosed } from '../../src/fence/closed.ts'

it.each([
  [
    'UNCONN 0      1      198.51.100.9:44904 198.51.100.9:9418',
    { localPort: 44904, host: '198.51.100.9', port: 9418 },
  ],
  [
    'UNCONN 0      1             [::1]:57392 [2001:db8::1]:9419 ',
    { localPort: 57392, host: '2001:db8::1', port: 9419 },
  ],
  [
    'UNCONN 0      0      [::ffff:198.51.100.9]:443    [::ffff:198.51.100.9]:58378',
    { localPort: 443, host: '198.51.100.9', port: 58378 },
  ],
  [
    'UNCONN 0      1      [fe80::1]%lo:4000 [fe80::2]%lo:9418',
    { localPort: 4000, host: 'fe80::2', port: 9418 },
  ],
  ['UNCONN 0      0      0.0.0.0:3000      0.0.0.0:*', null],
  ['UNCONN 0      0      *:0      *:*', null],
  ['', null],
])('%s', (line, closed) => {
  expect(parseClosed(line)).toEqual(closed)
})
