// Runs the server's tests on a cluster, in parts: each has a time limit, and the databases that it leaves behind are dropped. Files of which a
// test failed run once more alone, because on a busy machine some wait too long beside others.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cluster } from '../../lab/citus.ts'
import { ask } from '../../lab/postgres.ts'
import { openFolder, type Outcome, type Undo } from '../../lab/proof.ts'
import { type Failure, lineOf, runSuites } from '../../lab/suites.ts'

const TESTS = fileURLToPath(new URL('../../../packages/server/test', import.meta.url))
/** Tests that use results in every way. */
const CHOSEN = [
  'server/test/(account-api|monitor-api|history|retention|heartbeats|sync-race)/',
  'server/test/(demo|partitions)',
]
/** Folders of a part, because each part creates its own templates for half a minute. */
const FOLDERS_EACH = 4
const PART_MS = 3_600_000

export async function proveSuites(
  { coordinator, nodes }: Cluster,
  undo: Undo,
  { patterns, isWhole }: { patterns: readonly string[]; isWhole: boolean },
): Promise<Outcome> {
  const file = join(await openFolder(undo), 'tests.json')
  const admin = Object.assign(new URL(coordinator), { pathname: '/postgres' }).href
  const addresses = nodes.map(({ host, port }) => `${host}:${port}`)
  const servers = [admin, ...addresses.map((host) => Object.assign(new URL(admin), { host }).href)]
  const tag = randomBytes(4).toString('hex')
  const env = { TEST_DATABASE_URL: admin, DOGWATCH_TEST_NODES: addresses.join(), DOGWATCH_TEST_TAG: tag }
  const sweep = async (): Promise<void> => {
    for (const url of servers) {
      const text = 'select datname as name from pg_database where datname like $1'
      for (const { name } of await ask<{ name: string }>(url, text, [`%\\_${tag}%`])) {
        await ask(url, `drop database if exists ${name} with (force)`)
      }
    }
  }
  undo(sweep)
  const run = async (part: readonly string[]) => {
    const verdict = await runSuites(part, file, env, PART_MS)
    await sweep()
    return verdict
  }
  let [passed, skipped] = [0, 0]
  const [faults, again]: [Failure[], string[]] = [[], []]
  for (const part of patterns.length > 0 ? [patterns] : isWhole ? listParts() : [CHOSEN]) {
    const first = await run(part)
    passed += first.passed
    skipped += first.skipped
    for (const [name, own] of Map.groupBy(first.failures, (failure) => failure.file)) {
      const failures = name.endsWith('.test.ts') ? (await run([`${name}$`])).failures : own
      faults.push(...failures)
      if (failures.length === 0) again.push(name)
      passed += own.filter(({ test }) => test !== '').length - failures.length
      for (const failure of failures) process.stdout.write(`${lineOf(failure)}\n`)
    }
  }
  return {
    faults: [...faults.map(lineOf), passed <= 0 && 'no test passed'],
    figures: `${passed} tests passed, ${faults.length} failed, ${skipped} skipped; passed only alone: ${again.join(', ') || 'none'}`,
  }
}

function listParts(): string[][] {
  const folders = readdirSync(TESTS, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const all = [...folders.map(({ name }) => `server/test/${name}/`), 'server/test/[^/]*$', 'server/src/']
  return [...Map.groupBy(all, (_, n) => Math.floor(n / FOLDERS_EACH)).values()]
}
