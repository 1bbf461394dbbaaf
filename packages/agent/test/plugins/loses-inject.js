// The classic trap: the loader takes the default export and never sees `inject`.
export const inject = ['host']
// oxlint-disable-next-line import/no-default-export -- the mistake under test
export default function apply(ctx) {
  ctx.host.clock.now()
}
