// Many changes at once by the configuration API: all of them or none, and what they would change.

import { document } from '@dogwatch/contract/config'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { changeInBulk } from '@dogwatch/domain/configuration/bulk'
import { KINDS } from '@dogwatch/domain/configuration/kinds'
import { wipeResults } from '@dogwatch/domain/results/wipe'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { lockChannels } from '@dogwatch/store/alerting/events'
import { tick } from '@dogwatch/store/checks/checks'
import { attempt } from '@dogwatch/store/one-transaction'
import type { Tables } from '@dogwatch/store/tables'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { CompiledQuery, sql, type Transaction } from 'kysely'
import { plantTriggers } from '../../../store/test/support/cluster.ts'
import { configToken, configurator } from '../support/config-api.ts'
import { eventually, type Org, type World, world } from '../support/world.ts'

interface Change {
  action: string
  kind: string
  key?: string
  id?: string
  if_match?: string
  body?: object
}
interface Plan {
  changes: {
    action: string
    key?: string
    id: string
    found: string
    fields: { field: string; before?: unknown; after?: unknown }[]
  }[]
  counts: Record<string, number>
}

type Trx = Transaction<Tables>

const SHOP = { name: 'Shop', url: 'https://shop.example.com/', interval_sec: 60 }
const put = (key: string, body: object = { ...SHOP, name: key }): Change => ({
  action: 'put',
  kind: 'check',
  key,
  body,
})
const remove = (key: string): Change => ({ action: 'delete', kind: 'check', key })

let w: World
let org: Org
let ask: ReturnType<typeof configurator>
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  ask = configurator(w, await configToken(w, org))
})
afterAll(() => w.close())

const send = (changes: Change[], rest: object = {}, headers = {}) => ask('post', '/bulk', { changes, ...rest }, headers)
const apply = async (changes: Change[], rest: object = {}): Promise<Plan> => {
  const { status, body, text } = await send(changes, rest)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return body as Plan
}
const refusal = async (changes: Change[]) => {
  const before = await state()
  const { status, text } = await send(changes)
  expect(await state()).toEqual(before)
  return [status, text]
}
/** All that an organisation's configuration consists of. */
const state = async () => [
  await w.rows('select xmin::text, * from checks where org_id = $1 order by check_id', org.org_id),
  await w.rows('select * from assignments where org_id = $1 order by check_id, monitor_id', org.org_id),
  await w.rows('select entry_id from audit_entries where org_id = $1 order by 1', org.org_id),
  await w.rows('select * from sync_clock'),
]
const actions = ({ changes }: Plan) => changes.map(({ action, key }) => `${action} ${key}`)

test('checks are created, then unchanged, then replaced, then deleted', async () => {
  const monitor = await w.monitor(org)
  const first = await apply([put('a'), put('b')])
  expect(actions(first)).toEqual(['created a', 'created b'])
  expect(first.counts).toEqual({ created: 2, replaced: 0, deleted: 0, unchanged: 0 })
  expect(first.changes[0]?.fields).toContainEqual({ field: 'url', after: SHOP.url })
  const before = await state()
  expect(actions(await apply([put('a'), put('b')]))).toEqual(['unchanged a', 'unchanged b'])
  const [, , , clock] = await state()
  expect([...(await state()).slice(0, 3)]).toEqual(before.slice(0, 3))
  expect(clock).toBeDefined()
  const second = await apply([put('a', { ...SHOP, name: 'a', interval_sec: 120 }), remove('b')])
  expect(actions(second)).toEqual(['replaced a', 'deleted b'])
  expect(second.changes[0]?.fields).toEqual([{ field: 'interval_sec', before: 60, after: 120 }])
  expect((await ask('get', '/checks/key:a')).body).toMatchObject({ interval_sec: 120, monitors: [monitor.id] })
  expect((await ask('get', '/checks/key:b')).status).toBe(404)
})

