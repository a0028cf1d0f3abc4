// Who uses which connections: `database.people` for what people do, `database.machines` for what agents, jobs and the clock cause.
// People's changes may wait for each other, and nothing that machines do may queue behind them.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { readHouse } from '../../../../scripts/testing/laws.ts'

const sources = readHouse(fileURLToPath(new URL('../../../', import.meta.url))).filter(
  ({ path }) => !path.startsWith('store/') && !path.endsWith('.test.ts'),
)

/** Everything else that uses a database is for people. */
const FOR_MACHINES = [
  'alerting/deliver.ts',
  'alerting/record.ts',
  'alerting/summaries.ts',
  'domain/channels/gone.ts',
  'domain/checks/asked-runs.ts',
  'domain/checks/definition-size.ts',
  'domain/checks/finish-deletions.ts',
  'domain/checks/take-unjudged.ts',
  'domain/checks/unmonitored.ts',
  'domain/checks/update-health.ts',
  'domain/clock-set-back.ts',
  'domain/events/close-kept.ts',
  'domain/events/remind.ts',
  'domain/heartbeats/sweep.ts',
  'domain/heartbeats/take-ping.ts',
  'domain/judged/ask-registries.ts',
  'domain/judged/judge.ts',
  'domain/live/changes.ts',
  'domain/maintenance/spread.ts',
  'domain/monitors/abilities.ts',
  'domain/monitors/failing.ts',
  'domain/monitors/presence.ts',
  'domain/organisations/deletion.ts',
  'domain/results/apart.ts',
  'domain/results/arrivals.ts',
  'domain/results/history.ts',
  'domain/results/ingest.ts',
  'domain/results/intake.ts',
  'domain/results/lifetimes.ts',
  'domain/results/seal.ts',
  'domain/results/store-batch.ts',
  'domain/results/wipe.ts',
  'domain/retention/prune.ts',
  'domain/routing/release.ts',
  // Visitors of a status page change nothing, and there may be very many of them.
  'domain/status-page/history.ts',
  'domain/status-page/prepare.ts',
  'domain/status-page/read.ts',
  'domain/weekly-report/read.ts',
  'domain/weekly-report/send.ts',
]

/** Files that have both, and why. */
const FOR_BOTH = {
  'domain/channels/confirmation.ts': 'people ask for a mail and confirm an address; a chore asks for them',
  'domain/incidents/link-secret.ts': 'links are signed as alerts are sent; people open them',
  'domain/results/partitions.ts': 'a chore, but retiring a month waits for locks',
  'domain/retention/gate.ts': 'a chore is held by it, and the Admin page shows that',
}

const users = (word: 'people' | 'machines', files: readonly { path: string; text: string }[] = sources): string[] => {
  const taken = new RegExp(
    `\\bdatabase\\.${word}\\b|\\{[^{}]*\\b${word}\\b[^{}]*\\}(?: = [\\w.]*database\\b|: Database\\b)`,
  )
  return files.filter(({ text }) => taken.test(text)).map(({ path }) => path)
}

test('machines and people have connections of their own, and each file uses one kind', () => {
  expect(users('machines').toSorted()).toEqual([...FOR_MACHINES, ...Object.keys(FOR_BOTH)].toSorted())
  const people = users('people')
  expect(people.length).toBeGreaterThan(30)
  expect(people.filter((path) => FOR_MACHINES.includes(path))).toEqual([])
  expect(people).toEqual(expect.arrayContaining(Object.keys(FOR_BOTH)))
})

test('only store/ and bin/ know that there are pools', () => {
  const outside = sources.filter(
    ({ path, text }) => !path.startsWith('bin/') && /\bpools\.(people|machines|asyncCommit)\b/.test(text),
  )
  expect(outside.map(({ path }) => path)).toEqual([])
})

test('the law sees every way to take a connection', () => {
  const files = [
    { path: 'a', text: 'await listChecks(deps.database.machines, org_id)' },
    { path: 'b', text: 'const { machines } = deps.database' },
    { path: 'c', text: 'function read({ machines }: Database)' },
    { path: 'd', text: 'const { machines } = plan' },
  ]
  expect(users('machines', files)).toEqual(['a', 'b', 'c'])
})
