import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFolderReplacer, type Folders } from '../../src/normalise/folder.ts'

type Case = [text: string, result: string]

const suites: [system: string, folders: Folders, cases: Case[]][] = [
  [
    'Linux',
    { cwd: '/tmp/run-1/work', home: '/tmp/run-1/home' },
    [
      ['/tmp/run-1/work', '{{cwd}}'],
      ['/tmp/run-1/work/src/a.ts:3', '{{cwd}}/src/a.ts:3'],
      ['in /tmp/run-1/work. And /tmp/run-1/home/.config', 'in {{cwd}}. And {{home}}/.config'],
      ['"/tmp/run-1/work"', '"{{cwd}}"'],
      ['PATH=/usr/bin:/tmp/run-1/work/bin', 'PATH=/usr/bin:{{cwd}}/bin'],
      ['-I/tmp/run-1/work/include', '-I{{cwd}}/include'],
      ['file:///tmp/run-1/work/a', 'file://{{cwd}}/a'],
      ['{"command":"ls\\n/tmp/run-1/work"}', '{"command":"ls\\n{{cwd}}"}'],
      ['\\/tmp\\/run-1\\/work\\/a', '{{cwd}}\\/a'],
      ['%2Ftmp%2Frun-1%2Fwork%2Fa', '{{cwd}}%2Fa'],
      ['\u001b[32m/tmp/run-1/work\u001b[0m', '\u001b[32m{{cwd}}\u001b[0m'],
      ['/tmp/run-1/work/tmp/run-1/work', '{{cwd}}/tmp/run-1/work'],
      // Other folders, and names that only begin alike.
      ['/tmp/run-1', '/tmp/run-1'],
      ['/tmp/run-1/works', '/tmp/run-1/works'],
      ['/tmp/run-1/work-2', '/tmp/run-1/work-2'],
      ['/tmp/run-1/work.bak', '/tmp/run-1/work.bak'],
      ['/tmp/run-1/work~', '/tmp/run-1/work~'],
      ['/tmp/run-1/workén', '/tmp/run-1/workén'],
      ['/mnt/tmp/run-1/work', '/mnt/tmp/run-1/work'],
      ['https://host/tmp/run-1/work', 'https://host/tmp/run-1/work'],
      ['/TMP/run-1/work', '/TMP/run-1/work'],
    ],
  ],
  [
    'macOS',
    { cwd: ['/var/folders/2g/T/run-1', '/private/var/folders/2g/T/run-1'] },
    [
      ['/var/folders/2g/T/run-1/a', '{{cwd}}/a'],
      ['/private/var/folders/2g/T/run-1/a', '{{cwd}}/a'],
      ['file:///private/var/folders/2g/T/run-1/a', 'file://{{cwd}}/a'],
      ['/volumes/private/var/folders/2g/T/run-1', '/volumes/private/var/folders/2g/T/run-1'],
    ],
  ],
  [
    'macOS, given by its real path only',
    { cwd: '/private/tmp/run-1' },
    [['/tmp/run-1/a', '{{cwd}}/a']],
  ],
  [
    'Windows',
    { cwd: 'C:\\Users\\Ann Lee\\AppData\\Local\\Temp\\run-1', home: 'C:\\Users\\Ann Lee' },
    [
      ['C:\\Users\\Ann Lee\\AppData\\Local\\Temp\\run-1', '{{cwd}}'],
      ['C:\\Users\\Ann Lee\\AppData\\Local\\Temp\\run-1\\src\\a.ts', '{{cwd}}/src/a.ts'],
      ['c:\\users\\ann lee\\appdata\\local\\temp\\RUN-1\\a', '{{cwd}}/a'],
      ['C:/Users/Ann Lee/AppData/Local/Temp/run-1/src/a.ts', '{{cwd}}/src/a.ts'],
      ['C:\\Users\\Ann Lee\\AppData\\Local\\Temp\\run-1/src/a.ts', '{{cwd}}/src/a.ts'],
      ['\\\\?\\C:\\Users\\Ann Lee\\AppData\\Local\\Temp\\run-1\\a', '{{cwd}}/a'],
      ['//?/C:/Users/Ann Lee/AppData/Local/Temp/run-1/a', '{{cwd}}/a'],
      ['file:///C:/Users/Ann%20Lee/AppData/Local/Temp/run-1/a', 'file://{{cwd}}/a'],
      ['file:///c%3A/Users/Ann%20Lee/AppData/Local/Temp/run-1/a', 'file://{{cwd}}/a'],
      ['/c/Users/Ann Lee/AppData/Local/Temp/run-1/a', '{{cwd}}/a'],
      ['/mnt/c/Users/Ann Lee/AppData/Local/Temp/run-1/a', '{{cwd}}/a'],
      ['/cygdrive/c/Users/Ann Lee/AppData/Local/Temp/run-1', '{{cwd}}'],
      [
        '{"path":"C:\\\\Users\\\\Ann Lee\\\\AppData\\\\Local\\\\Temp\\\\run-1\\\\a.txt\\nnext"}',
        '{"path":"{{cwd}}/a.txt\\nnext"}',
      ],
      [
        '{\\"path\\":\\"C:\\\\\\\\Users\\\\\\\\Ann Lee\\\\\\\\x\\"}',
        '{\\"path\\":\\"{{home}}/x\\"}',
      ],
      ['cd C:\\Users\\Ann Lee\\AppData\\Local\\Temp\\run-1 && dir', 'cd {{cwd}} && dir'],
      ['C:\\Users\\Ann Lee\\.config', '{{home}}/.config'],
      ['D:\\Users\\Ann Lee\\x', 'D:\\Users\\Ann Lee\\x'],
      ['C:\\Users\\Ann Leeds', 'C:\\Users\\Ann Leeds'],
      ['\\d+ stays', '\\d+ stays'],
    ],
  ],
  [
    'a share',
    { cwd: '\\\\server\\share\\run' },
    [
      ['\\\\server\\share\\run\\a', '{{cwd}}/a'],
      ['\\\\?\\UNC\\server\\share\\run\\a', '{{cwd}}/a'],
      ['//server/share/run/a', '{{cwd}}/a'],
    ],
  ],
  [
    'names with special characters',
    { cwd: '/tmp/a+b (é)"x' },
    [
      ['/tmp/a+b (é)"x/y', '{{cwd}}/y'],
      ['/tmp/a+b (é)\\"x/y', '{{cwd}}/y'],
      ['/tmp/a+b (\\u00e9)\\"x/y', '{{cwd}}/y'],
      ['/tmp/a%2Bb%20(%C3%A9)%22x/y', '{{cwd}}/y'],
      ['/tmp/a%2bb%20(%c3%a9)%22x/y', '{{cwd}}/y'],
    ],
  ],
  [
    'what is no folder',
    { root: '/', drive: 'C:\\', relative: 'src', token: '{{cwd}}', empty: '' },
    [['/ C:\\ src {{cwd}}', '/ C:\\ src {{cwd}}']],
  ],
]

