// GET /export: one document with everything an org has, and nothing that is another's.
import { gunzipSync } from 'node:zlib'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { addMember } from '@dogwatch/domain/organisations/members'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { exchange } from '../support/raw-http.ts'
import { ACCOUNT, type Org, result, type World, world } from '../support/world.ts'

interface Document {
  generated_at: string
  checks: Record<string, unknown>[]
  results: Record<string, { ran_at: string; monitor_id: string }[]>
  [part: string]: unknown
}

let w: World
let org: Org
let token: string
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org()
  token = await w.pat(org)
})
afterAll(() => w.close())

const get = async (path: string, bearer = token) => {
  const answer = await w.http.get(`${ACCOUNT}${path}`).set('Authorization', `Bearer ${bearer}`)
  expect(answer.status).toBe(200)
  return answer
}
const exported = async (bearer = token) => (await get('/export', bearer)).body as Document

const FULL = {
  name: 'shop',
  url: 'https://user:secret@shop.example.com/health',
  enabled: false,
  restricted: true,
  interval_sec: 30,
  timeout_sec: 60,
  disable_redirects: true,
  insecure_skip_verify: true,
  headers: { Host: 'shop.example.com' },
  post_data: '{"a":1}',
  match_string: 'o+k',
  match_mode: 'not_regex',
  status_code_op: 'lte',
  status_code_value: 299,
  cert_expiry_warn_days: 14,
  max_response_time_ms: 900,
  invert_result: true,
  result_detail_max_chars: 100,
  down_interval_sec: 3,
  resend_interval_sec: 600,
}
const BEAT = { interval_sec: 3600, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }

/** An org with one or more of everything; returns its guids. */
async function furnish(owner: Org, mark: string): Promise<string[]> {
  const guids = await w.checks(owner, [{ ...FULL, name: mark }, { name: mark }, { name: mark }])
  await createHeartbeat(w.deps, owner.org_id, { name: mark, ...BEAT })
  await createChannel(w.deps, owner.org_id, {
    kind: 'webhook',
    name: mark,
    webhook_url: `https://${mark}.example.com/`,
    webhook_secret: mark,
  })
  await addMember(w.deps, owner.org_id, `${mark}@example.com`)
  const monitor = await w.monitor(owner, mark)
  await importChecks(w.deps, owner.org_id, (await exported(await w.pat(owner))).checks, 'all')
  await monitor.client.upload(guids.slice(1).map((guid) => result(guid, { success: false, error: mark })))
  return guids
}

/** A check as an export has it: what is watched, and not how it stands. */
function definitionOf({ state, state_since: _, ...definition }: Record<string, unknown>): Record<string, unknown> {
  expect(state).toEqual(expect.any(String))
  return definition
}

