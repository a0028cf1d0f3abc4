// Runs that people ask monitors for: told once, to that monitor alone, and shown to that organisation alone.

import { askToRun, askToTry, readRun, waitForRun } from '@dogwatch/domain/checks/ask-run'
import { forgetRuns } from '@dogwatch/domain/checks/asked-runs'
import { switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { createLog } from '@dogwatch/runtime/log'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Holds } from '../../src/monitor-api/holds.ts'
import { liveOn } from '../retention/rows.ts'
import { type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
let holds: Holds
const said: string[] = []
let org: Org
let monitor: Monitor
let guid: string
beforeAll(async () => {
  holds = new Holds()
  w = await world({ holds, log: createLog('info', { write: (line) => void said.push(line) }) })
})
beforeEach(async () => {
  org = await w.org()
  monitor = await online(org)
  ;[guid = ''] = await w.checks(
    org,
    [{ url: 'https://shop.example/', headers: { Authorization: 'Bearer s3cr3t-token' } }],
    'all',
  )
})
afterAll(() => w.close())

/** A monitor that was heard of. */
async function online(of: Org | null): Promise<Monitor> {
  const made = await w.monitor(of)
  await made.client.ping()
  return made
}

const editor = ({ org_id, owner_id } = org) => ({
  org_id,
  actor: { person_id: owner_id, email: 'owner@example.com', impersonator_email: null },
})
const ENTRY = { name: 'shop', url: 'https://shop.example/', interval_sec: 60 }
const runsOf = async ({ client }: Monitor) => (await client.sync()).runs ?? []
const shown = async (run_id: string) => (await readRun(w.deps, org.org_id, run_id)).report
const person = () => ({ org_id: org.org_id, person_id: org.owner_id })

describe('a run of a check', () => {
  test('is told its monitor once, after it is asked for, and its report is shown', async () => {
    expect(await runsOf(monitor)).toEqual([])
    const { run_id, monitor_id } = await askToRun(w.deps, editor(), guid)
    expect(monitor_id).toBe(monitor.id)
    expect(await runsOf(monitor)).toEqual([{ id: run_id, check_guid: guid }])
    expect(await runsOf(monitor)).toEqual([])
    const report = { id: run_id, success: true, kind: 'ok', http_status: 200, latency_ms: 12 }
    const waiting = waitForRun(w.deps, person(), run_id, 30_000)
    await monitor.client.reportRuns([report])
    expect((await waiting).report).toEqual({ success: true, kind: 'ok', http_status: 200, latency_ms: 12 })
    await monitor.client.reportRuns([{ ...report, success: false }])
    expect(await shown(run_id)).toMatchObject({ success: true })
  })

  test('is a result like any other, stored before its report is seen', async () => {
    const { run_id } = await askToRun(w.deps, editor(), guid)
    await runsOf(monitor)
    const body = { results: [result(guid)], runs: [{ id: run_id, success: true }] }
    const { data } = await monitor.client.http.POST('/results', { body })
    expect(data).toEqual({ accepted: 1 })
    expect(await shown(run_id)).toEqual({ success: true })
  })

  test('is not asked for while it is paused, or while none of its monitors is online', async () => {
    await switchCheck(w.deps, guid, false)
    await expect(askToRun(w.deps, editor(), guid)).rejects.toThrow('the check is paused')
    await switchCheck(w.deps, guid, true)
    await w.rows("update monitors set last_seen_at = last_seen_at - interval '4 minutes' where id = $1", monitor.id)
    await expect(askToRun(w.deps, editor(), guid)).rejects.toThrow('none of the monitors of this check is online')
    await expect(askToTry(w.deps, editor(), ENTRY)).rejects.toThrow('no monitor is online')
  })

  test('is asked of the monitor that is named, and of none that does not run it or is of another organisation', async () => {
    const [second, other, shared] = [await online(org), await online(await w.org()), await online(null)]
    await expect(askToRun(w.deps, editor(), guid, { monitor: other.id })).rejects.toThrow(
      'the selected monitor is offline or cannot run this check; choose another monitor',
    )
    const { run_id } = await askToRun(w.deps, editor(), guid, { monitor: second.id })
    expect(await runsOf(monitor)).toEqual([])
    expect(await runsOf(second)).toEqual([{ id: run_id, check_guid: guid }])
    await monitor.client.reportRuns([{ id: run_id, success: false }])
    expect(await shown(run_id)).toBeUndefined()
    const [own = ''] = await w.checks(org, [{}], [monitor.id])
    await expect(askToRun(w.deps, editor(), own, { monitor: shared.id })).rejects.toThrow(
      'the selected monitor is offline or cannot run this check; choose another monitor',
    )
  })

  test('is asked of monitors that can run it alone, and so is a test', async () => {
    const able = await online(org)
    const STATUS = { version: '1', uptime_sec: 1, unsent_results: 0 }
    await monitor.client.reportStatus({ ...STATUS, abilities: ['tcp'] })
    for (let i = 0; i < 3; i++) expect((await askToRun(w.deps, editor(), guid)).monitor_id).toBe(able.id)
    expect((await askToTry(w.deps, editor(), ENTRY)).monitor_id).toBe(able.id)
    await expect(askToRun(w.deps, editor(), guid, { monitor: monitor.id })).rejects.toThrow('cannot run this check')
    await able.client.reportStatus({ ...STATUS, abilities: ['tcp'] })
    await w.rows("update monitors set last_seen_at = last_seen_at - interval '4 minutes' where org_id is null")
    const refusal =
      'no online monitor can run this check (missing ability: http); upgrade a monitor, or choose another one'
    await expect(askToRun(w.deps, editor(), guid)).rejects.toThrow(refusal)
    await expect(askToTry(w.deps, editor(), ENTRY)).rejects.toThrow(refusal)
  })

  test('has no report from a monitor that does not know the field, and that is said after two minutes', async () => {
    const { run_id } = await askToRun(w.deps, editor(), guid)
    // An old agent: it takes the answer, and does nothing about it.
    await runsOf(monitor)
    expect(await waitForRun(w.deps, person(), run_id, 0)).toMatchObject({ report: undefined, isOver: false })
    w.clock.forward(121)
    expect(await waitForRun(w.deps, person(), run_id, 60_000)).toMatchObject({ report: undefined, isOver: true })
  })

  test('that its monitor does not fetch within two minutes is never told, and is forgotten after ten', async () => {
    const { run_id } = await askToRun(w.deps, editor(), guid)
    w.clock.forward(121)
    expect(await runsOf(monitor)).toEqual([])
    await liveOn(w)
    await forgetRuns(w.deps)
    expect(await shown(run_id)).toBeUndefined()
    w.clock.forward(480)
    await liveOn(w)
    await forgetRuns(w.deps)
    await expect(shown(run_id)).rejects.toThrow('no run with that id')
  })

  test('of another organisation is not there, and a guid of another organisation asks for nothing', async () => {
    const { run_id } = await askToRun(w.deps, editor(), guid)
    const theirs = await w.org()
    await expect(readRun(w.deps, theirs.org_id, run_id)).rejects.toThrow('no run with that id')
    await expect(askToRun(w.deps, editor(theirs), guid)).rejects.toThrow('no check')
  })

  test('of a private definition shows the verdict alone, whatever its monitor says', async () => {
    await wipeDefinition(w.deps, guid)
    const { run_id } = await askToRun(w.deps, editor(), guid)
    expect(await runsOf(monitor)).toEqual([{ id: run_id, check_guid: guid }])
    const told = { error: 'vault.internal', address: '10.0.0.5', response_sample: 'sealed', redirects: ['http://x/'] }
    await monitor.client.reportRuns([{ id: run_id, success: false, kind: 'match', latency_ms: 3, ...told }])
    expect(await shown(run_id)).toEqual({ success: false, kind: 'match', latency_ms: 3 })
  })

  test('is forgotten when the definition is wiped, also when its report comes later', async () => {
    const { run_id } = await askToRun(w.deps, editor(), guid)
    await runsOf(monitor)
    await wipeDefinition(w.deps, guid)
    await monitor.client.reportRuns([{ id: run_id, success: true, response_sample: 'quoted' }])
    await expect(shown(run_id)).rejects.toThrow('no run with that id')
  })

  test('is not told to anybody while the organisation is suspended', async () => {
    const shared = await online(null)
    await askToTry(w.deps, editor(), ENTRY, { monitor: shared.id })
    await suspendOrganisation(w.deps, org.org_id)
    expect(await runsOf(shared)).toEqual([])
  })
})

describe('a definition that is tried', () => {
  test('is told whole, and kept no longer than until its report', async () => {
    const entry = { ...ENTRY, headers: { 'X-Key': 'topsecret' }, post_data: 'a body', cert_expiry_warn_days: 14 }
    const { run_id } = await askToTry(w.deps, editor(), entry)
    const [run] = await runsOf(monitor)
    expect(run).toMatchObject({ id: run_id, check: { guid: run_id, ...entry, enabled: true, deleted: false } })
    expect(run?.check?.result_detail_max_chars).toBe(2048)
    const report = { error: 'X-Key was topsecret', response_sample: 'you sent {"x-key":"topsecret"}' }
    await monitor.client.reportRuns([{ id: run_id, success: false, kind: 'status', ...report }])
    expect(await shown(run_id)).toMatchObject({
      error: 'X-Key was ***',
      response_sample: 'you sent {"x-key":"***"}',
    })
    expect(await w.rows('select definition from asked_runs where run_id = $1', run_id)).toEqual([{ definition: {} }])
    expect(await w.rows('select from checks where org_id = $1 and guid = $2', org.org_id, run_id)).toEqual([])
  })

  test('must be one that the plan allows, and not a private one', async () => {
    const small = await w.org('free')
    await online(small)
    const trying = (entry: object) => askToTry(w.deps, editor(small), { ...ENTRY, interval_sec: 120, ...entry })
    await expect(trying({ timeout_sec: 11 })).rejects.toThrow('timeout_sec must be at most 10')
    await expect(trying({ cert_expiry_warn_days: 1 })).rejects.toThrow('cert_expiry_warn_days')
    await expect(trying({ url: '' })).rejects.toThrow('private definition')
    await expect(trying({ match_mode: 'regex', match_string: '(' })).rejects.toThrow('match_string')
  })

  test('of an internal target never goes to the shared fleet; own monitors come first', async () => {
    const alone = await w.org()
    const shared = await online(null)
    const internal = { ...ENTRY, url: 'http://10.0.0.5/' }
    await expect(askToTry(w.deps, editor(alone), internal)).rejects.toThrow('internal target')
    await expect(askToTry(w.deps, editor(), internal, { monitor: shared.id })).rejects.toThrow(
      'the selected monitor is offline or cannot run this check; choose another monitor',
    )
    expect((await askToTry(w.deps, editor(), internal)).monitor_id).toBe(monitor.id)
    expect((await askToTry(w.deps, editor(), ENTRY)).monitor_id).toBe(monitor.id)
    expect((await askToTry(w.deps, editor(), ENTRY, { preferred: [shared.id] })).monitor_id).toBe(shared.id)
    expect((await askToTry(w.deps, editor(), ENTRY, { monitor: shared.id })).monitor_id).toBe(shared.id)
  })

  test('ten may be open for an organisation, five are told in one answer', async () => {
    for (let n = 0; n < 10; n++) await askToTry(w.deps, editor(), ENTRY)
    await expect(askToTry(w.deps, editor(), ENTRY)).rejects.toThrow('still pending')
    expect([(await runsOf(monitor)).length, (await runsOf(monitor)).length]).toEqual([5, 5])
    w.clock.forward(121)
    await monitor.client.ping()
    await askToTry(w.deps, editor(), ENTRY)
  })
})

describe('a monitor of the shared fleet', () => {
  const trying = (asker: Org, shared: Monitor, by = asker.owner_id) =>
    askToTry(w.deps, editor({ ...asker, owner_id: by }), ENTRY, { monitor: shared.id })
  const isRefused = (asked: Promise<unknown>) => expect(asked).rejects.toThrow('still pending')

  test('has five open runs of one organisation, and of one person in whatever organisations', async () => {
    const shared = await online(null)
    const second = await w.org()
    for (let n = 0; n < 5; n++) await trying(org, shared)
    await isRefused(trying(org, shared))
    await isRefused(trying(second, shared, org.owner_id))
    await trying(second, shared)
    // Its own monitor serves nobody else.
    await askToTry(w.deps, editor(), ENTRY)
  })

  test('that is full of the runs of others still has places for organisations without any', async () => {
    const shared = await online(null)
    for (let n = 0; n < 20; n++) {
      await w.rows(
        `insert into asked_runs (org_id, run_id, monitor_id, definition, asked_by, asked_at)
         values ($1, 'full-' || $2, $3, '{}', $4, $5)`,
        ...[org.org_id, n, shared.id, org.owner_id, w.clock.now().toISOString()],
      )
    }
    const late = await w.org()
    await trying(late, shared)
    await isRefused(trying(late, shared))
  })

  test('is told of the first run of each organisation before the second of any', async () => {
    const shared = await online(null)
    const late = await w.org()
    const asked: string[] = []
    for (const asker of [org, org, org, org, org, late]) {
      w.clock.forward(1)
      asked.push((await trying(asker, shared)).run_id)
    }
    const told = (await runsOf(shared)).map(({ id }) => id)
    expect(told.toSorted()).toEqual(asked.filter((_, n) => n !== 4).toSorted())
    expect((await runsOf(shared)).map(({ id }) => id)).toEqual([asked[4]])
  })
})

describe('a ping that waits', () => {
  const ping = () => monitor.client.ping({ wait_sec: 60, timeout: 60_000 })

  test('is answered at once when there is a run to do, and says so', async () => {
    const { run_id } = await askToRun(w.deps, editor(), guid)
    expect(await ping()).toEqual({ status: 'ok', sync: true })
    expect((await runsOf(monitor)).map(({ id }) => id)).toEqual([run_id])
  })

  test('is held until somebody rings, takes the place of the one before, and ends with the server', async () => {
    const held = async () => {
      const before = holds.size
      const answer = ping()
      while (holds.size === before) await new Promise((resolve) => setTimeout(resolve, 5))
      return answer
    }
    const first = held()
    while (holds.size === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const second = ping()
    expect(await first).toEqual({ status: 'ok' })
    while (holds.size === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    w.clock.forward(20)
    holds.ring('0123456789ab')
    holds.ring(monitor.id)
    expect([await second, holds.size]).toEqual([{ status: 'ok', sync: true }, 0])
    expect(said.filter((line) => line.includes('a slow request'))).toEqual([])
    const last = ping()
    while (holds.size === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    holds.end()
    expect([await last, await ping()]).toEqual([{ status: 'ok' }, { status: 'ok' }])
  })

  test('without a wait, or with one that is none, is answered as ever', async () => {
    expect(await monitor.client.ping()).toEqual({ status: 'ok' })
    expect(await monitor.client.ping({ wait_sec: 0 })).toEqual({ status: 'ok' })
    const auth = { Authorization: `Bearer ${monitor.key}` }
    for (const wait_sec of ['-1', '61', 'x', '']) {
      expect((await w.http.get(`${PREFIX}/ping?wait_sec=${wait_sec}`).set(auth)).status).toBe(400)
    }
  })
})

test('whatever a monitor reports, it is refused in a line or dropped, and never an error of ours', async () => {
  const { run_id } = await askToTry(w.deps, editor(), ENTRY)
  await runsOf(monitor)
  const odd = fc.record(
    {
      id: fc.oneof(fc.constant(run_id), fc.string({ unit: 'binary' })),
      success: fc.oneof(fc.boolean(), fc.jsonValue()),
      kind: fc.string({ unit: 'binary' }),
      error: fc.string({ unit: 'binary', maxLength: 3000 }),
      phases: fc.jsonValue(),
      redirects: fc.oneof(fc.array(fc.string({ unit: 'binary' })), fc.jsonValue()),
      response_sample: fc.string({ unit: 'binary' }),
      certificate_days: fc.oneof(fc.integer(), fc.double()),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(odd, { maxLength: 12 }), async (runs) => {
      const auth = { Authorization: `Bearer ${monitor.key}` }
      const { status } = await w.http.post(`${PREFIX}/results`).set(auth).send({ results: [], runs })
      expect([200, 400]).toContain(status)
    }),
    { numRuns: 60 },
  )
})