test('each check that changes has its entry in the audit log, and what is deleted together has one', async () => {
  await apply([put('a'), put('b'), put('c')])
  await apply([put('a', { ...SHOP, name: 'Other' }), put('b'), remove('c')])
  const deeds = await w.rows(
    "select action, subject, detail from audit_entries where org_id = $1 and action ~ '^check' order by entry_id",
    org.org_id,
  )
  expect(deeds).toEqual([
    ...['a', 'b', 'c'].map((subject) => ({ action: 'check.create', subject, detail: { token: 'deployment' } })),
    { action: 'check.delete', subject: 'c', detail: { token: 'deployment' } },
    { action: 'check.edit', subject: 'Other', detail: { changed: ['name'], token: 'deployment' } },
  ])
})

test('a dry run tells what the same request then does, and keeps nothing', async () => {
  await apply([put('a'), put('gone')])
  const changes = [put('a', { ...SHOP, name: 'Other' }), put('new'), remove('gone')]
  const before = await state()
  const plan = await apply(changes, { dry_run: true })
  expect(await state()).toEqual(before)
  const done = await apply(changes)
  const withoutNew = ({ changes: all, counts }: Plan) => [
    all.map(({ id, ...rest }) => ({ ...rest, id: rest.key === 'new' ? '' : id })),
    counts,
  ]
  expect(withoutNew(plan)).toEqual(withoutNew(done))
})

test('all or none: one fault refuses everything, and all are told by their places', async () => {
  await apply([put('a')])
  expect(
    await refusal([put('b'), put('c', { ...SHOP, url: 'gopher://x', down_places: -1 }), put('d', { name: ' ' })]),
  ).toEqual([
    400,
    expect.stringMatching(
      /^changes\[1\]\.body\.url .*; changes\[1\]\.body\.down_places .*; changes\[2\]\.body\.url is required/,
    ),
  ])
})

test.each<[string, Change[], string]>([
  ['a key twice', [put('a'), put('a')], 'changes[1].key must not repeat the key of an earlier change'],
  [
    'no key',
    [{ action: 'put', kind: 'check', body: SHOP }],
    'changes[0].key must be sent if id is omitted, and must be omitted if id is sent',
  ],
  [
    'both',
    [{ ...put('a'), id: 'x' }],
    'changes[0].key must be sent if id is omitted, and must be omitted if id is sent',
  ],
  ['no body', [{ action: 'put', kind: 'check', key: 'a' }], 'changes[0].body is required'],
  ['a body to delete', [{ ...remove('a'), body: {} }], 'changes[0].body must be omitted'],
  [
    'another key in the body',
    [put('a', { ...SHOP, key: 'b' })],
    'changes[0].body.key must be omitted or equal the key of the change',
  ],
  [
    'an odd key',
    [put('A')],
    'changes[0].key must be 1 to 64 characters of a-z, 0-9, ".", "_" and "-", starting with a letter or digit',
  ],
  ['nothing to delete', [put('x'), remove('a')], 'changes[1].key must name an existing check'],
  [
    'an id of nothing',
    [{ action: 'put', kind: 'check', id: 'nothing', body: SHOP }],
    'changes[0].id must name an existing check',
  ],
  [
    'an unknown kind',
    [{ action: 'put', kind: 'probe', key: 'a', body: {} }],
    'changes[0].kind must be equal to one of the allowed values: ',
  ],
  ['a wrong type', [put('a', { ...SHOP, monitors: 'x' })], 'changes[0].body.monitors must be an array'],
  [
    'no such key',
    [put('a', { ...SHOP, depends_on: 'key:b' })],
    'changes[0].body.depends_on must name an existing check; no check has that key',
  ],
  [
    'a circle',
    [put('a', { ...SHOP, depends_on: 'key:b' }), put('b', { ...SHOP, depends_on: 'key:a' })],
    'changes[0].body.depends_on must not create a circular dependency',
  ],
  [
    'no such monitor',
    [put('a', { ...SHOP, monitors: ['x'] })],
    'changes[0].body.monitors must not include x, which is neither one of your own monitors nor a shared monitor',
  ],
  [
    'a lone surrogate',
    [put('a', { ...SHOP, monitors: ['\uD800'] })],
    'changes[0].body.monitors must contain only ids of monitors',
  ],
  [
    'beyond the plan',
    [put('a', { ...SHOP, interval_sec: 20 })],
    'changes[0].body.interval_sec must be at least 30 on the team plan',
  ],
  [
    'too many',
    Array.from({ length: 101 }, (_, n) => put(`k${n}`)),
    'the team plan allows 100 checks, but this change would make 101; delete checks or change the plan',
  ],
  ['a bad pattern', [put('a', { ...SHOP, match_mode: 'regex', match_string: '(' })], 'changes[0].body.match_string '],
])('%s is refused', async (_, changes, line) => {
  expect(await refusal(changes)).toEqual([400, expect.stringContaining(line)])
})

