import './nowhere-to-be-found.js'
export function apply() {}
