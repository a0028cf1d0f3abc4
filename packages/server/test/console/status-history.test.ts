// The days of a status page are prepared by the worker. Its present state is not.

import { setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { preparePages } from '@dogwatch/domain/status-page/prepare'
import { readPublicStatus } from '@dogwatch/domain/status-page/read'
import { claimPageHistory, upsertPageHistory } from '@dogwatch/store/status-histories'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
beforeEach(() => w.rows('delete from status_histories'))

let count = 0

interface Page {
  org: Org
  monitor: Monitor
  guid: string
  slug: string
}

async function pageOfOne(): Promise<Page> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], [monitor.id])
  const slug = `history-${count++}`
  await setStatusPage(w.deps, org.org_id, true)
  const entries = [{ kind: 'check' as const, guid, public_name: 'Shop' }]
  await editStatusPage(w.deps, org.org_id, { slug, title: 'Shop', description: '', entries })
  return { org, monitor, guid, slug }
}

async function run({ monitor, guid }: Page, success: boolean): Promise<void> {
  const ran_at = w.clock.now().toISOString()
  await monitor.client.upload([result(guid, { ran_at, success, error: success ? '' : 'refused' })])
}

interface Json {
  computed_at: string
  history_computed_at: string
  systems: { state: string; runs?: number }[]
}

async function seen({ slug }: Page): Promise<Json> {
  const response = await fetch(`${w.direct}/status/${slug}.json`)
  expect(response.status).toBe(200)
  return (await response.json()) as Json
}

const now = () => `${w.clock.now().toISOString().slice(0, -1)}000Z`

describe('a page', () => {
  test('that nobody has prepared is computed when it is asked for', async () => {
    const page = await pageOfOne()
    await run(page, true)
    expect(await seen(page)).toMatchObject({ history_computed_at: now(), systems: [{ state: 'up', runs: 1 }] })
  })

  test('shows what is down at once, and its days as they were prepared', async () => {
    const page = await pageOfOne()
    await run(page, true)
    await seen(page)
    const prepared = now()
    w.clock.forward(60)
    await run(page, false)
    expect(await seen(page)).toMatchObject({
      computed_at: now(),
      history_computed_at: prepared,
      systems: [{ state: 'down', runs: 1 }],
    })
    await preparePages(w.deps)
    w.clock.forward(15)
    expect((await seen(page)).systems).toMatchObject([{ state: 'down', runs: 2 }])
  })

  test('computes no days that another process or the worker has prepared', async () => {
    const page = await pageOfOne()
    await run(page, true)
    await readPublicStatus(w.deps, page.slug)
    await w.rows('alter table check_schedules rename to broken')
    try {
      expect(await readPublicStatus(w.deps, page.slug)).toMatchObject({ entries: [{ share: { runs: 1 } }] })
    } finally {
      await w.rows('alter table broken rename to check_schedules')
    }
  })

  test('whose days cannot be computed shows older ones, and says of when', async () => {
    const page = await pageOfOne()
    await run(page, true)
    await readPublicStatus(w.deps, page.slug)
    const prepared = now()
    w.clock.forward(3600)
    await w.rows('alter table check_schedules rename to broken')
    try {
      expect(await readPublicStatus(w.deps, page.slug)).toMatchObject({ computed_at: now(), history_at: prepared })
      const response = await fetch(`${w.direct}/status/${page.slug}`)
      expect(await response.text()).toContain(`<time datetime="${prepared}">`)
    } finally {
      await w.rows('alter table broken rename to check_schedules')
    }
  })

  test('has no data on a day that began after its days were computed', async () => {
    const page = await pageOfOne()
    await run(page, true)
    const before = await readPublicStatus(w.deps, page.slug)
    await w.rows("update status_histories set computed_at = computed_at + interval '1 day'")
    w.clock.forward(86_400)
    const [entry] = (await readPublicStatus(w.deps, page.slug))?.entries ?? []
    expect(entry?.days.slice(-2).map(({ share }) => share.kind)).toEqual(['runs', 'none'])
    expect(entry?.days.slice(0, -1).map(({ day }) => day)).toEqual(
      before?.entries[0]?.days.slice(1).map(({ day }) => day),
    )
  })

  test('is no longer prepared once nobody asks for it, and forgotten after a day', async () => {
    const page = await pageOfOne()
    await readPublicStatus(w.deps, page.slug)
    w.clock.forward(60)
    expect(await preparePages(w.deps)).toBe(1)
    w.clock.forward(300)
    expect(await preparePages(w.deps)).toBe(0)
    w.clock.forward(86_400)
    await preparePages(w.deps)
    expect(await w.rows('select from status_histories')).toEqual([])
  })
})

describe('the worker', () => {
  const EMPTY = { first_day: '2026-01-01', checks: [], heartbeats: [] }
  const RULE = { every_ms: 60_000, times: 20, claim_ms: 120_000 }
  const ago = (sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString()
  const claim = () => claimPageHistory(w.deps.database.machines, { ...RULE, now: now(), asked_since: ago(300) })

  async function stored(sec_ago: number, took_ms: number): Promise<number> {
    const { org_id } = await w.org()
    const row = { org_id, history: EMPTY, computed_at: ago(sec_ago), took_ms, asked_at: now() }
    await upsertPageHistory(w.deps.database.machines, row)
    return org_id
  }

  test('takes the page that has been due for longest, and one that takes long no more often than its time allows', async () => {
    const [late, , latest] = [await stored(90, 10), await stored(59, 10), await stored(100, 10)]
    // Due since 10 s, and in 20 s.
    const slow = await stored(210, 10_000)
    await stored(180, 10_000)
    expect([await claim(), await claim(), await claim(), await claim()]).toEqual([latest, late, slow, undefined])
  })

  test('goes on with the pages of others where one cannot be computed', async () => {
    const page = await pageOfOne()
    await readPublicStatus(w.deps, page.slug)
    const other = await stored(61, 10)
    w.clock.forward(61)
    await w.rows('update status_histories set asked_at = $1', now())
    await w.rows('alter table check_schedules rename to broken')
    try {
      await preparePages(w.deps)
    } finally {
      await w.rows('alter table broken rename to check_schedules')
    }
    const fresh = await w.rows('select org_id from status_histories where computed_at >= $1', ago(1))
    expect(fresh).toEqual([{ org_id: other }])
  })
})
