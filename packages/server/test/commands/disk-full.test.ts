// Postgres without room on its disk: nothing is acknowledged, clients are told to come again, and the balancer is told why.

import { importChecks } from '@dogwatch/domain/checks/import'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { plantTriggers } from '../../../store/test/support/cluster.ts'
import { startServer } from '../support/server-process.ts'
import { eventually, result } from '../support/world.ts'
import { type Operator, operator } from './operator.ts'

let o: Operator
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())

test('an upload that finds no room is answered 503, readiness says why, and it lands when there is room', async () => {
  const org_id = await o.org()
  const monitor = await o.monitor(org_id)
  const entry = { name: 'shop', url: 'https://example.com/', interval_sec: 60 }
  const [guid = ''] = (await importChecks(o.deps, org_id, [entry], 'all')).guids
  const server = await startServer({ DATABASE_URL: o.databaseUrl })
  try {
    const upload = () =>
      fetch(`${server.url}/monitor-api/v1/results`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${monitor.api_key}` },
        body: JSON.stringify({ results: [result(guid, { ran_at: new Date().toISOString() })] }),
      })
    // What Postgres raises when a file cannot grow.
    await plantTriggers(
      o.databaseUrl,
      `create function no_room() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`,
      'create trigger no_room before insert on results for each row execute function no_room()',
    )
    const refused = await upload()
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
      503,
      '10',
      'the server has no disk space left; try again later',
    ])
    const unready = await fetch(`${server.url}/readyz`)
    expect([unready.status, await unready.text()]).toEqual([503, 'the database server has no disk space left'])
    await plantTriggers(o.databaseUrl, 'drop trigger no_room on results')
    // A node without room is left alone for a moment.
    await eventually(async () => (await upload()).status === 200, 'it lands')
    await eventually(async () => (await fetch(`${server.url}/readyz`)).status === 200, 'it is ready again')
    // What a host of databases does when their disk is full.
    const name = new URL(o.databaseUrl).pathname.slice(1)
    await o.rows(`alter database ${name} set default_transaction_read_only to on`)
    await o.rows(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'dogwatch-%' and datname = current_database()",
    )
    const readiness = async () => (await fetch(`${server.url}/readyz`)).text()
    await eventually(async () => (await readiness()) === 'the database does not accept writes', 'it says so')
  } finally {
    await server.stop()
  }
})
