/**
 * How a claim is shown: text for people, JSON lines for programs. Both are
 * fixed by docs/formats/status.md. Untrusted text is made visible first.
 */
import type { Lang, Progress, Status, WindowReport } from '@runproof/progress'
import pc from 'picocolors'
import { visible, visibleJson } from '../visible.ts'

/** What is printed of one event; null fields for a malformed one. */
export type EventLabel = { id: string | null; kind: string | null; seq: number | null }

type EndFacts = { case?: string; run: string | null; foreign: number }

export type Printer = {
  /** The head of a block: a case with its note, or a further run. */
  head(name: string, note?: string): string[]
  event(label: EventLabel, progress: Progress): string
  end(progress: Progress, facts: EndFacts): string[]
}

export function createPrinter(options: { json: boolean; lang: Lang; colours: boolean }): Printer {
  return options.json ? createJsonPrinter(options.lang) : createTextPrinter(options)
}

function createJsonPrinter(lang: Lang): Printer {
  return {
    head: () => [],
    event: ({ id, kind, seq }, progress) =>
      visibleJson({ id, kind, seq, status: progress.status, message: progress.message(lang) }),
    end: (progress, facts) => [
      visibleJson({
        eof: true,
        ...(facts.case === undefined ? {} : { case: facts.case }),
        run: facts.run,
        status: progress.status,
        message: progress.message(lang),
        terminal: progress.terminal,
        verdict: progress.verdict,
        issues: progress.issues,
        duplicates: progress.duplicates,
        foreign: facts.foreign,
        tools: progress.tools,
        text: progress.text,
        finalText: progress.finalText,
        ...(progress.window === null ? {} : { window: progress.window }),
      }),
    ],
  }
}

const paints: Record<
  Status,
  (colours: ReturnType<typeof pc.createColors>) => (text: string) => string
> = {
  running: (colours) => colours.cyan,
  waiting: (colours) => colours.magenta,
  cancelling: (colours) => colours.magenta,
  cancelled: (colours) => colours.magenta,
  failed: (colours) => colours.red,
  incomplete: (colours) => colours.red,
  unknown: (colours) => colours.yellow,
  checking: (colours) => colours.blue,
  rejected: (colours) => colours.red,
  done: (colours) => colours.green,
}

function createTextPrinter(options: { lang: Lang; colours: boolean }): Printer {
  const colours = pc.createColors(options.colours)
  const claim = (progress: Progress): string =>
    `=> ${paints[progress.status](colours)(progress.status)} | ${progress.message(options.lang)}`
  return {
    head: (name, note) => [
      '',
      colours.bold(`[${visible(name)}]`) + (note === undefined ? '' : ` ${visible(note)}`),
    ],
    event: ({ id, kind }, progress) =>
      `${visible(id ?? '-')} ${visible(kind ?? '-')} ${claim(progress)}`,
    end: (progress) => [
      `EOF ${claim(progress)}`,
      `issues=${progress.issues.join(',')}`,
      ...(progress.window === null ? [] : [windowText(progress.window)]),
    ],
  }
}

function windowText({ events, forgotten, textDropped }: WindowReport): string {
  const lost = `${forgotten} older events and ${textDropped} characters of text are no longer known`
  return `window=${events}: ${forgotten === 0 ? 'nothing was forgotten' : lost}`
}
