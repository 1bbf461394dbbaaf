export const room = 'progress'
