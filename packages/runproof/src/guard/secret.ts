/**
 * Secrets in files that are about to be committed: values of the environment
 * whose names say key, token or password, and the shapes of well-known keys. A
 * finding never shows the secret.
 *
 * The shapes are prefixes that providers document for secret scanners. A secret
 * without such a shape is found by its value only, where it is in the environment.
 */
import { reportFor, type Finding } from './finding.ts'
import type { Snapshot } from './snapshot.ts'

const shapes: readonly { name: string; expression: RegExp }[] = [
  { name: 'an Anthropic key', expression: /\bsk-ant-[\w-]{20,}/ },
  { name: 'an OpenAI key', expression: /\bsk-(?:proj|svcacct|admin)-[\w-]{20,}/ },
  { name: 'an OpenRouter key', expression: /\bsk-or-v1-[0-9a-f]{32,}/ },
  { name: 'an API key (sk-…)', expression: /\bsk-[A-Za-z0-9]{32,}\b/ },
  { name: 'a Google API key', expression: /\bAIza[\w-]{35}/ },
  { name: 'a Groq key', expression: /\bgsk_[A-Za-z0-9]{40,}/ },
  { name: 'an xAI key', expression: /\bxai-[A-Za-z0-9]{40,}/ },
  { name: 'a Hugging Face token', expression: /\bhf_[A-Za-z0-9]{30,}/ },
  { name: 'a GitHub token', expression: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,})/ },
  { name: 'a GitLab token', expression: /\bglpat-[\w-]{20,}/ },
  { name: 'an npm token', expression: /\bnpm_[A-Za-z0-9]{36}/ },
  { name: 'a Slack token', expression: /\bxox[abeprs]-[\w-]{20,}/ },
  { name: 'an AWS access key', expression: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { name: 'a private key', expression: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
  { name: 'a JSON web token', expression: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/ },
  { name: 'a bearer token', expression: /\b[Bb]earer [\w.~+/-]{24,}/ },
  { name: 'a password in a URL', expression: /\b[a-z][a-z+.-]+:\/\/[^\s/:@"']+:[^\s/:@"'{]+@/ },
]

const secretName =
  /(?:^|_)(?:(?:api|access|private)?_?key|token|secret|pass(?:word|wd|phrase)?|credentials?|auth)(?:_|$)/i

/** Shorter values would be found everywhere. */
const valueUnitsMin = 12

/** Variables that name a place or a choice, not a secret. */
const publicValue = /^(?:\/|~|[A-Za-z]:\\|https?:\/\/[^@]*$|true|false|none|auto|disabled|enabled)/i

export type SecretValues = readonly { name: string; value: string }[]

/** The values of an environment that must never be on disk. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): SecretValues {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined &&
    value.length >= valueUnitsMin &&
    secretName.test(name) &&
    !publicValue.test(value)
      ? [{ name, value }]
      : [],
  )
}

/** One finding for each kind of secret in each file, at its first line. */
export function guardSecrets(
  snapshot: Pick<Snapshot, 'name' | 'folder' | 'texts'>,
  values: SecretValues,
): Finding[] {
  const report = reportFor(snapshot)
  return [...snapshot.texts].flatMap(([file, text]) =>
    secretsIn(text, values).map(({ what, index }) =>
      report(
        'secret',
        file,
        text.slice(0, index).split('\n').length,
        `holds ${what}; take it out of the file, and revoke it if it was ever shared`,
      ),
    ),
  )
}

function secretsIn(text: string, values: SecretValues): { what: string; index: number }[] {
  const known = values.flatMap(({ name, value }) => {
    const spellings = [value, JSON.stringify(value).slice(1, -1)]
    const index = Math.max(...spellings.map((one) => text.indexOf(one)))
    return index < 0 ? [] : [{ what: `the value of ${name}`, index }]
  })
  const shaped: { what: string; index: number }[] = []
  for (const { name, expression } of shapes) {
    const index = text.search(expression)
    const isTold = [...known, ...shaped].some((one) => one.index === index)
    if (index >= 0 && !isTold) shaped.push({ what: name, index })
  }
  return [...known, ...shaped]
}