test('more faults than a line has room for are counted', async () => {
  const [, text] = await refusal(Array.from({ length: 50 }, (_, n) => put(`k${n}`, { ...SHOP, url: 'gopher://x' })))
  expect(text).toMatch(/^changes\[0\]\.body\.url .*; and \d+ more$/)
})

test('checks may depend on each other by keys, in whatever order they are sent', async () => {
  await apply([put('a', { ...SHOP, depends_on: 'key:b' }), put('b')])
  const { body } = await ask('get', '/checks/key:b')
  const { guid } = body as { guid: string }
  expect((await ask('get', '/checks/key:a')).body).toMatchObject({ depends_on: guid })
  expect(actions(await apply([put('a', { ...SHOP, depends_on: 'key:b' }), put('b')]))).toEqual([
    'unchanged a',
    'unchanged b',
  ])
})

test('by its id a check is replaced and may get another key', async () => {
  await apply([put('a')])
  const { body } = await ask('get', '/checks/key:a')
  const { guid } = body as { guid: string }
  const { changes } = await apply([{ action: 'put', kind: 'check', id: guid, body: { ...SHOP, name: 'a', key: 'b' } }])
  expect(changes).toMatchObject([
    { action: 'replaced', kind: 'check', key: 'b', id: guid, fields: [{ field: 'key', before: 'a', after: 'b' }] },
  ])
  const twice = [put('b'), { action: 'put', kind: 'check', id: guid, body: SHOP }]
  expect((await refusal(twice))[1]).toBe('changes[1].id names a check that another change also names')
})

test('monitors are those that are named, all, or as before', async () => {
  const [one, two] = [await w.monitor(org), await w.monitor(org)]
  await apply([put('a', { ...SHOP, monitors: [two.id] }), put('b', { ...SHOP, monitors: [] })])
  expect((await ask('get', '/checks/key:a')).body).toMatchObject({ monitors: [two.id] })
  expect((await ask('get', '/checks/key:b')).body).not.toHaveProperty('monitors')
  const { changes } = await apply([put('a', SHOP), put('b', { ...SHOP, all_monitors: true })])
  expect(changes.map(({ action, fields }) => [action, fields])).toEqual([
    ['unchanged', []],
    ['replaced', [{ field: 'all_monitors', after: true }]],
  ])
  expect((await ask('get', '/checks/key:b')).body).toMatchObject({ monitors: [one.id, two.id].sort() })
})

test('what is deleted makes room for what is created', async () => {
  const keys = (prefix: string) => Array.from({ length: 100 }, (_, n) => `${prefix}${n}`)
  await apply(keys('old').map((key) => put(key)))
  await apply([...keys('new').map((key) => put(key)), ...keys('old').map(remove)])
  expect(await w.rows('select from checks where org_id = $1 and not deleted', org.org_id)).toHaveLength(100)
})

test('a long value is told by its beginning', async () => {
  const { changes } = await apply([put('a', { ...SHOP, match_string: 'x'.repeat(1000) })])
  const told = changes[0]?.fields.find(({ field }) => field === 'match_string')
  expect(told).toEqual({ field: 'match_string', after: `${'x'.repeat(300)}… (1000 characters)` })
})

