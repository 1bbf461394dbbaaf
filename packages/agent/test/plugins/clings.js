// A plugin that never lets go.
export const name = 'clings'
export function apply(ctx) {
  ctx.effect(() => () => new Promise(() => undefined))
}
