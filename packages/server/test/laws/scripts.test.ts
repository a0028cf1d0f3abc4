// The laws of scripts/: benches and proofs stand on lab/, and never on each other. And the contract package is generated whole.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { RECORDED, type RecordedRun, runOf, toldOf } from '../../../../scripts/lab/recording.ts'
import { breachesOf, readSources } from '../../../../scripts/testing/laws.ts'

const sources = readSources(fileURLToPath(new URL('../../../../scripts', import.meta.url)))

const ROOMS = {
  // One records what agents find on the demo's site.
  bench: ['lab', 'demo', '.'],
  prove: ['lab', '.'],
  demo: [],
  lab: ['testing', '.'],
  '.': ['demo', 'prose', 'testing'],
  prose: [],
  testing: [],
}

/** What scripts share with the tests of the packages. */
const SHARED = [
  'packages/agent/test/support/certificates.ts',
  'packages/api/test/support/database-proxy.ts',
  'packages/api/test/support/hostile-definitions.ts',
  'packages/channels/test/fakes/all.ts',
  'packages/channels/test/fakes/pagerduty.ts',
  'packages/channels/test/fakes/syslog.ts',
  'packages/channels/test/fakes/vendor.ts',
  'packages/runtime/test/support/dice.ts',
  'packages/server/test/packaging/sdk-projects.ts',
  'packages/server/test/support/browser.ts',
  'packages/store/test/support/describe-schema.ts',
]

test('imports go down, in no circle; no file and no function is too long', () => {
  expect(sources.length).toBeGreaterThan(100)
  expect(breachesOf(sources, { rooms: ROOMS })).toEqual([])
})

function proofs(): string[] {
  const folder = fileURLToPath(new URL('../../../../scripts/prove', import.meta.url))
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -3)] : []))
    .toSorted()
}

test('each proof runs every week, except the one that is given a cluster', () => {
  const text = readFileSync(new URL('../../../../.github/workflows/proofs.yml', import.meta.url), 'utf8')
  const [nightly = '', weekly = ''] = text.split('\n  weekly:\n')
  const named = (part: string) => [...part.matchAll(/^ {10}- ([\w-]+)/gm)].map(([, name]) => name)
  expect(named(weekly)).toEqual(proofs().filter((name) => name !== 'citus'))
  expect(proofs()).toEqual(expect.arrayContaining(named(nightly)))
})

test('npm run prove lists every proof, and takes all of them', () => {
  const run = fileURLToPath(new URL('../../../../scripts/run.js', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [run, 'prove'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining(`NAME|all, where NAME is one of: ${proofs().join(', ')}`),
  ])
})

test('of the tests of the packages, scripts import these alone', () => {
  const targets = sources.flatMap(({ imports }) => imports.map(({ target }) => target.replace(/^\.\.\//, '')))
  const found = new Set(targets.filter((target) => /^packages\/[^/]+\/test\//.test(target)))
  expect([...found].toSorted()).toEqual(SHARED)
})

describe('no bench sends less than our own agents do', () => {
  const isBench = ({ path }: { path: string }) => /^(bench|lab)\//.test(path)
  /** The file that makes results from the recording, as rows. */
  const MAKERS = ['lab/recorded-rows.ts']

  test('results are stored and uploaded as recorded, or not at all', () => {
    const stores = sources.filter((one) => isBench(one) && /insert into results\b/.test(one.text))
    expect(stores.map(({ path }) => path).toSorted()).toEqual(MAKERS)
    const sends = sources.filter((one) => isBench(one) && /'POST', '\/results'|\}\/results`/.test(one.text))
    expect(sends.length).toBeGreaterThan(1)
    const isRecorded = ({ text }: { text: string }) => /recording\.ts'|rounds\.ts'/.test(text)
    expect(sends.filter((one) => !isRecorded(one)).map(({ path }) => path)).toEqual([])
  })

  test('the recording has samples, phases, certificates, turns and failures', () => {
    const runs = Array.from({ length: RECORDED.checks * 60 }, (_, n) => runOf(n % RECORDED.checks, n))
    const share = (has: (run: RecordedRun) => boolean) => runs.filter(has).length / runs.length
    expect(RECORDED.runs).toBeGreaterThanOrEqual(60)
    expect(share(({ response_sample }) => response_sample.length >= 200)).toBeGreaterThan(0.6)
    expect(share(({ timings }) => timings.first_byte_ms !== null || timings.connect_ms !== null)).toBe(1)
    expect(share(({ has_certificate }) => has_certificate)).toBeGreaterThan(0.3)
    expect(runOf(3, 5, false)).toMatchObject({ success: false, error: expect.stringMatching(/./) as unknown })
    expect(Object.keys(toldOf(1, 1, true))).toEqual(
      expect.arrayContaining(['latency_ms', 'response_sample', 'timings']),
    )
  })
})

test('everything in the contract package is generated, except what resolves references', () => {
  const files = readdirSync(fileURLToPath(new URL('../../../contract/src', import.meta.url)))
  expect(files.filter((file) => !file.endsWith('.gen.ts'))).toEqual(['resolved.ts'])
})
