/**
 * Secrets that are known beforehand: values of the environment whose names say
 * so, and the credentials that a request carries. They are looked for
 * literally, in every spelling, and nothing exempts a text from that.
 */

/** A secret and where it is known from, for reports. */
export type KnownSecret = { name: string; value: string }

/** Shorter values would be found everywhere. */
const environmentUnitsMin = 12
const credentialUnitsMin = 8

const secretName =
  /(?:^|[-_])(?:key|apikey|token|secret|password|passwd|passphrase|pat|credentials?|auth|authorization|cookie|dsn)(?:[-_]|$)/i

/** An address with a password in it, whatever its name. */
const urlPassword = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i

/** What a variable with such a name may hold without being a secret: a path, an address, a choice. */
const publicValue =
  /^(?:\/|~|\.{1,2}\/|[A-Za-z]:\\|https?:\/\/[^@\s]*$|true|false|none|auto|disabled|enabled)/i

export function isSecretOfEnvironment(name: string, value: string): boolean {
  if (value.length < environmentUnitsMin) return false
  return urlPassword.test(value) || (secretName.test(name) && !publicValue.test(value))
}

/** The values of an environment that must not be on disk, longest first. */
export function secretsOfEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): KnownSecret[] {
  return Object.entries(env)
    .flatMap(([name, value]) =>
      value !== undefined && isSecretOfEnvironment(name, value) ? [{ name, value }] : [],
    )
    .toSorted((a, b) => b.value.length - a.value.length)
}

/** Parameters that authenticate: not `page_token`, not `sort_key`, which tell requests apart. */
const credentialParameter =
  /^(?:(?:x-(?:amz|goog)-)?(?:signature|credential|security-token)|sig|auth|(?:(?:access|auth|id|refresh|session)[-_]?)?token|(?:(?:api|access|subscription|x-goog-api|x-api)[-_]?)?key|(?:client[-_]?)?secret|password)$/i

/** What a request authenticates with: values of headers, without their scheme, and of the query. */
export function secretsOfRequest(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  path: string,
): KnownSecret[] {
  const secrets: KnownSecret[] = []
  const add = (name: string, value: string): void => {
    if (value.length >= credentialUnitsMin) secrets.push({ name, value })
  }
  for (const [name, given] of Object.entries(headers)) {
    // None of them is ever stored, but an agent or a provider may repeat them elsewhere.
    if (!secretName.test(name) || given === undefined) continue
    for (const value of typeof given === 'string' ? [given] : given) {
      if (name.toLowerCase() === 'cookie') {
        for (const [, part = ''] of value.matchAll(/=([^;]*)/g)) add(name, part)
      }
      const [, scheme = '', token = value] = /^([A-Za-z]+) +(\S.*)$/.exec(value) ?? []
      add(name, token)
      if (scheme.toLowerCase() === 'basic') add(name, passwordOf(token))
    }
  }
  for (const [, , written = '', value = ''] of path.matchAll(parameter)) {
    const name = readForm(written)
    if (credentialParameter.test(name)) add(`?${name}`, readForm(value))
  }
  return secrets
}

/** What a provider gives to authenticate with from then on: cookies, and where a redirect leads to. */
export function secretsOfResponse({
  'set-cookie': cookies = [],
  location = '',
}: Readonly<{
  'set-cookie'?: readonly string[] | undefined
  location?: string | undefined
}>): KnownSecret[] {
  const cookie = cookies.map((given) => given.split(';', 1)[0] ?? '')
  return secretsOfRequest({ cookie }, location)
}

function passwordOf(token: string): string {
  const text = Buffer.from(token, 'base64').toString('utf8')
  return text.slice(text.indexOf(':') + 1)
}

/** The path, or address, with the values of credential parameters left out. */
export function withoutCredentials(path: string): string {
  return path.replaceAll(parameter, (whole, mark: string, name: string) =>
    credentialParameter.test(readForm(name)) ? `${mark}${name}=` : whole,
  )
}

/** Of a query, or of what stands behind the `#` of an address. */
const parameter = /([?&#])([^=?&#]*)=([^&#]*)/g

/** A name or a value with its escapes undone. */
const readForm = (written: string): string => new URLSearchParams(`a=${written}`).get('a') ?? ''
