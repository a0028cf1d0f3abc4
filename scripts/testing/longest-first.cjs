// The order of test files: as jest knows it from the last run; in a fresh clone, folders with files that take long come first.
// Otherwise a file that mostly waits runs alone at the end.
const { default: Sequencer } = require('@jest/test-sequencer')

const TAKES_LONG =
  /[\\/]test[\\/](alerting|browser|commands|conformance|embedded-postgres|hostile|limits|packaging|probes|store|sync-race)[\\/]/

/** Hundreds of checks that share a memory get into trouble beside dozens of agents, which are what else runs at first. */
const COMES_LAST = /[\\/]body-memory\.test\.ts$/

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    const isKnown = sorted.some(({ duration }) => duration !== undefined)
    const weight = ({ path }) => (COMES_LAST.test(path) ? -1 : !isKnown && TAKES_LONG.test(path) ? 1 : 0)
    return sorted.toSorted((a, b) => weight(b) - weight(a))
  }
}
