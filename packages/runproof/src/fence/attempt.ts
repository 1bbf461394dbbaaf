/**
 * An attempt of an agent to reach something outside: what is known of it, how
 * it stands in a transcript, and which attempts a project puts up with.
 */
import type { Message } from '../transcript/line.ts'

export type Attempt = {
  /** Lower case, or an address. */
  host: string
  /** Null when only a name was looked up. */
  port: number | null
  /** `proxy`: asked the sink proxy. `dns`: looked the name up. `tcp`: connected to an address. */
  via: 'proxy' | 'dns' | 'tcp'
  /** Whether the allow-list has it. It was refused all the same. */
  isAllowed: boolean
}

/** The fact of a transcript (`dir: "x"`, docs/formats/transcript.md). */
export function egressFact({ host, port, via, isAllowed }: Attempt): Message {
  return { egress: { host, ...(port === null ? {} : { port }), via, allowed: isAllowed } }
}

/** One attempt in words, for a report. */
export function describeAttempt({ host, port, via }: Attempt): string {
  const place = port === null ? host : `${host}:${port}`
  const ways = { proxy: 'through the proxy', dns: 'looked up', tcp: 'directly' } as const
  return `${place} (${ways[via]})`
}

/**
 * @param allowed names, addresses or `*.suffix`, each with or without `:port`. A name that is only
 * looked up has no port: it is allowed when any of its ports is.
 * @throws TypeError for a pattern that can match nothing.
 */
export function createAllowList(
  allowed: readonly string[],
): (host: string, port: number | null) => boolean {
  const patterns = allowed.map((text) => {
    const [, name = '', port] = /^(\*?[^*:\s/]+|\[[0-9a-f:]+\])(?::(\d+))?$/i.exec(text) ?? []
    if (name === '') throw new TypeError(`${JSON.stringify(text)} is no name, address or *.suffix`)
    const host = name.replace(/^\[|\]$/g, '').toLowerCase()
    return { host, port: port === undefined ? null : Number(port) }
  })
  return (host, port) =>
    patterns.some(
      (pattern) =>
        matches(pattern.host, host) &&
        (pattern.port === null || port === null || pattern.port === port),
    )
}

function matches(pattern: string, host: string): boolean {
  return pattern.startsWith('*') ? host.endsWith(pattern.slice(1)) : host === pattern
}
