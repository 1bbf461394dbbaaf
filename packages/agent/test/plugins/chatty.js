// A plugin that prints: it must not get between the protocol's lines.
export const name = 'chatty'
export function apply() {
  console.log('hello from a plugin')
}
