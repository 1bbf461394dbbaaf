// Uses a service that it does not ask for.
export function apply(ctx) {
  ctx.backend.readFolder('/')
}
