// The server's tests on a cluster, in parts: each has a bound, and databases that it left behind are dropped. Files of which a test failed
// run once more by themselves: on a busy machine some wait too long beside others.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask, type Cluster } from '../../lab/citus.ts'
import type { Outcome, World } from '../../lab/world.ts'
import { type Failure, lineOf, runSuites, type Verdict } from '../support/suites.ts'
import { KNOWN } from './known.ts'

const SERVER = fileURLToPath(new URL('../../../packages/server/', import.meta.url))
/** What goes through results in every way that there is; --whole takes all. */
const CHOSEN = [
  'server/test/(account-api|monitor-api|history|retention|heartbeats|sync-race)/',
  'server/test/(demo|partitions)',
]
/** Each part makes its own templates, which takes half a minute: small folders go together. */
const FILES_AT_LEAST = 12
/** What a part may take: to begin with, and for each of its files. */
const [BEGIN_MS, FILE_MS] = [300_000, 90_000]

interface Part {
  patterns: readonly string[]
  files: number
}

export async function proveSuites(
  cluster: Cluster,
  undo: World['undo'],
  { patterns, isWhole }: { patterns: readonly string[]; isWhole: boolean },
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-citus-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  const run = new Run(cluster, join(folder, 'tests.json'), undo)
  const chosen = patterns.length > 0 ? patterns : CHOSEN
  const parts = isWhole && patterns.length === 0 ? listParts() : [{ patterns: chosen, files: 50 }]
  let [passed, skipped] = [0, 0]
  const [faults, again, known]: [Failure[], string[], Failure[]] = [[], [], []]
  for (const part of parts) {
    const first = await run.of(part.patterns, part.files)
    passed += first.passed
    skipped += first.skipped
    const failed = [...new Set(first.failures.filter((one) => !isKnown(one)).map(({ file }) => file))]
    known.push(...first.failures.filter(isKnown))
    for (const file of failed) {
      // What did not end is no file.
      if (!file.endsWith('.test.ts')) {
        faults.push(...first.failures.filter((one) => one.file === file))
        continue
      }
      const alone = await run.of([`${file}$`], 1)
      const failures = alone.failures.filter((one) => !isKnown(one))
      faults.push(...failures)
      // It takes hours, so what failed is told at once.
      for (const one of failures) process.stdout.write(`${lineOf(one)}\n`)
      if (failures.length === 0) again.push(file)
      // Those that passed before are counted.
      passed += first.failures.filter((one) => one.file === file && one.test !== '').length - failures.length
    }
    process.stdout.write(`${part.patterns.join(' ')}: ${first.passed} passed, failed: ${failed.join(', ') || 'none'}\n`)
  }
  const passed_alone = again.length > 0 ? `, ${again.length} files passed by themselves only (${again.join(', ')})` : ''
  return {
    faults: [...faults.map(lineOf), ...(passed === 0 ? ['no test passed'] : [])],
    figures: `${passed} tests passed, ${faults.length} failed, ${known.length} that are known to, ${skipped} skipped${passed_alone}`,
  }
}

function isKnown({ file, test }: Failure): boolean {
  return KNOWN.some((known) => known.file === file && known.test === test)
}

/** Folders of tests, the small ones together. */
function listParts(): Part[] {
  const count = (path: string) =>
    readdirSync(join(SERVER, path), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
      .length
  const entries = readdirSync(join(SERVER, 'test'), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `test/${name}`)
  const all = folders
    .map((path) => ({ patterns: [`server/${path}/`], files: count(path) }))
    .filter(({ files }) => files > 0)
  const large = all.filter(({ files }) => files >= FILES_AT_LEAST)
  const top = {
    patterns: ['server/test/[^/]*$'],
    files: entries.filter(({ name }) => name.endsWith('.test.ts')).length,
  }
  const parts: Part[] = []
  for (const one of [...all.filter((part) => !large.includes(part)), top]) {
    const last = parts.at(-1)
    if (last === undefined || last.files >= FILES_AT_LEAST) parts.push(one)
    else parts.splice(-1, 1, { patterns: [...last.patterns, ...one.patterns], files: last.files + one.files })
  }
  return [...parts, ...large, { patterns: ['server/src/'], files: count('src') }]
}

class Run {
  readonly #servers: readonly string[]
  readonly #report: string
  readonly #env: Readonly<Record<string, string>>
  /** What the names of its databases have in common. */
  readonly #tag = randomBytes(4).toString('hex')

  constructor({ coordinator, nodes }: Cluster, report: string, undo: World['undo']) {
    const admin = Object.assign(new URL(coordinator), { pathname: '/postgres' }).href
    const places = nodes.map(({ host, port }) => `${host}:${port}`)
    this.#servers = [admin, ...places.map((host) => Object.assign(new URL(admin), { host }).href)]
    this.#report = report
    this.#env = { TEST_DATABASE_URL: admin, DOGWATCH_TEST_NODES: places.join(), DOGWATCH_TEST_TAG: this.#tag }
    undo(() => this.#sweep())
  }

  async of(patterns: readonly string[], files: number): Promise<Verdict> {
    const verdict = await runSuites(patterns, this.#report, this.#env, BEGIN_MS + files * FILE_MS)
    await this.#sweep()
    return verdict
  }

  async #sweep(): Promise<void> {
    for (const url of this.#servers) {
      const left = await ask<{ name: string }>(url, 'select datname as name from pg_database where datname like $1', [
        `%\\_${this.#tag}%`,
      ])
      // Templates refuse connections, which does not keep them from being dropped.
      for (const { name } of left) await ask(url, `drop database if exists ${name} with (force)`)
    }
  }
}
