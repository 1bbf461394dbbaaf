// Asks for a service that nobody provides.
export const name = 'waits'
export const inject = ['host', 'teleporter']
export function apply() {}
