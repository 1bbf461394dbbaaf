/**
 * A recording without its secrets.
 *
 * Looked at: paths, kept headers, request bodies, response bodies, streams
 * (joined, see `stream.ts`), tails, provenance. A secret has the same
 * placeholder in request, response and the tool's echo of it. Keys are made
 * again from what is left. Invariant: redacting twice changes nothing.
 */
import type { Exchange, Recording } from '../recording/recording.ts'
import { createSuspects, type Suspect } from './entropy.ts'
import { withKeys } from './key.ts'
import { opaqueOf } from './opaque.ts'
import type { RedactedSecret, Redactor } from './redactor.ts'
import { mapList, mapStream, type PiecesVisitor } from './stream.ts'
import { withoutCredentials } from './value.ts'
import { mapJsonTexts, mapTexts } from './walk.ts'

export type RedactionReport = {
  secrets: readonly RedactedSecret[]
  /** Texts that look drawn and were left as they are; for a person to look at. */
  suspects: readonly Suspect[]
}

/** One text in pieces, and where it stands. */
type Visitor = (
  pieces: readonly string[],
  place: { n: number; path: string; isOpaque: boolean; isCutOff: boolean },
) => readonly string[]

/** @param redactor made for this recording; it knows the secrets of the run. */
export function redactRecording(
  recording: Recording,
  redactor: Redactor,
): { recording: Recording; report: RedactionReport } {
  const texts: Parameters<Visitor>[] = []
  mapRecording(recording, (pieces, place) => {
    redactor.learn(pieces, { isOpaque: place.isOpaque })
    texts.push([pieces, place])
    return pieces
  })
  // All secrets are known only now.
  const suspects = createSuspects()
  const redacted = texts.map(([pieces, place]) => {
    const kept = redactor.redact(pieces, place)
    if (!place.isOpaque) suspects.look(kept.join(''), place)
    return kept
  })
  let next = 0
  const clean = mapRecording(recording, (pieces) => redacted[next++] ?? pieces)
  return {
    recording: withKeys(clean),
    report: { secrets: redactor.secrets, suspects: suspects.list },
  }
}

/** Places of a recording where secrets are; none in one that may be written. */
export function findLeaks(recording: Recording, redactor: Redactor): string[] {
  const leaks: string[] = []
  mapRecording(recording, (pieces, place) => {
    for (const { rule } of redactor.find(pieces.join(''), place)) {
      leaks.push(`exchange ${place.n}, ${place.path === '' ? 'text' : place.path}: ${rule}`)
    }
    return pieces
  })
  return leaks
}

function mapRecording(recording: Recording, visit: Visitor): Recording {
  const isOpaqueOfOne = opaqueOf(recording.wire)
  // Also in a list of what else are events.
  const isOpaque = (path: string): boolean => isOpaqueOfOne(path.replace(/^\*\./, ''))
  const one = (n: number, name: string, isCutOff = false) => {
    return (text: string, path: string): string => {
      const place = { n, path: path === '' ? name : `${name} ${path}`, isOpaque: isOpaque(path) }
      return visit([text], { ...place, isCutOff })[0] ?? ''
    }
  }
  const mapExchange = (exchange: Exchange): Exchange => {
    const { n, request, response, body, end } = exchange
    const isCutOff = end.kind !== 'eof'
    const head = one(n, 'header')
    const mapBody = (text: string): string => {
      const visitPieces: PiecesVisitor = (pieces, path) =>
        visit(pieces, { n, path: `response ${path}`, isOpaque: isOpaque(path), isCutOff })
      // Of a list, too, what a text alone gives away is to be known.
      const mapped = mapJsonTexts(text, one(n, 'response', isCutOff))
      return mapList(text, visitPieces) ?? mapped
    }
    // A redirect may carry what authenticates the request it asks for.
    const headOfResponse = (value: string, name: string): string =>
      head(name === 'location' ? withoutCredentials(value) : value, name)
    return {
      ...exchange,
      request: {
        ...request,
        path: one(n, 'path')(withoutCredentials(request.path), ''),
        headers: mapValues(request.headers, head),
        body: mapTexts(request.body, one(n, 'request')),
      },
      response:
        response === null
          ? null
          : { ...response, headers: mapValues(response.headers, headOfResponse) },
      ...mapStream(exchange, (pieces, path) =>
        visit(pieces, { n, path: `event ${path}`, isOpaque: isOpaque(path), isCutOff }),
      ),
      body: body === null ? null : mapBody(body),
    }
  }
  return {
    ...recording,
    provenance: mapProvenance(recording.provenance, one(0, 'provenance')),
    exchanges: recording.exchanges.map(mapExchange),
  }
}

function mapValues(
  headers: Readonly<Record<string, string>>,
  visit: (text: string, path: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, visit(value, name)]),
  )
}

function mapProvenance(
  provenance: Recording['provenance'],
  visit: (text: string, path: string) => string,
): Recording['provenance'] {
  return Object.fromEntries(
    Object.entries(provenance).map(([name, value]) => [name, mapTexts(value, visit, name)]),
  )
}