test('routes are created, unchanged, replaced and deleted beside the checks that they name', async () => {
  const { id } = await createChannel(w.deps, org.org_id, { name: 'ops', kind: 'ntfy', ntfy_topic: 'topic' })
  const route = (key: string, body: object = {}): Change => ({
    action: 'put',
    kind: 'route',
    key,
    body: { name: key, scope: { checks: ['key:a'] }, steps: [{ channels: [String(id)] }], ...body },
  })
  const changes = [route('r'), put('a')]
  expect(actions(await apply(changes, { dry_run: true }))).toEqual(['created r', 'created a'])
  expect(actions(await apply(changes))).toEqual(['created r', 'created a'])
  const before = await state()
  expect(actions(await apply(changes))).toEqual(['unchanged r', 'unchanged a'])
  expect((await state()).slice(0, 3)).toEqual(before.slice(0, 3))
  const { changes: told } = await apply([route('r', { delay_sec: 60 })])
  expect(told.map(({ action, fields }) => [action, fields])).toEqual([
    ['replaced', [{ field: 'delay_sec', after: 60 }]],
  ])
  expect((await refusal([put('new'), route('s', { scope: { checks: ['key:b'] } }), route('t', { steps: 1 })]))[1]).toBe(
    'changes[2].body.steps must be an array',
  )
  expect(
    (await refusal([put('new'), route('s', { scope: { checks: ['key:b'] } }), route('t', { steps: [] })]))[1],
  ).toMatch(/^changes\[1\]\.body\.scope\.checks\[0\] must name an existing check.*; changes\[2\]\.body\.steps/)
  expect(actions(await apply([{ action: 'delete', kind: 'route', key: 'r' }, remove('a')]))).toEqual([
    'deleted r',
    'deleted a',
  ])
})

test('a channel is created, unchanged and replaced, and no answer has its secrets', async () => {
  const hook = (secret: string, name = 'hook'): Change => ({
    action: 'put',
    kind: 'channel',
    key: 'hook',
    body: { name, kind: 'webhook', destination: { webhook_url: `https://hooks.example.com/${secret}` } },
  })
  const answers = [
    await apply([hook('first-secret')], { dry_run: true }),
    await apply([hook('first-secret')]),
    await apply([hook('first-secret')]),
    await apply([hook('second-secret')], { dry_run: true }),
    await apply([hook('second-secret')]),
    await apply([{ action: 'put', kind: 'channel', key: 'hook', body: { name: 'hook', kind: 'webhook' } }]),
  ]
  expect(answers.map(({ changes }) => changes[0]?.action)).toEqual([
    ...['created', 'created', 'unchanged', 'replaced', 'replaced', 'unchanged'],
  ])
  const secret = { field: 'webhook_url', before: '(secret)', after: '(secret)' }
  expect(answers[3]?.changes[0]?.fields).toEqual([secret])
  expect(answers[4]?.changes[0]?.fields).toEqual([secret])
  expect(JSON.stringify(answers)).not.toMatch(/(first|second)-secret/)
  const route = { name: 'r', scope: { all: true }, steps: [{ channels: ['key:new'] }] }
  const both: Change[] = [
    { action: 'put', kind: 'route', key: 'r', body: route },
    {
      action: 'put',
      kind: 'channel',
      key: 'new',
      body: { name: 'n', kind: 'ntfy', destination: { ntfy_topic: 'topic' } },
    },
  ]
  expect(actions(await apply(both, { dry_run: true }))).toEqual(['created r', 'created new'])
  expect(await w.rows('select from deliveries where org_id = $1', org.org_id)).toEqual([])
})

test('the document has an alternative for each kind, and no other', () => {
  const { schemas } = document.components as { schemas: unknown }
  const { BulkChange } = schemas as {
    BulkChange: {
      allOf: [{ properties: { kind: { enum: string[] } } }, { oneOf: { properties: { kind: { enum: string[] } } }[] }]
    }
  }
  const [shared, { oneOf }] = BulkChange.allOf
  expect(shared.properties.kind.enum).toEqual([...KINDS.keys()])
  expect(oneOf.map(({ properties }) => properties.kind.enum)).toEqual([...KINDS.keys()].map((kind) => [kind]))
})

