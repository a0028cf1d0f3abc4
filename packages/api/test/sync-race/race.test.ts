// The sync delta never loses a change. SEED=n rolls other dice.
import { expect, test } from '@jest/globals'
import { seedFromEnvironment, tell } from '../../../runtime/test/support/dice.ts'
import { world } from '../support/world.ts'
import { race } from './race.ts'

const seed = seedFromEnvironment()

test('under writers that commit late and agents that poll, no agent misses a change and nobody deadlocks', async () => {
  const w = await world({ monitor_api: {} })
  const outcome = await race(w, { seed, commits: 550, most_ms: 400_000 })
  await w.close()
  tell('clock row', outcome)
  expect(outcome).toMatchObject({ stale: 0, deadlocks: 0, faults: [] })
  expect(outcome.committed).toBeGreaterThanOrEqual(500)
  // There was something to miss.
  expect(outcome.compared).toBeGreaterThan(60)
  expect(outcome.delivered).toBeGreaterThan(1000)
})

test('with a clock that nobody holds, the same race loses changes for good', async () => {
  const w = await world({ monitor_api: {} })
  await w.rows(
    'create or replace function sync_tick() returns timestamptz language sql as $$ select clock_timestamp() $$',
  )
  await w.rows('alter table sync_clock rename to real_sync_clock')
  await w.rows("create view sync_clock as select true as is_the_one, now() as t, 'infinity'::timestamptz as changed_at")
  await w.rows('create rule told_by_itself as on update to sync_clock do instead nothing')
  // Without the row to wait at, writers do lock each other out; that is not what is shown here.
  await w.rows(
    `do $$ begin execute format('alter database %I set deadlock_timeout = ''50ms''', current_database()); end $$`,
  )
  const outcome = await race(w, { seed, commits: 150, most_ms: 400_000 })
  await w.close()
  tell('naive clock', outcome)
  expect(outcome.stale).toBeGreaterThan(0)
})
