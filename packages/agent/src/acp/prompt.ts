/** The content of `session/prompt` as the text the model gets. */
import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk'

/**
 * Text stays, a link becomes a Markdown link; what the agent did not offer in
 * `promptCapabilities` is refused by name.
 * @throws RequestError -32602
 */
export function readPrompt(blocks: readonly ContentBlock[]): { type: 'text'; text: string }[] {
  const content = blocks.map((block) => ({ type: 'text' as const, text: readBlock(block) }))
  if (content.every(({ text }) => text.trim() === '')) {
    throw RequestError.invalidParams(undefined, 'the prompt is empty')
  }
  return content
}

function readBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `[${block.name}](${block.uri})`
    default:
      throw RequestError.invalidParams(
        undefined,
        `this agent takes text and links, no ${block.type}`,
      )
  }
}