describe('scopes', () => {
  test.each([
    [['checks:write'], 200, 200],
    [['checks:read'], 200, 403],
    [['heartbeats:write'], 403, 403],
    [['read'], 200, 403],
  ])('%j may plan: %d, and change: %d', async (scopes, plans, changes) => {
    const narrow = configurator(w, await configToken(w, org, { scopes }))
    const body = { changes: [put('a')] }
    const seen = [await narrow('post', '/bulk', { ...body, dry_run: true }), await narrow('post', '/bulk', body)]
    expect(seen.map(({ status }) => status)).toEqual([plans, changes])
  })
})

test('another organisation has other keys, and its checks are nothing here', async () => {
  const other = await w.org()
  const theirs = configurator(w, await configToken(w, other))
  const { body } = await theirs('post', '/bulk', { changes: [put('a')] })
  const id = (body as Plan).changes[0]?.id ?? ''
  expect((await refusal([{ action: 'put', kind: 'check', id, body: SHOP }]))[0]).toBe(400)
  expect((await refusal([{ action: 'delete', kind: 'check', id }]))[0]).toBe(400)
  expect((await refusal([put('b', { ...SHOP, depends_on: id })]))[0]).toBe(400)
  expect(actions(await apply([put('a')]))).toEqual(['created a'])
})

test('a definition that was made private stands in no stored answer to a bulk request', async () => {
  const secret = { ...SHOP, url: 'https://shop.example.com/secret-path', headers: { Authorization: 'hidden-key' } }
  const changes = [put('a', secret), put('b', secret)]
  const first = await send(changes, {}, { 'Idempotency-Key': 'k' })
  for (const key of ['a', 'b']) {
    const change = put(key, { name: 'Private', url: '', interval_sec: 60 })
    expect((await send([change], {}, { 'Idempotency-Key': `${key} private` })).status).toBe(200)
  }
  const stored = await w.rows('select body from repeatable_answers where org_id = $1', org.org_id)
  expect(JSON.stringify(stored)).not.toMatch(/secret-path|hidden-key/)
  const again = await send(changes, {}, { 'Idempotency-Key': 'k' })
  expect([again.status, actions(again.body as Plan)]).toEqual([200, actions(first.body as Plan)])
})

describe('while somebody else holds the locks', () => {
  const template = (template_body: string) => ({
    name: 'hook',
    kind: 'webhook-template',
    destination: { template_url: 'https://hooks.example.com/', template_body },
  })
  const whileLocked = (work: () => Promise<unknown>) =>
    w.deps.database.people.transaction().execute(async (trx) => {
      await tick(trx)
      await lockOrganisation(trx, org.org_id)
      return work()
    })

  test('templates are tried, and 20 that are wrong are enough', async () => {
    const changes = Array.from({ length: 30 }, (_, n) => ({
      action: 'put',
      kind: 'channel',
      key: `k${n}`,
      body: template(`{{ ${n}`),
    }))
    const answer = await whileLocked(() => send([put('a'), ...changes], { dry_run: true }))
    expect(answer).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^changes\[1\]\.body\.destination\.template_body .*; and 17 more$/),
    })
  })

  test('the template of a channel is tried before it is changed', async () => {
    const made = await ask('post', '/channels', template('{"text": {{ message.title | json }}}'))
    expect(made.status).toBe(201)
    const { id } = made.body as { id: string }
    for (const method of ['put', 'patch'] as const) {
      const answer = await whileLocked(() => ask(method, `/channels/${id}`, template('{{')))
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('template_body') })
    }
    const right = template('{{ message.title | json }}')
    expect((await ask('put', `/channels/${id}`, right)).status).toBe(200)
    expect((await apply([{ action: 'put', kind: 'channel', id, body: { ...right, name: 'x' } }])).counts).toMatchObject(
      {
        replaced: 1,
      },
    )
  })
})

