// GET /checks/{guid}/results: keyset pages.

import { importChecks } from '@dogwatch/domain/checks/import'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { store } from '../retention/rows.ts'
import { ACCOUNT, type Monitor, type Org, result, type World, world } from '../support/world.ts'

interface Page {
  results: { ran_at: string; monitor_id: string }[]
  next?: { after: string; after_monitor: string }
}

let w: World
let org: Org
let token: string
let monitors: Monitor[]
let guid: string
beforeAll(async () => {
  w = await world()
  org = await w.org()
  token = await w.pat(org)
  monitors = [await w.monitor(org, 'alpha'), await w.monitor(org, '')]
})
beforeEach(async () => {
  await w.rows('update checks set deleted = true where org_id = $1', org.org_id)
  ;[guid = ''] = await w.checks(org, [{}], 'all')
})
afterAll(() => w.close())

const get = (query = '', check = guid) =>
  w.http.get(`${ACCOUNT}/checks/${check}/results${query}`).set('Authorization', `Bearer ${token}`)
const page = async (query = ''): Promise<Page> => {
  const answer = await get(query)
  expect(answer.status).toBe(200)
  return answer.body as Page
}
const readAll = async () => {
  const seen: Page['results'] = []
  let query = ''
  for (;;) {
    const { results, next } = await page(query)
    if (!next) {
      expect(results).toEqual([])
      return seen
    }
    seen.push(...results)
    query = `?after=${next.after}&after_monitor=${next.after_monitor}`
  }
}
const at = (i: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + i * 1000).toISOString()

describe('a result', () => {
  test('reads back with its timings, certificate and retries, and without those it does not have', async () => {
    const [alpha] = monitors as [Monitor, Monitor]
    const timings = { connect_ms: 3, first_byte_ms: 40_000, transfer_ms: 0 }
    await alpha.client.upload([
      result(guid, { ran_at: at(0), timings, cert_expires_at: '2027-02-18T10:30:00Z', retries: 2 }),
      result(guid, { ran_at: at(1), retries: 0 }),
    ] as Parameters<typeof alpha.client.upload>[0])
    const { results } = await page()
    expect(results[0]).toMatchObject({ timings, cert_expires_at: '2027-02-18T10:30:00.000000Z', retries: 2 })
    expect(Object.keys(results[1] ?? {}).sort()).toEqual(
      'http_status latency_ms monitor_id monitor_name ran_at success'.split(' '),
    )
  })

  test('reads back with every field, http_status and error absent when there is none', async () => {
    const [alpha, nameless] = monitors as [Monitor, Monitor]
    await alpha.client.upload([
      result(guid, {
        ran_at: '2026-11-20T10:00:00.123456Z',
        success: false,
        http_status: 503,
        error: 'down',
        response_sample: '<h1>',
      }),
    ])
    await nameless.client.upload([result(guid, { ran_at: '2026-11-20T10:00:01Z', http_status: 0, error: '' })])
    expect((await page()).results).toEqual([
      {
        ran_at: '2026-11-20T10:00:00.123456Z',
        monitor_id: alpha.id,
        monitor_name: 'alpha',
        success: false,
        latency_ms: 12,
        http_status: 503,
        error: 'down',
        response_sample: '<h1>',
      },
      { ran_at: '2026-11-20T10:00:01.000000Z', monitor_id: nameless.id, success: true, latency_ms: 12 },
    ])
  })

  test('is cut again when the cap has come down since', async () => {
    await monitors[0]?.client.upload([result(guid, { error: '🐕🐕🐕', response_sample: 'abc' })])
    const recap = (result_detail_max_chars: number) =>
      importChecks(w.deps, org.org_id, [
        { guid, name: 'c', url: 'https://example.com/', interval_sec: 60, result_detail_max_chars },
      ])
    await recap(2)
    expect((await page()).results).toMatchObject([{ error: '🐕🐕', response_sample: 'ab' }])
    await recap(0)
    expect((await page()).results[0]).not.toHaveProperty('error')
  })
})

