// A plugin that fails while it starts.
export const name = 'throws'
export function apply() {
  throw new Error('the disk is on fire')
}