test.each([
  [
    'check',
    put('a', { ...SHOP, name: 'Other' }),
    'update check_states set rejudge_at = rejudge_at where check_id = (select check_id from checks where org_id = $1 and key = $2)',
  ],
  [
    'heartbeat',
    { action: 'put', kind: 'heartbeat', key: 'a', body: { name: 'Other', interval_sec: 90 } },
    'select from heartbeats where org_id = $1 and key = $2 for update',
  ],
])('a %s that is being judged is waited for before a channel is deleted', async (_, change, lock) => {
  const topic = { name: 'n', kind: 'ntfy', destination: { ntfy_topic: 'topic' } }
  await apply([
    { ...change, body: { ...change.body, name: 'First' } },
    { action: 'put', kind: 'channel', key: 'c', body: topic },
  ])
  // Its judge has it before it asks for channels.
  await w.rows(
    'insert into check_states (org_id, check_id) select org_id, check_id from checks where org_id = $1 on conflict do nothing',
    org.org_id,
  )
  let sent: Promise<unknown> = Promise.resolve()
  await w.deps.database.people.transaction().execute(async (judge) => {
    await judge.executeQuery(CompiledQuery.raw(lock, [org.org_id, 'a']))
    sent = apply([change, { action: 'delete', kind: 'channel', key: 'c' }])
    await eventually(async () => {
      const waiting = await w.rows(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return waiting.length === 1
    }, 'the request waits')
    expect(await lockChannels(judge, org.org_id)).toHaveLength(1)
  })
  expect(await sent).toMatchObject({ counts: { replaced: 1, deleted: 1 } })
})

describe('while somebody else holds the sync clock', () => {
  /** Does something else, while it holds the clock. */
  const holding = async (work: (trx: Trx) => Promise<void>) =>
    w.deps.database.people.transaction().execute(async (trx) => {
      await tick(trx)
      await work(trx)
    })
  const waits = () =>
    eventually(async () => {
      const waiting = await w.rows(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%sync_clock%'",
      )
      return waiting.length === 1
    }, 'the request waits for the clock')

  test('what changes nothing is answered, and so is what is refused', async () => {
    const changes = [put('a'), put('b')]
    await apply(changes)
    await holding(async () => {
      expect((await apply(changes)).counts).toMatchObject({ unchanged: 2 })
      expect((await send([put('a', { ...SHOP, url: 'gopher://x' })])).status).toBe(400)
      expect(await send([put('a', { ...SHOP, depends_on: 'key:nothing' })])).toMatchObject({
        status: 400,
        text: expect.stringContaining('depends_on'),
      })
    })
  })

  test('a change is compared again with what they change meanwhile, and each is told once', async () => {
    await apply([put('a'), put('b')])
    let sent: Promise<unknown> = Promise.resolve()
    await holding(async (trx) => {
      sent = apply([put('a', { ...SHOP, name: 'a', interval_sec: 90 }), put('new')])
      await waits()
      const theirs = 'update checks set timeout_sec = 7 where org_id = $1 and key = $2'
      await trx.executeQuery(CompiledQuery.raw(theirs, [org.org_id, 'a']))
    })
    expect(await sent).toMatchObject({
      changes: [
        {
          action: 'replaced',
          fields: [
            { field: 'interval_sec', before: 60, after: 90 },
            { field: 'timeout_sec', before: 7 },
          ],
        },
        { action: 'created' },
      ],
    })
    const told = await w.rows(
      "select action, detail -> 'changed' as changed from audit_entries where org_id = $1 and action like 'check.%' order by entry_id offset 2",
      org.org_id,
    )
    expect(told).toEqual([
      { action: 'check.edit', changed: ['interval_sec', 'timeout_sec'] },
      { action: 'check.create', changed: null },
    ])
    const rows = await w.rows('select key from checks where org_id = $1 order by check_id', org.org_id)
    expect(rows.map(({ key }) => key)).toEqual(['a', 'b', 'new'])
  })

  test('a check that they delete meanwhile is created anew, and one to be deleted is missed', async () => {
    await apply([put('a'), put('b')])
    let sent: Promise<unknown> = Promise.resolve()
    await holding(async (trx) => {
      sent = apply([put('a', { ...SHOP, name: 'a', interval_sec: 90 })])
      await waits()
      const theirs = 'update checks set deleted = true where org_id = $1'
      await trx.executeQuery(CompiledQuery.raw(theirs, [org.org_id]))
    })
    expect(await sent).toMatchObject({ counts: { created: 1, replaced: 0 } })
    await apply([put('c')])
    await holding(async (trx) => {
      sent = apply([remove('c')])
      sent.catch(() => {})
      await waits()
      await trx.executeQuery(
        CompiledQuery.raw("update checks set key = 'd' where org_id = $1 and key = 'c'", [org.org_id]),
      )
    })
    await expect(sent).rejects.toThrow('400 changes[0].key must name an existing check')
  })
})

test('changes that take too long together, or that nobody waits for, are not made', async () => {
  const actor = { person_id: 0, email: 'ops@example.com', impersonator_email: null }
  const [by, before] = [{ org_id: org.org_id, actor }, await state()]
  const changes = [put('a')] as Parameters<typeof changeInBulk>[2]
  let now = 0
  const clock = { ...w.clock, monotonicMs: () => (now += 11_000) }
  const late = changeInBulk({ ...w.deps, clock }, by, changes, { dry_run: false })
  await expect(late).rejects.toThrow(/took too long, so nothing was changed/)
  const gone = changeInBulk(w.deps, by, changes, { dry_run: false, gone: AbortSignal.abort() })
  await expect(gone).rejects.toThrow(/the client disconnected/)
  expect(await state()).toEqual(before)
})

test('a part of a transaction that fails or is not kept leaves no savepoint', async () => {
  const fails = () => Promise.reject(new Error('no'))
  for (const part of [
    (trx: Trx) => attempt(trx, fails).catch(() => {}),
    (trx: Trx) =>
      attempt(
        trx,
        () => Promise.resolve(),
        () => false,
      ),
  ]) {
    const left = w.deps.database.people.transaction().execute(async (trx) => {
      await part(trx)
      await sql`release savepoint attempt`.execute(trx)
    })
    await expect(left).rejects.toThrow(/savepoint "attempt" does not exist/)
  }
})

test('a request counts as many changes as it has, dry runs by themselves and a repeat not at all', async () => {
  const limited = await world({ config_api: {} })
  try {
    const its = await limited.org()
    const token = configurator(limited, await configToken(limited, its))
    // Refused at once, because all have one key: it counts nevertheless.
    const changes = Array.from({ length: 1000 }, () => remove('a'))
    const once = () => token('post', '/bulk', { changes: [put('a')] }, { 'Idempotency-Key': 'once' })
    expect((await once()).status).toBe(200)
    for (const dry_run of [true, false]) {
      const answers = []
      for (const from of [dry_run ? 0 : 1, 0, 0])
        answers.push(await token('post', '/bulk', { dry_run, changes: changes.slice(from) }))
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 429])
      expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(50)
    }
    expect((await once()).status).toBe(200)
    expect((await token('post', '/bulk', { changes: [] })).status).toBe(200)
  } finally {
    await limited.close()
  }
})

