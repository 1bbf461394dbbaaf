export const room = 'session-log'
