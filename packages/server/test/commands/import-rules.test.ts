// The rules of an import, through the use case that the command calls: many cases, and no process for each.

import { toAccountCheck } from '@dogwatch/api/account-api/wire'
import { assignMonitors, type MonitorChoice } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { exportChecks } from '@dogwatch/domain/checks/read'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Operator, operator } from './operator.ts'

const LEAST = { name: 'shop', url: 'https://example.com/', interval_sec: 60 }
const INNER = 'http://192.168.1.1/'
const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let o: Operator
let org: number
let other: number
beforeAll(async () => {
  o = await operator()
})
beforeEach(async () => {
  org = await o.org()
  other = await o.org()
})
afterAll(() => o.close())

const put = async (entries: unknown, monitors?: MonitorChoice, into = org) =>
  (await importChecks(o.deps, into, entries, monitors)).guids
const exported = async (from = org) => (await exportChecks(o.deps, from)).map((check) => toAccountCheck(check))
const monitorsOf = async (guid = '') =>
  (await o.rows('select monitor_id from assignments where guid = $1 and active order by 1', guid)).map((row) =>
    String(row.monitor_id),
  )
const newMonitor = async (owner: number | null) => (await o.monitor(owner)).monitor_id

let count = 0
const freeGuid = () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`

describe('guids', () => {
  test('one that is free is kept, none gets a new one, and the answer is in the order of the file', async () => {
    const [one, two] = [freeGuid(), freeGuid()]
    const guids = await put([{ ...LEAST, guid: two }, LEAST, { ...LEAST, guid: one }, { ...LEAST, guid: '' }])
    expect(guids).toEqual([two, expect.stringMatching(V4), one, expect.stringMatching(V4)])
    expect((await exported()).map((check) => check.guid)).toEqual(guids)
  })

  test('null is none', async () => {
    expect(await put([{ ...LEAST, guid: null }])).toEqual([expect.stringMatching(V4)])
  })

  test('one that the org has is replaced whole: what is left out goes back to its default', async () => {
    const guid = freeGuid()
    await put([{ ...LEAST, guid, enabled: false, timeout_sec: 30, headers: { A: 'b' }, match_string: 'x' }])
    expect(await put([{ ...LEAST, guid, name: 'other' }])).toEqual([guid])
    expect(await exported()).toEqual([
      {
        ...LEAST,
        guid,
        name: 'other',
        enabled: true,
        restricted: false,
        match_string: '',
        result_detail_max_chars: 256,
      },
    ])
  })

  test('one that another org has gets a new one, and theirs is left as it is', async () => {
    const guid = freeGuid()
    await put([{ ...LEAST, guid, name: 'theirs' }], undefined, other)
    const [mine] = await put([{ ...LEAST, guid, name: 'mine' }])
    expect(mine).toMatch(V4)
    expect(mine).not.toBe(guid)
    expect(await exported(other)).toMatchObject([{ guid, name: 'theirs' }])
  })

  test('one whose check the org deleted is kept: the check comes back, its definition from the file alone', async () => {
    const [guid = ''] = await put([LEAST])
    await deleteCheck(o.deps, guid)
    const [again] = await put([{ ...LEAST, guid }])
    expect(again).toBe(guid)
    expect(await exported()).toMatchObject([{ ...LEAST, guid }])
  })

  test('of two imports of one free guid into two orgs at once, one keeps it and the other gets a new one', async () => {
    const guid = freeGuid()
    const both = await Promise.all([put([{ ...LEAST, guid }]), put([{ ...LEAST, guid }], undefined, other)])
    expect(both.flat().filter((one) => one === guid)).toHaveLength(1)
    expect(await exported()).toHaveLength(1)
    expect(await exported(other)).toHaveLength(1)
  })

  const refused: Record<string, [guid: unknown, line: string]> = {
    'upper case': ['AAAAAAAA-0000-4000-8000-000000000000', '[1].guid must be a lower-case uuid'],
    'a number': [7, '[1].guid must be a lower-case uuid'],
    'any other text': ['shop', '[1].guid must be a lower-case uuid'],
    'an object': [{}, '[1].guid must be a lower-case uuid'],
    'a line break behind it': [`${freeGuid()}\n`, '[1].guid must be a lower-case uuid'],
  }
  test.each(Object.entries(refused))('refused: %s', async (_, [guid, line]) => {
    await expect(put([LEAST, { ...LEAST, guid }])).rejects.toMatchObject({ kind: 'invalid', message: line })
    expect(await exported()).toEqual([])
  })

  test('refused: one guid twice in a file', async () => {
    const guid = freeGuid()
    const file = [LEAST, { ...LEAST, guid }, LEAST, { ...LEAST, guid }]
    await expect(put(file)).rejects.toMatchObject({ message: '[3].guid must not repeat the guid of an earlier check' })
    expect(await exported()).toEqual([])
  })
})

describe('the file', () => {
  test('an empty array is no fault and changes nothing', async () => expect(await put([])).toEqual([]))

  test.each([null, undefined, {}, 'x', 7, { 0: LEAST, length: 1 }])('refused: %j', async (file) => {
    await expect(put(file)).rejects.toMatchObject({ message: 'the file must contain an array of checks' })
  })

  test('all or nothing: the last entry of many is bad, and no replaced one has moved', async () => {
    const [guid = ''] = await put([LEAST])
    const before = await o.stored()
    const file = [{ ...LEAST, guid, name: 'new name' }, LEAST, { ...LEAST, interval_sec: 29 }]
    await expect(put(file)).rejects.toMatchObject({
      message: '[2].interval_sec must be at least 30 on the team plan',
    })
    expect(await o.stored()).toBe(before)
  })

  test('export then import is the identity, into another org too but for the guids', async () => {
    await put([
      { ...LEAST, headers: { B: '2', A: '1', __proto__x: '3' }, post_data: 'x\u2028y' },
      { ...LEAST, url: '' },
      { ...LEAST, url: INNER, status_code_op: 'gte', status_code_value: 500, invert_result: true },
    ])
    const file = await exported()
    await put(JSON.parse(JSON.stringify(file)))
    expect(await exported()).toEqual(file)
    await put(file, undefined, other)
    const anonymous = (checks: typeof file) => checks.map((check) => ({ ...check, guid: '' }))
    expect(anonymous(await exported(other))).toEqual(anonymous(file))
  })
})

describe('monitors', () => {
  test('named ones are exactly those that run the checks afterwards', async () => {
    const [one, two, shared] = [await newMonitor(org), await newMonitor(org), await newMonitor(null)]
    const [guid] = await put([LEAST], [one, shared])
    expect(await monitorsOf(guid)).toEqual([one, shared].sort())
    await put([{ ...LEAST, guid }], [two])
    expect(await monitorsOf(guid)).toEqual([two])
  })

  test('all: also those that enroll later, of the org and of the shared fleet, and none of another org', async () => {
    const [guid] = await put([LEAST], 'all')
    const [own, shared] = [await newMonitor(org), await newMonitor(null)]
    await newMonitor(other)
    expect(await monitorsOf(guid)).toEqual(expect.arrayContaining([own, shared]))
    const rows = await o.rows(
      'select distinct m.org_id from assignments a join monitors m on m.id = a.monitor_id where a.guid = $1',
      guid,
    )
    expect(rows.map((row) => row.org_id)).toEqual(expect.arrayContaining([org, null]))
    expect(rows).toHaveLength(2)
  })

  test('named ones end a choice of all: who enrolls later is left out', async () => {
    const own = await newMonitor(org)
    const [guid] = await put([LEAST], 'all')
    await put([{ ...LEAST, guid }], [own])
    await newMonitor(org)
    expect(await monitorsOf(guid)).toEqual([own])
  })

  test('left out, a choice of all stays one', async () => {
    const [guid] = await put([LEAST], 'all')
    await put([{ ...LEAST, guid, name: 'new name' }])
    const later = await newMonitor(org)
    expect(await monitorsOf(guid)).toContain(later)
  })

  test('none takes them all away', async () => {
    const [guid] = await put([LEAST], 'all')
    await put([{ ...LEAST, guid }], 'none')
    await newMonitor(org)
    expect(await monitorsOf(guid)).toEqual([])
  })

  test.each(['another org', 'nobody'])('one of %s is refused, and nothing is imported', async (whose) => {
    const id = whose === 'nobody' ? '000000000000' : await newMonitor(other)
    await expect(put([LEAST], [await newMonitor(org), id])).rejects.toMatchObject({
      kind: 'invalid',
      message: `monitors must not include ${id}, which is neither one of your own monitors nor a shared monitor`,
    })
    expect(await exported()).toEqual([])
  })

  const ids = {
    nothing: '',
    'two lines': 'a\nb',
    sql: "'; drop table monitors; --",
    'ten thousand': 'x'.repeat(10_000),
  }
  test.each(Object.entries(ids))('an id that is no id is refused: %s', async (_, id) => {
    await expect(put([LEAST], [id])).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('restricted checks never go to the shared fleet', () => {
  const kinds: Record<string, Record<string, unknown>> = {
    'asked for': { restricted: true },
    'an inner target': { url: INNER },
    'a disguised inner target': { url: 'tcp://0x7f.1:80', restricted: false },
    'a private definition': { url: '' },
  }
  test.each(Object.entries(kinds))('%s: named is a fault, all leaves it out', async (_, given) => {
    const [own, shared] = [await newMonitor(org), await newMonitor(null)]
    const guid = freeGuid()
    await expect(put([{ ...LEAST, ...given, guid }], [own, shared])).rejects.toMatchObject({
      message: `monitors must not include the shared monitor ${shared}, because check ${guid} runs only on your own monitors`,
    })
    expect(await exported()).toEqual([])
    await put([{ ...LEAST, ...given, guid }], 'all')
    await newMonitor(null)
    expect(await monitorsOf(guid)).toEqual([own])
    await expect(assignMonitors(o.deps, guid, [shared])).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('one that becomes restricted is taken from it, and comes back when it was meant for all', async () => {
    const [own, shared] = [await newMonitor(org), await newMonitor(null)]
    const [forAll, named] = [freeGuid(), freeGuid()]
    await put([{ ...LEAST, guid: forAll }], 'all')
    await put([{ ...LEAST, guid: named }], [own, shared])
    await put([forAll, named].map((guid) => ({ ...LEAST, guid, url: INNER })))
    expect([await monitorsOf(forAll), await monitorsOf(named)]).toEqual([[own], [own]])
    await put([forAll, named].map((guid) => ({ ...LEAST, guid })))
    expect(await monitorsOf(forAll)).toEqual(expect.arrayContaining([own, shared]))
    expect(await monitorsOf(named)).toEqual([own])
  })

  test('a wiped one stays restricted when its export is imported again', async () => {
    const [guid = ''] = await put([LEAST], 'all')
    await wipeDefinition(o.deps, guid)
    await put(await exported(), 'all')
    const shared = await newMonitor(null)
    expect(await monitorsOf(guid)).not.toContain(shared)
    expect(await exported()).toMatchObject([{ guid, url: '', restricted: true }])
  })
})
