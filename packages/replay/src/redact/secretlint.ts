/**
 * The maintained detectors: the recommended rules of secretlint
 * (https://github.com/secretlint/secretlint), run directly.
 *
 * Their own runner is not used: it obeys comments in the text that switch it
 * off, and a text here is what a model or a tool said. Rules that read files
 * (none is given) and the rule for those comments have no effect.
 */
import type { SecretLintRuleContext, SecretLintSourceCode } from '@secretlint/types'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import type { Span } from './span.ts'

const rules = creator.rules.filter(({ meta }) => meta.type === 'scanner')

const start = { line: 1, column: 0 }

/** Spans of all rules; they may overlap. */
export function findByRules(text: string): Span[] {
  const source = sourceOf(text)
  const spans: Span[] = []
  for (const rule of rules) {
    const context: SecretLintRuleContext = {
      sharedOptions: {},
      createTranslator: () => (id) => ({ message: '', messageId: String(id), data: undefined }),
      report({ range: [from, end] }) {
        const name = rule.meta.id.replace('@secretlint/secretlint-rule-', 'secretlint/')
        spans.push({ start: from, end, rule: name, value: text.slice(from, end) })
      },
      ignore() {
        // Nothing in a text can make its secrets be ignored.
      },
    }
    // A promise is of a rule about files, which has nothing to look at.
    void rule.create(context, {}).file?.(source)
  }
  return spans
}

/** A text without a file; rules ask for its content and its kind. */
function sourceOf(content: string): SecretLintSourceCode {
  return {
    content,
    hasBOM: false,
    contentType: 'text',
    ext: '.txt',
    filePath: undefined,
    physicalFilePath: undefined,
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: () => [0, 0],
    rangeToLocation: () => ({ start, end: start }),
    positionToIndex: () => 0,
    indexToPosition: () => start,
  }
}
