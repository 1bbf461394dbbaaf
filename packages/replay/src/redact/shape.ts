/**
 * Shapes of keys that are secrets wherever they stand: what providers document
 * for secret scanners, a little looser than the rules of secretlint, which know
 * more providers but want exact lengths. A false match costs a placeholder in a
 * text, a miss costs a key.
 *
 * Every expression is linear: no part can match a long run in two ways.
 */
import type { Span } from './span.ts'

type Shape = {
  rule: string
  /** Global. With two groups the first one stays and the second is the secret. */
  expression: RegExp
  /** A part of every match that is fast to look for. */
  hint: string
  accepts?: (secret: string) => boolean
}

const shapes: readonly Shape[] = [
  {
    rule: 'sk-key',
    hint: 'sk-',
    expression:
      /sk-(?:ant|proj|svcacct|admin)-[\w-]{16,}|\bsk-(?:(?:or|lf|None)-[\w-]{16,}|[A-Za-z0-9]{20,})/g,
  },
  { rule: 'google-key', hint: 'AIza', expression: /\bAIza[\w-]{30,}/g },
  { rule: 'google-token', hint: 'ya29.', expression: /\bya29\.[\w-]{20,}/g },
  { rule: 'groq-key', hint: 'gsk_', expression: /\bgsk_[A-Za-z0-9]{20,}/g },
  { rule: 'xai-key', hint: 'xai-', expression: /\bxai-[A-Za-z0-9]{20,}/g },
  { rule: 'github-token', hint: 'gh', expression: /\bgh[pousr]_[A-Za-z0-9]{30,}/g },
  { rule: 'github-token', hint: 'github_pat_', expression: /github_pat_\w{50,}/g },
  { rule: 'gitlab-token', hint: 'glpat-', expression: /glpat-[\w-]{20,}/g },
  { rule: 'hugging-face-token', hint: 'hf_', expression: /\bhf_[A-Za-z0-9]{30,}/g },
  { rule: 'npm-token', hint: 'npm_', expression: /\bnpm_[A-Za-z0-9]{36,}/g },
  { rule: 'slack-token', hint: 'xox', expression: /\bxox[abeprs]-[\w-]{20,}/g },
  { rule: 'stripe-key', hint: 'k_', expression: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,}/g },
  { rule: 'aws-key-id', hint: 'A', expression: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  {
    rule: 'json-web-token',
    hint: 'eyJ',
    expression: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g,
  },
  { rule: 'bearer-token', hint: 'earer ', expression: /(\b[Bb]earer )([\w.~+/-]{16,}=*)/g },
  {
    rule: 'basic-credentials',
    hint: 'asic ',
    expression: /(\b[Bb]asic )([A-Za-z0-9+/]{12,}={0,2})/g,
    accepts: (secret) =>
      /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(secret, 'base64').toString('latin1')),
  },
  {
    rule: 'private-key',
    hint: 'PRIVATE KEY',
    expression:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\\A-Za-z0-9+/=:,-]{16,}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$|(?=[^\s\\A-Za-z0-9+/=:,-]))/g,
  },
  {
    rule: 'password-in-url',
    hint: '://',
    expression: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'{}]{0,256}:)([^\s/:@"'{}]{3,256})(?=@)/g,
  },
  {
    rule: 'assignment',
    hint: '=',
    expression:
      /(\b[A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?) {0,2}= {0,2}["'\\]{0,2})([\w+/.~!@#%^&*:-]{12,}=*)/g,
    accepts: looksDrawn,
  },
]

/** Spans of all shapes, in the order of the table; they may overlap. */
export function findShapes(text: string): Span[] {
  const spans: Span[] = []
  for (const { rule, hint, expression, accepts } of shapes) {
    if (!text.includes(hint)) continue
    for (const match of text.matchAll(expression)) {
      const [whole, before = '', secret = whole] = match
      if (accepts?.(secret) === false) continue
      const start = match.index + before.length
      spans.push({ start, end: start + secret.length, rule, value: secret })
    }
  }
  return spans
}

/** A drawn secret has letters and digits of many kinds; a name in a program or a hint has not. */
export function looksDrawn(secret: string): boolean {
  return /\d/.test(secret) && /[A-Za-z]/.test(secret) && new Set(secret).size >= 8
}
