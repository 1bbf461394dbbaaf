import { describe, expect, it } from 'vitest'
import type { NormaliseRule } from '../../src/normalise/context.ts'
import { compileRules, problemOfRule } from '../../src/normalise/rule.ts'
import { createTokenTable } from '../../src/normalise/token.ts'

describe('problemOfRule', () => {
  it.each<[rule: NormaliseRule, problem: string | null]>([
    [{ path: 'a[*].b', token: 'x' }, null],
    [{ match: '\\d+', token: 'x:n' }, null],
    [{ path: '**', match: 'a', token: 'x' }, null],
    [{ token: 'x' }, 'a rule needs a path, a match or both'],
    [
      { path: 'a', token: '{{x}}' },
      'token "{{x}}" is not a name such as duration, or job:n to number values',
    ],
    [{ path: 'a[', token: 'x' }, 'path "a[" is not a path such as result.sessions[*].updatedAt'],
    [{ match: 'x*', token: 'x' }, 'match "x*" matches nothing at all, and so everywhere'],
  ])('%j', (rule, problem) => {
    expect(problemOfRule(rule)).toBe(problem)
  })

  it('passes on what the expression engine says', () => {
    expect(problemOfRule({ match: '(', token: 'x' })).toMatch(
      /^match "\(" is no regular expression: /,
    )
  })
})

describe('compileRules', () => {
  it('throws for a rule with a problem: that is the caller’s mistake', () => {
    expect(() => compileRules([{ token: 'x' }])).toThrow(TypeError)
  })

  it('leaves tokens alone', () => {
    const table = createTokenTable()
    const rules = compileRules([{ match: '\\w+', token: 'word:n' }])
    const once = rules.rewrite('{{cwd}}/a b a', [], table)
    expect(once).toBe('{{cwd}}/{{word:1}} {{word:2}} {{word:1}}')
    expect(rules.rewrite(once, [], createTokenTable())).toBe(once)
  })

  it('takes the first rule of a path', () => {
    const table = createTokenTable()
    const rules = compileRules([
      { path: 'a.*', token: 'first' },
      { path: 'a.b', token: 'second' },
    ])
    expect(rules.tokenAt(['a', 'b'], { any: 1 }, table)).toBe('{{first}}')
    expect(rules.tokenAt(['b'], 1, table)).toBeNull()
  })
})
