export const room = 'agent'
