export const room = 'runproof'
