// The classic trap: the loader takes the default export and never sees `inject`.
export const inject = ['host']
export default function apply(ctx) {
  ctx.host.clock.now()
}
