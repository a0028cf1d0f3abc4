// The laws of scripts/: benches and proofs stand on lab/, and never on each other. And the contract package is generated whole.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../../scripts/testing/laws.ts'

const sources = readSources(fileURLToPath(new URL('../../../../scripts', import.meta.url)))

const ROOMS = {
  // One replays the demo's invented history.
  bench: ['lab', 'demo', '.'],
  prove: ['lab', '.'],
  demo: [],
  lab: ['.'],
  '.': ['demo', 'testing'],
  testing: [],
}

/** What scripts share with the tests of the packages. */
const SHARED = [
  'packages/agent/test/support/certificates.ts',
  'packages/agent/test/support/dns-wire.ts',
  'packages/server/test/channels/fakes/all.ts',
  'packages/server/test/channels/fakes/syslog.ts',
  'packages/server/test/channels/fakes/vendor.ts',
  'packages/server/test/packaging/sdk-projects.ts',
  'packages/server/test/support/browser.ts',
  'packages/server/test/support/dice.ts',
  'packages/server/test/support/hostile-requests.ts',
  'packages/server/test/support/raw-http.ts',
]

test('imports go down, in no circle; no file and no function is too long', () => {
  expect(sources.length).toBeGreaterThan(100)
  expect(breachesOf(sources, { rooms: ROOMS })).toEqual([])
})

test('of the tests of the packages, scripts import these alone', () => {
  const targets = sources.flatMap(({ imports }) => imports.map(({ target }) => target.replace(/^\.\.\//, '')))
  const found = new Set(targets.filter((target) => /^packages\/[^/]+\/test\//.test(target)))
  expect([...found].toSorted()).toEqual(SHARED)
})

test('everything in the contract package is generated', () => {
  const files = readdirSync(fileURLToPath(new URL('../../../contract/src', import.meta.url)))
  expect(files.filter((file) => !file.endsWith('.gen.ts'))).toEqual([])
})