describe('the document', () => {
  test('has the keys that the contract names and no more, each part as its own route gives it', async () => {
    const guids = await furnish(org, `one${org.org_id}`)
    const document = await exported()
    const { generated_at, org_name, entitlements, plan_usage, results, ...parts } = document
    expect({ ...parts }).toEqual({
      checks: (await get('/checks')).body.map(definitionOf),
      monitors: (await get('/monitors')).body,
      heartbeats: (await get('/heartbeats')).body,
      notification_channels: (await get('/notification-channels')).body,
      members: (await get('/members')).body,
    })
    expect({ org_name, entitlements, plan_usage }).toEqual((await get('/settings')).body)
    expect(generated_at).toBe('2026-11-20T12:00:00.000000Z')
    expect(Object.keys(results)).toEqual(guids)
    for (const guid of guids) {
      expect(results[guid]).toEqual((await get(`/checks/${guid}/results`)).body.results)
    }
  })

  test('is an attachment of JSON named after the day', async () => {
    const { headers } = await get('/export')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['content-disposition']).toBe('attachment; filename="dogwatch-export-2026-11-20.json"')
  })

  test('of an org that has nothing is whole too', async () => {
    expect(await exported()).toMatchObject({ checks: [], monitors: [], heartbeats: [], results: {} })
  })

  test('has a key in results for every check, [] for one without any, and none for a deleted one', async () => {
    const monitor = await w.monitor(org)
    const guids = await w.checks(org, [{}, {}, {}, {}], 'all')
    const [none = '', one = '', last = '', gone = ''] = guids
    await monitor.client.upload([result(one), result(gone)])
    await deleteCheck(w.deps, gone)
    const { results } = await exported()
    expect(Object.entries(results).map(([guid, rows]) => [guid, rows.length])).toEqual([
      [none, 0],
      [one, 1],
      [last, 0],
    ])
  })

  test('holds all of 4,100 results, once each and oldest first, whatever order they came in', async () => {
    const monitor = await w.monitor(org, 'alpha')
    const [guid = '', other = ''] = await w.checks(org, [{}, {}], 'all')
    await w.rows(
      `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
       select org_id, check_id, timestamptz '2026-10-25T00:00:00.000001Z' + n % 4100 * interval '7 minutes', 1, 200, true, $2
       from checks, generate_series(4099, 0, -1) n where guid = $1`,
      guid,
      monitor.id,
    )
    await monitor.client.upload([result(other)])
    const { results } = await exported()
    const times = results[guid]?.map(({ ran_at }) => ran_at) ?? []
    expect(times).toHaveLength(4100)
    expect(times).toEqual([...new Set(times)].sort())
    expect(times[0]).toBe('2026-10-25T00:00:00.000001Z')
    expect(results[other]).toHaveLength(1)
  })

  test('holds exactly as many results as one page, two pages and one more than that', async () => {
    const monitor = await w.monitor(org)
    const guids = await w.checks(org, [{}, {}, {}], 'all')
    const counts = [500, 1000, 1001]
    for (const [index, guid] of guids.entries()) {
      await w.rows(
        `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
         select org_id, check_id, timestamptz '2026-11-01Z' + n * interval '1 second', 1, 200, true, $2
         from checks, generate_series(1, $3::integer) n where guid = $1`,
        guid,
        monitor.id,
        counts[index],
      )
    }
    const { results } = await exported()
    expect(guids.map((guid) => results[guid]?.length)).toEqual(counts)
  })

  test('shows a private definition as its blank self, and nothing of what monitors are sent besides', async () => {
    const [guid = ''] = await w.checks(org, [FULL, {}], 'all')
    await wipeDefinition(w.deps, guid)
    const answer = await get('/export')
    const [check = {}] = (answer.body as Document).checks
    expect(check).toMatchObject({ guid, name: 'shop', url: '', match_string: '', restricted: true })
    for (const field of ['match_mode', 'post_data', 'headers', 'status_code_op', 'status_code_value']) {
      expect(check).not.toHaveProperty(field)
    }
    for (const text of ['secret', 'updated_at', 'monitor_rank', 'monitor_count', '"deleted"', 'check_id', 'org_id']) {
      expect(answer.text).not.toContain(text)
    }
  })

  test("has nothing of another org's, not even where guids and monitors lie side by side", async () => {
    const other = await w.org()
    const [mark, foreign] = [`own${org.org_id}`, `foreign${other.org_id}`]
    const foreignGuids = await furnish(other, foreign)
    await furnish(org, mark)
    const { text } = await get('/export')
    expect(text).toContain(mark)
    for (const secret of [foreign, ...foreignGuids]) expect(text).not.toContain(secret)
  })
})

describe('compression', () => {
  const raw = async (encoding: string) => {
    const lines = [`GET ${ACCOUNT}/export HTTP/1.1`, 'Host: a', `Authorization: Bearer ${token}`, 'Connection: close']
    const port = Number(new URL(w.direct).port)
    const { answers } = await exchange(port, [`${[...lines, `Accept-Encoding: ${encoding}`].join('\r\n')}\r\n\r\n`])
    return answers[0]
  }

  test('gzip when asked for: the same document', async () => {
    await furnish(org, `zip${org.org_id}`)
    const answer = await raw('gzip')
    expect(answer?.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(answer?.body ?? '').toString())).toEqual(await exported())
  })

  test('none when not asked for', async () => {
    const answer = await raw('identity')
    expect(answer?.headers).not.toHaveProperty('content-encoding')
    expect(JSON.parse(answer?.body.toString() ?? '')).toEqual(await exported())
  })
})

describe('there and back', () => {
  const withoutGuids = ({ checks }: Document) => checks.map(({ guid: _, ...check }) => check)

  test('the checks of an export, imported into an empty org, export again equal but for guids the first still holds', async () => {
    const guids = await w.checks(org, [FULL, {}, { url: 'http://10.0.0.1/' }, { name: 'ünï "çødé"', enabled: false }])
    await wipeDefinition(w.deps, (await w.checks(org, [FULL]))[0] ?? '')
    const first = await exported()
    const empty = await w.org()
    await importChecks(w.deps, empty.org_id, first.checks)
    const second = await exported(await w.pat(empty))
    expect(withoutGuids(second)).toEqual(withoutGuids(first))
    expect(second.checks.filter(({ guid }) => guids.includes(String(guid)))).toEqual([])
    expect(await exported()).toEqual(first)
  })

  test('a guid that nobody holds is kept', async () => {
    await w.checks(org, [FULL])
    const guid = '6f1f2b1a-0000-4000-8000-0123456789ab'
    const moved = (await exported()).checks.map((check) => ({ ...check, guid }))
    const empty = await w.org()
    await importChecks(w.deps, empty.org_id, moved)
    expect((await exported(await w.pat(empty))).checks).toEqual(moved)
  })
})
