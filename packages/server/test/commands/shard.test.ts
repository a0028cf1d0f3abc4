// dogwatch shard where there is no Citus: it says what is missing and changes nothing. What it does on a cluster is proved by
// `npm run prove -- citus`.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Nodes } from '../../src/domain/nodes.ts'
import { openSparePool } from '../../src/store/postgres/spare-pool.ts'
import { type Operator, operator } from './operator.ts'

const UNMET = {
  what: 'extension',
  ok: false,
  line: 'this database has no Citus: add citus to shared_preload_libraries, then create extension citus',
}

let o: Operator
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())

test('a dry run names each requirement, and changes nothing', async () => {
  const before = await o.stored()
  expect(await o.answer(['shard', '--dry-run'])).toEqual({
    layout: 'plain',
    nodes: [],
    requirements: [{ what: 'schema', ok: true, line: 'all tables are there' }, UNMET],
  })
  expect(await o.stored()).toBe(before)
})

test('without Citus it refuses in one line, and there is nothing to undo', async () => {
  expect(await o.refusal(['shard'])).toBe(`this database cannot be sharded yet: extension: ${UNMET.line}`)
  expect(await o.answer(['shard', '--undo'])).toEqual({ layout: 'plain', nodes: [], tables: [] })
})

test('the embedded Postgres, too many shards and contradictions are refused', async () => {
  expect(await o.refusal(['shard'], { env: { DATABASE_URL: '' } })).toMatch(/^the embedded Postgres cannot be sharded/)
  for (const args of [
    ['--shards', '0'],
    ['--shards', '1025'],
    ['--dry-run', '--undo'],
  ]) {
    expect((await o.run(['shard', ...args])).code).toBe(2)
  }
})

test('a database that is not sharded has no nodes to watch', async () => {
  const coordinator = openSparePool(o.databaseUrl, 2000)
  const nodes = new Nodes(o.deps, coordinator, o.databaseUrl)
  expect(await nodes.list()).toBeUndefined()
  expect(await nodes.look()).toEqual({})
  await nodes.close()
  await coordinator.end()
})
