export const room = 'replay'
