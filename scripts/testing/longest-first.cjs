// The order of test files: as jest knows it from the last run; in a fresh clone, by what they took elsewhere (seconds.json).
// Otherwise a file that mostly waits runs alone at the end.
const { join, relative } = require('node:path')
const { default: Sequencer } = require('@jest/test-sequencer')
const SECONDS = require('./seconds.json')

const ROOT = join(__dirname, '..', '..')

/** Hundreds of checks that share a memory get into trouble beside dozens of agents, which are what else runs at first. */
const COMES_LAST = /[\\/]body-memory\.test\.ts$/

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    const isKnown = sorted.some(({ duration }) => duration !== undefined)
    const weight = ({ path }) => {
      if (COMES_LAST.test(path)) return -1
      return isKnown ? 0 : (SECONDS[relative(ROOT, path).replaceAll('\\', '/')] ?? 0)
    }
    return sorted.toSorted((a, b) => weight(b) - weight(a))
  }
}
