// Which node holds an organisation, while what is known of it is forgotten.

import { UnreachableDatabase } from '@dogwatch/runtime/database-faults'
import { expect, test } from '@jest/globals'
import type pg from 'pg'
import { Nodes } from '../../../store/src/results/nodes/nodes.ts'
import { eventually } from '../support/world.ts'

const pool = {} as pg.Pool

/** A coordinator that knows organisations 1 and 2, and `meanwhile` happens whenever it is asked. */
function nodes(meanwhile: () => void): Nodes {
  const query = async (_: string, [asked]: [number[]]) => {
    meanwhile()
    const rows = asked
      .filter((org_id) => org_id < 3)
      .map((org_id) => ({ org_id, is_coordinator: false, host: 'node', port: org_id }))
    return { rows }
  }
  return new Nodes({
    coordinator: { query: query as unknown as pg.Pool['query'] },
    open: () => ({ pool, close: async () => {}, renew: () => {}, cut: () => {} }),
  })
}

test('places that are forgotten while others are looked up still hold for that call', async () => {
  const asked: Nodes = nodes(() => asked.forgetPlaces())
  for (const org_ids of [[1], [1, 2]]) {
    const found = await asked.listNodesOf(org_ids)
    expect(found.map(({ name }) => name)).toEqual(org_ids.map((org_id) => `node:${org_id}`))
  }
  const known = nodes(() => {})
  await known.listNodesOf([1])
  const both = known.listNodesOf([1, 2])
  known.forgetPlaces()
  expect((await both).map(({ org_ids }) => [...org_ids])).toEqual([[1], [2]])
})

test('an organisation of which the coordinator knows no place is out of reach', async () => {
  await expect(nodes(() => {}).listNodesOf([1, 3])).rejects.toThrow(UnreachableDatabase)
})

test('a node without the table, before it is distributed and after it came back, is out of reach', async () => {
  const known = nodes(() => {})
  const [node] = await known.listNodesOf([1])
  const missing = Object.assign(new Error('relation "results" does not exist'), { code: '42P01' })
  await expect(known.at(node as NonNullable<typeof node>, () => Promise.reject(missing))).rejects.toThrow(
    UnreachableDatabase,
  )
})

test('a node that hangs keeps nobody waiting, and is used again once it says that it is there', async () => {
  let isThere = true
  const query = async () => {
    if (!isThere) throw new Error('Query read timeout')
  }
  const coordinator = { query: async () => ({ rows: [{ org_id: 1, is_coordinator: false, host: 'node', port: 1 }] }) }
  const known = new Nodes({
    coordinator: coordinator as unknown as pg.Pool,
    open: () => ({ pool: { query } as unknown as pg.Pool, close: async () => {}, renew: () => {}, cut: () => {} }),
    slow_ms: 5,
    away_ms: 5,
  })
  const [node] = await known.listNodesOf([1])
  if (!node) throw new Error('no node')
  const slow = () => new Promise((resolve) => setTimeout(resolve, 50, 'done'))
  expect(await known.at(node, slow)).toBe('done')
  isThere = false
  await expect(known.at(node, () => new Promise(() => {}))).rejects.toThrow('database node node:1 stopped responding')
  await expect(known.at(node, async () => 'not begun')).rejects.toThrow(UnreachableDatabase)
  isThere = true
  const isBegun = () => known.at(node, async () => true).catch(() => false)
  await eventually(isBegun, 'the node is used again')
})
