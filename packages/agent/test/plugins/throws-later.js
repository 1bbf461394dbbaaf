// A plugin whose asynchronous start fails.
export const name = 'throws-later'
export async function apply() {
  await Promise.resolve()
  throw new Error('the network is away')
}
