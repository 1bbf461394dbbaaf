// oxlint-disable-next-line import/no-unassigned-import -- the missing module is the mistake under test
import './nowhere-to-be-found.js'
export function apply() {}
