// Bulk changes of the configuration API hold locks that everybody who changes a check waits for: whatever they change, the number of their
// statements does not grow with it, and what they do is what the same changes do one by one.

import { changeInBulk } from '@dogwatch/domain/configuration/bulk'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { KyselyPlugin } from 'kysely'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let channel: string
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  await w.monitor(org)
  const { changes } = await change([
    {
      action: 'put',
      kind: 'channel',
      key: 'first',
      body: { name: 'n', kind: 'ntfy', destination: { ntfy_topic: 't' } },
    },
  ])
  channel = changes[0]?.id ?? ''
})
afterAll(() => w.close())

type Changes = Parameters<typeof changeInBulk>[2]

const actor = { person_id: 0, email: 'ops@example.com', impersonator_email: null }
const change = (changes: Changes, deps = w.deps) =>
  changeInBulk(deps, { org_id: org.org_id, actor }, changes, { dry_run: false })

/** How many statements a bulk request takes. */
async function countOf(changes: Changes): Promise<number> {
  let count = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      count++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const { database } = w.deps
  await change(changes, { ...w.deps, database: { ...database, people: database.people.withPlugin(plugin) } })
  return count
}

const FEW = 2
const MANY = 12
const BODIES: Readonly<Record<string, (n: number, turn: string) => Record<string, unknown>>> = {
  check: (n, turn) => ({
    name: `c${n} ${turn}`,
    url: `https://example.com/${turn}`,
    interval_sec: 60,
    enabled: turn === 'first',
  }),
  heartbeat: (n, turn) => ({ name: `h${n} ${turn}`, interval_sec: 60, enabled: turn === 'first' }),
  channel: (n, turn) => ({
    name: `n${n} ${turn}`,
    kind: 'email',
    destination: { email: `${turn}-${n}@example.com` },
    enabled: turn === 'first',
  }),
  window: (n, turn) => ({
    name: `w${n} ${turn}`,
    scope: { checks: ['key:c'] },
    starts_at: turn === 'first' ? '2027-01-01T02:00' : '2027-01-02T02:00',
    duration_sec: 3600,
    zone: 'UTC',
  }),
  route: (n, turn) => ({ name: `r${n} ${turn}`, scope: { checks: ['key:c'] }, steps: [{ channels: [channel] }] }),
}

test.each(Object.keys(BODIES))(
  'of many things of kind %s, all are stored by as many statements as a few',
  async (kind) => {
    await change([
      { action: 'put', kind: 'check', key: 'c', body: { name: 'c', url: 'https://example.com/', interval_sec: 60 } },
    ])
    const puts = (count: number, prefix: string, turn: string): Changes =>
      Array.from({ length: count }, (_, n) => ({
        action: 'put',
        kind,
        key: `${prefix}-${n}`,
        body: BODIES[kind]?.(n, turn),
      }))
    const removals = (count: number, prefix: string): Changes =>
      Array.from({ length: count }, (_, n) => ({ action: 'delete', kind, key: `${prefix}-${n}` }))
    const [few, many] = [FEW, MANY].map((count) => [
      puts(count, `k${count}`, 'first'),
      puts(count, `k${count}`, 'other'),
      puts(count, `k${count}`, 'other'),
      removals(count, `k${count}`),
    ])
    for (const [at, changes] of (few ?? []).entries()) {
      expect(await countOf(many?.[at] ?? [])).toBe(await countOf(changes))
    }
  },
)

const PATHS: Readonly<Record<string, string>> = {
  check: 'checks',
  heartbeat: 'heartbeats',
  channel: 'channels',
  window: 'maintenance',
  route: 'routes',
}
const TABLES = [
  'checks',
  'check_states',
  'assignments',
  'heartbeats',
  'incidents',
  'notification_channels',
  'maintenance_windows',
  'maintenance_spans',
  'alert_routes',
  'audit_entries',
]
/** What is another one each time. */
const CHANCE = [
  'org_id',
  'guid',
  'id',
  'check_id',
  'heartbeat_id',
  'window_id',
  'route_id',
  'entry_id',
  'incident_id',
  'actor',
  'created_by',
  'monitor_id',
]
const TIMES = ['created_at', 'updated_at', 'due_at', 'last_heartbeat_at']

async function stateOf({ org_id }: Org): Promise<unknown> {
  const state = []
  for (const table of TABLES) {
    const rows = await w.rows(
      `select to_jsonb(t) - $2::text[] as row from ${table} t where org_id = $1 and to_jsonb(t) ->> 'action' is distinct from 'organisation.create'`,
      org_id,
      [...CHANCE, ...TIMES],
    )
    // Scopes and steps name things by what is another one each time.
    const told = rows.map(({ row }) => JSON.stringify({ ...(row as object), scope: null, scope_id: null, steps: null }))
    state.push([table, told.sort()])
  }
  const due = await w.rows(
    'select due_at - last_heartbeat_at as late from heartbeats where org_id = $1 order by key',
    org_id,
  )
  return [state, due]
}