describe.each(suites)('folders on %s', (_, folders, cases) => {
  const { replace } = createFolderReplacer(folders)
  it.each(cases)('%s', (text, result) => {
    expect(replace(text)).toBe(result)
    expect(replace(result)).toBe(result)
  })
})

describe('a whole path', () => {
  it('has slashes wherever the run was', () => {
    const windows = createFolderReplacer({ cwd: 'C:\\run' })
    expect(windows.replacePath('C:\\run\\my files\\a.ts')).toBe('{{cwd}}/my files/a.ts')
    expect(windows.replacePath('src\\a.ts')).toBe('src/a.ts')
    const linux = createFolderReplacer({ cwd: '/run/x' })
    expect(linux.replacePath('/run/x/odd\\name')).toBe('{{cwd}}/odd\\name')
  })
})

describe('replacing folders', () => {
  const pieces = [
    '/tmp/run-1/work',
    '/tmp/run-1',
    'C:\\Users\\me\\run',
    'c:/users/me',
    '/private',
    '/mnt',
    '\\',
    '/',
    '\\n',
    '%2F',
    ' ',
    '"',
    'a',
    '.',
    '{{cwd}}',
    '}}',
    '-',
    '\u001b[1m',
    'file://',
  ]

  it('is idempotent', () => {
    const { replace } = createFolderReplacer({
      cwd: ['/tmp/run-1/work', 'C:\\Users\\me\\run'],
      home: ['/tmp/run-1', 'C:\\Users\\me'],
    })
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces)), (parts) => {
        const once = replace(parts.join(''))
        expect(replace(once)).toBe(once)
      }),
      { numRuns: 2000 },
    )
  })

  it('leaves a text without a folder alone', () => {
    const { replace } = createFolderReplacer({ cwd: '/tmp/run-1/work', home: 'C:\\Users\\me' })
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!/work|users/i.test(text))
        expect(replace(text)).toBe(text)
      }),
    )
  })
})