test('a change that names a state is made only while its thing is in it, and otherwise nothing is', async () => {
  const heartbeat: Change = { action: 'put', kind: 'heartbeat', key: 'h', body: { name: 'h', interval_sec: 60 } }
  const first = await apply([put('a'), heartbeat])
  expect(first.changes.map(({ found }) => found)).toEqual(['none', 'none'])
  const plan = await apply([put('a'), heartbeat, remove('a')].slice(0, 2), { dry_run: true })
  const [check = '', beat = ''] = plan.changes.map(({ found }) => found)
  expect((await ask('get', '/checks/key:a')).headers.etag).toBe(`"${check}"`)
  await ask('patch', '/heartbeats/key:h', { name: 'Other' })
  const stale = await refusal([
    { ...put('a', { ...SHOP, name: 'Other' }), if_match: check },
    { ...heartbeat, if_match: beat },
    { ...put('new'), if_match: 'none' },
  ])
  expect(stale).toEqual([412, 'changes[1].if_match does not match the current version of heartbeat h'])
  expect(
    await refusal([
      { ...put('a'), if_match: 'none' },
      { ...remove('b'), key: 'h', kind: 'heartbeat', if_match: beat },
    ]),
  ).toEqual([412, 'changes[0].if_match does not match the current version of check a; and 1 more'])
  expect((await refusal([{ ...put('gone'), if_match: check }]))[0]).toBe(412)
  const { counts } = await apply([
    { ...remove('a'), if_match: check },
    { ...put('new'), if_match: 'none' },
  ])
  expect(counts).toMatchObject({ created: 1, deleted: 1 })
})

