// How results are partitioned. What distributed tables have to meet: scale-out.test.ts.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from './support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

test('results have ran_at in their key, one level of partitions, and a default one', async () => {
  const [key] = await w.rows(
    "select pg_get_constraintdef(oid) as key from pg_constraint where conrelid = 'results'::regclass and contype = 'p'",
  )
  expect(key).toEqual({ key: 'PRIMARY KEY (org_id, check_id, ran_at, monitor_id)' })
  const partitions = await w.rows(
    "select relid::text as name, level, isleaf from pg_partition_tree('results') where level > 0",
  )
  expect(partitions).toContainEqual({ name: 'results_default', level: 1, isleaf: true })
  expect(partitions.every(({ level, isleaf }) => level === 1 && isleaf)).toBe(true)
})
