export const room = 'sse'
