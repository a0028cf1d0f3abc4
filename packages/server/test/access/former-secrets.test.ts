// A secret that was changed stays hidden in results that quote it, however it was changed and whenever they arrive.

import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { readDeletions, restoreChecks } from '@dogwatch/domain/checks/deletions'
import { importChecks } from '@dogwatch/domain/checks/import'
import { wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import type { SecretFields } from '@dogwatch/store/checks/checks'
import { gatedTime } from '@dogwatch/store/gated-time'
import { PRUNERS } from '@dogwatch/store/results/retention'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { configToken, configurator } from '../../../api/test/support/config-api.ts'
import { ACCOUNT, type Monitor, type Org, result, type World, world } from '../support/world.ts'

const OLD = {
  url: 'https://ana:hunter-one@shop.example/?token=hunter-two',
  headers: { 'X-Api-Key': 'hunter-three' },
  post_data: '{"word":"hunter-four"}',
  proxy: 'http://ana:hunter-five@proxy.example:3128',
} satisfies Required<SecretFields>
const NEW = {
  url: 'https://ana:rabbit-one@shop.example/?token=rabbit-two',
  headers: { 'X-Api-Key': 'rabbit-three' },
  post_data: '{"word":"rabbit-four"}',
  proxy: 'http://ana:rabbit-five@proxy.example:3128',
} satisfies Required<SecretFields>
const WORDS = ['one', 'two', 'three', 'four', 'five']
const QUOTED = `status: ${['hunter', 'rabbit'].flatMap((which) => WORDS.map((word) => `${which}-${word}`)).join(' ')}`

let w: World
let org: Org
let monitor: Monitor
let guid: string
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ name: 'shop', ...OLD }], 'all')
})
afterAll(() => w.close())

async function upload(ran_at: string): Promise<void> {
  const texts = { success: false, error: QUOTED, response_sample: QUOTED }
  await monitor.client.upload([result(guid, { ran_at: `2026-11-20T${ran_at}.000000Z`, ...texts })])
}

/** Returns everything that a token with the scope `read` reads of results, incidents and alerts. */
async function seen(): Promise<string> {
  const ask = configurator(w, await configToken(w, org, { scopes: ['read'] }))
  const texts: string[] = []
  for (const path of [`/checks/${guid}/results`, '/incidents', '/deliveries']) texts.push((await ask('get', path)).text)
  const incidents = (await ask('get', '/incidents')).body.incidents as { id: string }[]
  for (const { id } of incidents) texts.push((await ask('get', `/incidents/${id}`)).text)
  return texts.join('\n')
}

const byOwner = () => ({
  org_id: org.org_id,
  actor: { person_id: org.owner_id, email: 'o@example.com', impersonator_email: null },
})

describe('a secret that was changed', () => {
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    'by a patch': async () => {
      const ask = configurator(w, await configToken(w, org, { scopes: ['write'] }))
      expect((await ask('patch', `/checks/${guid}`, NEW)).status).toBe(200)
    },
    'one field after the other': async () => {
      const ask = configurator(w, await configToken(w, org, { scopes: ['write'] }))
      for (const [field, value] of Object.entries(NEW))
        expect((await ask('patch', `/checks/${guid}`, { [field]: value })).status).toBe(200)
    },
    'in bulk': async () => {
      const ask = configurator(w, await configToken(w, org, { scopes: ['write'] }))
      const body = { name: 'shop', interval_sec: 60, ...NEW }
      const changes = [{ action: 'put', kind: 'check', id: guid, body }]
      expect((await ask('post', '/bulk', { changes })).status).toBe(200)
    },
    'by an import': () => importChecks(w.deps, org.org_id, [{ guid, name: 'shop', interval_sec: 60, ...NEW }]),
    'by an import while it was deleted': async () => {
      await changeChecks(w.deps, byOwner(), [guid], { kind: 'delete' })
      await importChecks(w.deps, org.org_id, [{ guid, name: 'shop', interval_sec: 60, ...NEW }], 'all')
    },
    'before it was deleted and restored': async () => {
      await importChecks(w.deps, org.org_id, [{ guid, name: 'shop', interval_sec: 60, ...NEW }])
      await changeChecks(w.deps, byOwner(), [guid], { kind: 'delete' })
      const [deletion] = await readDeletions(w.deps, org.org_id)
      await restoreChecks(w.deps, byOwner(), deletion?.batch_id ?? '')
    },
    'in the database': () =>
      w.rows(
        'update checks set url = $2, headers = $3, post_data = $4, proxy = $5 where guid = $1',
        ...[guid, NEW.url, JSON.stringify(NEW.headers), NEW.post_data, NEW.proxy],
      ),
  }
  test.each(Object.entries(ways))('%s stays hidden, also in results that arrive later', async (_, change) => {
    await upload('11:57:00')
    await change()
    await upload('11:58:00')
    const text = await seen()
    expect(text).toContain(`status: ${Array(10).fill('***').join(' ')}`)
    expect(text).not.toMatch(/hunter|rabbit/)
    const pat = await w.pat(org)
    const answer = await w.http.get(`${ACCOUNT}/checks/${guid}/results`).set('Authorization', `Bearer ${pat}`)
    expect(answer.text.match(/hunter-one/g)).toHaveLength(4)
  })
})