test.each(Object.keys(BODIES))('a thing of kind %s that is put in bulk is as if it was put alone', async (kind) => {
  const orgs = [await w.org('team'), await w.org('team')] as const
  const asks = await Promise.all(orgs.map(async (one) => configurator(w, await configToken(w, one))))
  const [alone, bulk] = asks as [(typeof asks)[0], (typeof asks)[0]]
  for (const [n, ask] of asks.entries()) {
    await w.monitor(orgs[n] as Org)
    await ask('post', '/checks', { key: 'c', name: 'c', url: 'https://example.com/', interval_sec: 60 })
    await ask('post', '/channels', { key: 'ops', name: 'n', kind: 'ntfy', destination: { ntfy_topic: 't' } })
  }
  const bodyOf = (turn: string) => ({
    ...BODIES[kind]?.(0, turn),
    ...(kind === 'route' && { steps: [{ channels: ['key:ops'] }], delay_sec: turn === 'first' ? 0 : 60 }),
    // The first edit leaves it on, so that there is a deadline to move, and something open to end when it is paused.
    ...(kind === 'heartbeat' && { interval_sec: turn === 'first' ? 60 : 90, enabled: turn !== 'paused' }),
  })
  const both = async (one: () => Promise<{ status: number; text: string }>, many: object) => {
    const answers = [await one(), await bulk('post', '/bulk', { changes: [many] })]
    expect(answers.map(({ status, text }) => (status < 300 ? '' : text))).toEqual(['', ''])
    expect(await stateOf(orgs[1])).toEqual(await stateOf(orgs[0]))
  }
  const path = `/${PATHS[kind]}`
  await both(() => alone('post', path, { ...bodyOf('first'), key: 'k' }), {
    action: 'put',
    kind,
    key: 'k',
    body: bodyOf('first'),
  })
  await w.rows(
    "update heartbeats set state = 'up', last_heartbeat_at = now(), due_at = now() where org_id = any($1) and key = 'k'",
    orgs.map(({ org_id }) => org_id),
  )
  for (const turn of kind === 'heartbeat' ? ['other', 'paused'] : ['other']) {
    const wanted = { action: 'put', kind, key: 'k', body: bodyOf(turn) }
    await both(() => alone('put', `${path}/key:k`, bodyOf(turn)), wanted)
  }
  await both(() => alone('delete', `${path}/key:k`), { action: 'delete', kind, key: 'k' })
})

test('one thing is changed once, by whatever it is named, and things may exchange their keys', async () => {
  const heartbeat = (more: object) => ({
    action: 'put' as const,
    kind: 'heartbeat',
    body: { name: 'h', interval_sec: 60, ...more },
  })
  const { changes } = await change([
    { ...heartbeat({}), key: 'a' },
    { ...heartbeat({}), key: 'b' },
  ])
  const [a = '', b = ''] = changes.map(({ id }) => id)
  const again = change([
    { ...heartbeat({}), key: 'a' },
    { action: 'delete', kind: 'heartbeat', id: a },
  ])
  await expect(again).rejects.toThrow('changes[0].key names a heartbeat that another change also names')
  await change([
    { ...heartbeat({ key: 'moved' }), id: a },
    { ...heartbeat({ key: 'a' }), id: b },
  ])
  const keys = await w.rows('select guid, key from heartbeats where org_id = $1 order by key', org.org_id)
  expect(keys).toEqual([
    { guid: b, key: 'a' },
    { guid: a, key: 'moved' },
  ])
  const taken = change([{ ...heartbeat({ key: 'a' }), id: a }])
  await expect(taken).rejects.toThrow('changes[0].body.key is already used by another heartbeat')
})

test.each([
  ['40P01', undefined],
  ['40001', 'once'],
])('changes that Postgres undid for another transaction (%s) are made again, a few times', async (code, key) => {
  const ask = configurator(w, await configToken(w, org))
  // No transaction takes back what a sequence has told.
  await w.rows('create sequence crossings')
  await w.rows(`create function cross_once() returns trigger language plpgsql as $$ begin
    if nextval('crossings') <= current_setting('dogwatch.most')::integer then raise exception 'crossed' using errcode = '${code}'; end if;
    return new;
  end $$`)
  const put = (name: string) => ({
    changes: [{ action: 'put', kind: 'heartbeat', key: name, body: { name, interval_sec: 60 } }],
  })
  const crossed = async (most: number, name: string) => {
    await w.rows(`alter function cross_once() set dogwatch.most = '${most}'`)
    await w.rows('alter sequence crossings restart')
    return ask('post', '/bulk', put(name), key === undefined ? {} : { 'Idempotency-Key': `${key} ${name}` })
  }
  await w.rows('create trigger crosses before insert on heartbeats execute function cross_once()')
  try {
    expect((await crossed(2, 'a')).status).toBe(200)
    expect((await crossed(3, 'b')).status).toBe(503)
  } finally {
    await w.rows('drop function cross_once() cascade')
    await w.rows('drop sequence crossings')
  }
  const entries = await w.rows(
    "select subject from audit_entries where org_id = $1 and action = 'heartbeat.create'",
    org.org_id,
  )
  expect(entries).toEqual([{ subject: 'a' }])
})