test('routes are put into an order with the changes, or not at all', async () => {
  const { id } = await createChannel(w.deps, org.org_id, { name: 'ops', kind: 'ntfy', ntfy_topic: 'topic' })
  const route = (key: string): Change => ({
    action: 'put',
    kind: 'route',
    key,
    body: { name: key, scope: { all: true }, steps: [{ channels: [String(id)] }] },
  })
  const order = async () => {
    const { body } = await ask('get', '/routes')
    return (body as { routes: { name: string }[] }).routes.map(({ name }) => name).join(' ')
  }
  await apply(['a', 'b', 'c', 'd'].map(route))
  const to = (...keys: string[]) => ({ route_order: keys.map((key) => `key:${key}`) })
  expect(await apply([], { ...to('d', 'a'), dry_run: true })).toMatchObject({ reordered: true })
  expect(await order()).toBe('a b c d')
  expect(await apply([route('e')], to('e', 'd', 'a'))).toMatchObject({ reordered: true, counts: { created: 1 } })
  expect(await order()).toBe('e b c d a')
  expect(await apply([], to('e', 'd', 'a'))).toMatchObject({ reordered: false })
  const wrong = await send([route('f')], to('f', 'x'))
  expect([wrong.status, wrong.text]).toEqual([400, 'route_order[1] must name an existing route'])
  const twice = await send([route('f')], to('f', 'f'))
  expect([twice.status, twice.text]).toEqual([400, 'route_order[1] must not repeat a route'])
  const narrow = configurator(w, await configToken(w, org, { scopes: ['checks:write'] }))
  expect((await narrow('post', '/bulk', { changes: [], ...to('a') })).status).toBe(403)
  expect(await order()).toBe('e b c d a')
  const moves = await w.rows(
    "select subject, detail -> 'position' as position from audit_entries where org_id = $1 and action = 'route.move' order by entry_id",
    org.org_id,
  )
  expect(moves).toEqual([
    { subject: 'e', position: 1 },
    { subject: 'a', position: 5 },
  ])
})

test('what is stored is answered also when results cannot be wiped yet, and those of others are left alone', async () => {
  const other = await w.org()
  await w.checks(other, [{}])
  await apply([put('hidden')])
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error)
     select org_id, check_id, $1::timestamptz, 1, 500, false, 'm', 'quoted' from checks where org_id = any($2)`,
    w.clock.now().toISOString(),
    [org.org_id, other.org_id],
  )
  await w.rows(
    `insert into check_states as s (org_id, check_id, wipe_until) select org_id, check_id, '2999-01-01' from checks where org_id = $1
     on conflict (org_id, check_id) do update set wipe_until = excluded.wipe_until`,
    other.org_id,
  )
  const errorsOf = async () =>
    (await w.rows('select org_id, error from results where org_id = any($1)', [org.org_id, other.org_id]))
      .toSorted((one, next) => Number(one.org_id) - Number(next.org_id))
      .map(({ error }) => error)
  await plantTriggers(
    w.databaseUrl,
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'crossed' using errcode = '40001'; end $$`,
    `create trigger refuse before update on results for each row when (old.org_id = ${org.org_id}) execute function refuse()`,
  )
  try {
    const answer = await send([put('hidden', { name: 'hidden', url: '', interval_sec: 60 })])
    expect([answer.status, (answer.body as Plan).counts]).toMatchObject([200, { replaced: 1 }])
    expect(await errorsOf()).toEqual(['quoted', 'quoted'])
    await expect(wipeResults(w.deps)).rejects.toThrow('could not wipe')
    expect(await errorsOf()).toEqual(['quoted', null])
  } finally {
    await plantTriggers(w.databaseUrl, 'drop trigger refuse on results', 'drop function refuse')
  }
  await wipeResults(w.deps)
  expect(await errorsOf()).toEqual([null, null])
})