const kept = () =>
  w.rows(
    `select f.replaced_at, f.url, f.headers, f.post_data, f.proxy from former_secrets f join checks c using (org_id, check_id)
     where c.guid = $1 order by f.replaced_at desc, f.former_id desc`,
    guid,
  )
const setBody = (body: string) => w.rows('update checks set post_data = $2 where guid = $1', guid, body)

describe('of the definitions of a check from before', () => {
  test('nothing is kept that holds no secret, and nothing twice', async () => {
    await w.rows("update checks set url = 'https://new.example/a', name = 'x' where guid = $1", guid)
    await w.rows(
      'update checks set url = \'https://new.example/b\', headers = headers || \'{"X": "y"}\' where guid = $1',
      guid,
    )
    expect((await kept()).map(({ url, headers, post_data }) => [url, headers, post_data])).toEqual([
      [OLD.url, null, null],
    ])
  })

  test.each([
    ['many', 60, (n: number) => `word-${n}`],
    ['large ones', 8, (n: number) => `${n}`.repeat(9000)],
  ])('%s are not all kept, and texts from then are withheld', async (_, count, bodyOf) => {
    await upload('11:58:00')
    for (let n = 0; n < count; n++) await setBody(bodyOf(n))
    const rows = await kept()
    const bytes = rows.reduce((sum, { post_data }) => sum + ((post_data as string | null)?.length ?? 0), 0)
    expect([rows.length <= 33, bytes <= 32_768, rows.at(-1)?.post_data]).toEqual([true, true, null])
    const text = await seen()
    expect(text).toContain('"error":"status"')
    expect(text).toContain('"response_sample":"***"')
    await w.rows('update former_secrets set replaced_at = $2 where org_id = $1', org.org_id, '2026-11-19T11:00:00Z')
    expect(await seen()).toContain('hunter-one *** hunter-three hunter-four'.replaceAll(/hunter-(one|three)/g, '***'))
  })

  test('nothing is kept of a definition that is private now', async () => {
    await setBody('other-word')
    await upload('11:58:00')
    await wipeDefinition(w.deps, guid)
    expect((await kept()).map(({ url, headers, post_data }) => [url, headers, post_data])).toEqual([[null, null, null]])
    await importChecks(w.deps, org.org_id, [{ guid, name: 'shop', interval_sec: 60, ...NEW }])
    await upload('11:59:00')
    expect(await seen()).not.toMatch(/hunter|rabbit/)
  })

  test('those are deleted that no result can quote any more', async () => {
    await setBody('other-word')
    const prune = (now: string) => {
      const edge = gatedTime(now)
      const edges = { now, edge, audit_edge: edge }
      return PRUNERS.former_secrets?.(w.deps.database.machines, { org_id: org.org_id, ...edges, limit: 10 })
    }
    expect([await prune('2027-02-01T00:00:00Z'), await prune('2027-06-01T00:00:00Z')]).toEqual([0, 1])
    expect(await kept()).toEqual([])
  })
})

test('the end of a text that an earlier limit cut stays hidden', async () => {
  const limit = (most: number) => w.rows('update checks set result_detail_max_chars = $2 where guid = $1', guid, most)
  await limit(60)
  const sample = 'it sent nothing, but behind this there is a part of hunter-th'
  const texts = { success: false, error: 'status: 500', response_sample: sample }
  await monitor.client.upload([result(guid, { ran_at: '2026-11-20T11:58:00.000000Z', ...texts })])
  expect(await seen()).toContain('"response_sample":"it sent nothing, but***"')
  await limit(0)
  await limit(1000)
  expect(await seen()).toContain('"response_sample":"it sent nothing, but***"')
})