describe('pages', () => {
  test('hold 500 results, oldest first; next is there whenever rows are, and the last page is empty without it', async () => {
    const batch = Array.from({ length: 750 }, (_, i) => result(guid, { ran_at: at(i) }))
    await monitors[0]?.client.upload(batch.toReversed())
    const first = await page()
    expect(first.results).toHaveLength(500)
    const second = await page(`?after=${first.next?.after}&after_monitor=${first.next?.after_monitor}`)
    expect(second.results).toHaveLength(250)
    expect(second.next).toBeDefined()
    const third = await page(`?after=${second.next?.after}&after_monitor=${second.next?.after_monitor}`)
    expect(third).toEqual({ results: [] })
    const seen = [...first.results, ...second.results].map(({ ran_at }) => ran_at)
    expect(seen).toEqual([...seen].sort())
  })

  test('a check without results has one empty page', async () => {
    expect(await page()).toEqual({ results: [] })
  })

  test('property: pages from any cursor lose and repeat nothing, microseconds and ties of monitors included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.nat(40), fc.nat(1)), {
          minLength: 1,
          maxLength: 40,
          selector: ([us, m]) => us * 2 + m,
        }),
        fc.nat(),
        async (runs, cut) => {
          ;[guid = ''] = await w.checks(org, [{}], 'all')
          for (const [i, monitor] of monitors.entries()) {
            await monitor.client.upload(
              runs
                .filter(([, m]) => m === i)
                .map(([us]) => result(guid, { ran_at: `2026-11-20T10:00:00.0000${String(us).padStart(2, '0')}Z` })),
            )
          }
          const all = await readAll()
          expect(all).toHaveLength(runs.length)
          const keys = all.map(({ ran_at, monitor_id }) => `${ran_at} ${monitor_id}`)
          expect(keys).toEqual([...new Set(keys)].sort())
          const from = all[cut % all.length]
          const rest = await page(`?after=${from?.ran_at}&after_monitor=${from?.monitor_id}`)
          expect(rest.results).toEqual(all.slice((cut % all.length) + 1))
          await w.rows('update checks set deleted = true where guid = $1', guid)
        },
      ),
      { numRuns: 20 },
    )
  })

  test('after alone starts at that instant, inclusive; after_monitor alone is ignored', async () => {
    await monitors[0]?.client.upload([1, 2, 3].map((i) => result(guid, { ran_at: at(i) })))
    expect((await page(`?after=${at(2)}`)).results).toHaveLength(2)
    expect((await page('?after_monitor=zzzzzzzzzzzz')).results).toHaveLength(3)
    expect((await page('?after_monitor=%00')).results).toHaveLength(3)
    expect((await page(`?after=${at(2)}&after_monitor=%00`)).results).toHaveLength(2)
  })

  test('an offset and any fraction are taken, cut to the microsecond', async () => {
    await monitors[0]?.client.upload([result(guid, { ran_at: '2026-11-20T10:00:00.000001Z' })])
    for (const offset of ['%2B05:30', '+05:30', '%2b05%3A30']) {
      expect((await page(`?after=2026-11-20T15:30:00.0000019${offset}`)).results).toHaveLength(1)
      expect((await page(`?after_monitor=ab&after=2026-11-20T15:30:00.000002${offset}`)).results).toHaveLength(0)
    }
    expect((await page('?after=2026-11-20T10:00:00.000002z')).results).toHaveLength(0)
  })

  test('results outside the months that exist come in order too', async () => {
    await store(w, org, guid, ['1999-01-01T00:00:00Z', '2031-01-01T00:00:00Z', at(1)])
    expect((await readAll()).map(({ ran_at }) => ran_at.slice(0, 4))).toEqual(['1999', '2026', '2031'])
  })
})

describe('refusals', () => {
  test('an encoded space is no plus', async () => {
    // Not through another judge, which would write it as a plus.
    const url = `${w.direct}${ACCOUNT}/checks/${guid}/results?after=2026-11-20T10:00:00%2002:00`
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
    expect([answer.status, await answer.text()]).toEqual([400, 'after must be an RFC 3339 date-time'])
  })

  test.each(['', 'now', '2026-02-30T00:00:00Z', '2026-11-20T24:00:00Z', '2026-11-20'])(
    'after=%j is 400',
    async (after) => {
      const answer = await get(`?after=${encodeURIComponent(after)}`)
      expect({ status: answer.status, line: answer.text }).toEqual({
        status: 400,
        line: 'after must be an RFC 3339 date-time',
      })
    },
  )

  test("an unknown guid and another org's are 404, also with a bad cursor behind the schema", async () => {
    const [foreign] = await w.checks(await w.org(), [{}])
    for (const check of [foreign, 'nonsense', '%E0%A4']) {
      const answer = await get('', check)
      expect({ status: answer.status, line: answer.text }).toEqual({ status: 404, line: 'no check with that guid' })
    }
  })
})
