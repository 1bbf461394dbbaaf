/**
 * The smallest `runproof.yml` for an agent without a preset, for messages: whoever
 * has installed the package has no other page at hand.
 */
export const exampleConfig: string = `version: 1
agents:
  my-agent:
    command: [my-agent, --acp]
    env: { OPENAI_BASE_URL: '{provider}/v1', OPENAI_API_KEY: '{key}' }
    provider:
      wire: openai-chat # or anthropic, deepseek, gemini, openai-responses
      upstream: https://api.openai.com
      key: OPENAI_API_KEY`

/** How to set up any agent, as the end of a message. */
export const howToSetUp: string = `for an agent without a preset, runproof.yml says how it starts, where the address and key of its provider go, and which provider that is:

${exampleConfig}`
