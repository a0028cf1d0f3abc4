// The order of test files: as jest knows it from the last run; in a fresh clone, files that start processes come first.
// Otherwise a file that mostly waits runs alone at the end.
const { default: Sequencer } = require('@jest/test-sequencer')

const STARTS_PROCESSES = /[\\/]test[\\/](browser|commands|conformance|store|limits|probes)[\\/]/

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted
    const weight = ({ path }) => (STARTS_PROCESSES.test(path) ? 1 : 0)
    return sorted.toSorted((a, b) => weight(b) - weight(a))
  }
}
