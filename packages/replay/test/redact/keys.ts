/**
 * Keys that look real and are none. They are put together here, so that no
 * file of the repository holds one.
 */

const letters = 'aZ3kQ9mX7bT1wR5vN8cH2jD6pL4gF0sYeUiOxMqKzBtWnVhCjGyPdSrLfA'

/** A drawn-looking text of this length, the same for the same seed. */
export function drawn(length: number, seed = 1): string {
  let state = seed * 2654435761
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return letters[state % letters.length] ?? 'x'
  }).join('')
}

const digits = (length: number): string =>
  Array.from({ length }, (_, index) => (index * 7 + 3) % 10).join('')

/** Keys of known shapes by what they open. */
export const shapedKeys: Readonly<Record<string, string>> = {
  'an Anthropic key': `sk-ant-api03-${drawn(93)}AA`,
  'an OpenAI project key': `sk-proj-${drawn(60)}_${drawn(40, 2)}`,
  'an OpenAI service key': `sk-svcacct-${drawn(40)}`,
  'an old OpenAI key': `sk-${drawn(20)}T3BlbkFJ${drawn(20, 2)}`,
  'a DeepSeek key': `sk-${'0123456789abcdef'.repeat(2)}`,
  'an OpenRouter key': `sk-or-v1-${'0a1b2c3d4e5f6789'.repeat(4)}`,
  'a Google key': `AIza${drawn(35)}`,
  'a Google token': `ya29.${drawn(60)}`,
  'a Groq key': `gsk_${drawn(52)}`,
  'an xAI key': `xai-${drawn(80)}`,
  'a Hugging Face token': `hf_${drawn(34).replace(/\d/g, 'q')}`,
  'a GitHub token': `ghp_${drawn(36)}`,
  'a fine-grained GitHub token': `github_pat_${drawn(22)}_${drawn(59, 2)}`,
  'a GitLab token': `glpat-${drawn(20)}`,
  'an npm token': `npm_${drawn(36)}`,
  'a Slack token': `xoxb-${digits(12)}-${digits(13)}-${drawn(24)}`,
  'a Stripe key': `sk_live_${drawn(24)}`,
  'an AWS key id': ['AKIA', 'QW3E4R5T6Y7U8I9O'].join(''),
  'a JSON web token': `eyJ${drawn(20)}.eyJ${drawn(40, 2)}.${drawn(43, 3)}`,
  'a private key': `-----BEGIN RSA PRIVATE KEY-----\n${drawn(64)}\n${drawn(40, 2)}==\n-----END RSA PRIVATE KEY-----`,
  'an address with a password': `postgres://app:${drawn(16)}@db.example.com:5432/app`,
}
