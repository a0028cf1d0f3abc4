// The order of test files: as jest knows it from the last run; in a fresh clone, folders with files that take long come first.
// Otherwise a file that mostly waits runs alone at the end.
const { default: Sequencer } = require('@jest/test-sequencer')

const TAKES_LONG =
  /[\\/]test[\\/](alerting|browser|commands|conformance|embedded-postgres|hostile|limits|packaging|probes|store|sync-race)[\\/]/

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted
    const weight = ({ path }) => (TAKES_LONG.test(path) ? 1 : 0)
    return sorted.toSorted((a, b) => weight(b) - weight(a))
  }
}
