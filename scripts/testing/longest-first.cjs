// The order of test files: those first that took longest in the last whole run here; in a fresh clone, in one elsewhere (seconds.json).
// Otherwise a file that mostly waits runs alone at the end.
const { existsSync } = require('node:fs')
const { join, relative } = require('node:path')
const { default: Sequencer } = require('@jest/test-sequencer')

const ROOT = join(__dirname, '..', '..')
const OWN = join(ROOT, '.cache', 'seconds.json')
const SECONDS = require(existsSync(OWN) ? OWN : './seconds.json')

/** Hundreds of checks that share a memory get into trouble beside dozens of agents, which are what else runs at first. */
const COMES_LAST = /[\\/]body-memory\.test\.ts$/

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const weight = ({ path }) =>
      COMES_LAST.test(path) ? -1 : (SECONDS[relative(ROOT, path).replaceAll('\\', '/')] ?? 0)
    return super.sort(tests).toSorted((a, b) => weight(b) - weight(a))
  }
}
