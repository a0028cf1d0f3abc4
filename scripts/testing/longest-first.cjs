// Orders test files: first those that took longest in the last complete run on this machine or, in a fresh clone, in one on
// another machine (seconds.json). Otherwise, a file that mostly waits could run alone at the end.
const { existsSync } = require('node:fs')
const { join, relative } = require('node:path')
const { default: Sequencer } = require('@jest/test-sequencer')

const ROOT = join(__dirname, '..', '..')
const OWN = join(ROOT, '.cache', 'seconds.json')
const SECONDS = require(existsSync(OWN) ? OWN : './seconds.json')

/**
 * Test file that runs last. Its hundreds of checks share a memory, and would fail beside the dozens of agents of the files that
 * run first.
 */
const COMES_LAST = /[\\/]body-memory\.test\.ts$/

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const weight = ({ path }) =>
      COMES_LAST.test(path) ? -1 : (SECONDS[relative(ROOT, path).replaceAll('\\', '/')] ?? 0)
    return super.sort(tests).toSorted((a, b) => weight(b) - weight(a))
  }
}
