// When a check is degraded: slow, or with a certificate that ends soon. Neither up nor down, told and ended for itself.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { takeBackFuture } from '@dogwatch/domain/clock-set-back'
import { wipeResults } from '@dogwatch/domain/results/wipe'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { insertHealthyResults } from '@dogwatch/store/results/results'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'
import { DAY_MS, resultOf, type Story, story } from './degraded-story.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const SLOW = { degraded_over_ms: 500, degraded_after: 3 }
const EXPIRES = { cert_warn_days: 14 }

const edit = ({ org, guid, entry }: Story, given: Record<string, unknown>) =>
  importChecks(w.deps, org.org_id, [{ guid, ...entry, ...given }])

describe('a check that is slow', () => {
  test('is degraded by the Nth slow result in a row, told once, and no longer with the first that is not slow', async () => {
    const one = await story(w, SLOW)
    await one.run([80, 501, 900, 500, 501, 800])
    expect([await one.told(), await one.state()]).toEqual([[], 'up'])
    await one.run([700, 900, 900])
    expect([await one.told(), await one.state()]).toEqual([['check.degraded'], 'degraded'])
    await one.run([500, 90])
    expect([await one.told(), await one.state()]).toEqual([['check.degraded', 'check.undegraded'], 'up'])
    const [begun, over] = await one.events()
    expect(begun?.data).toMatchObject({
      state: 'degraded',
      previous_state: 'up',
      results: 3,
      latency_ms: 700,
      degraded_over_ms: 500,
    })
    expect(over?.data).toMatchObject({ state: 'up', reason: 'recovered', duration_sec: 300, latency_ms: 500 })
    expect(over?.data.degradation_id).toBe(begun?.data.degradation_id)
    expect(await one.rows()).toMatchObject([{ kind: 'slow', end_reason: 'recovered', reason: 'slower than 500 ms' }])
  })

  test('is degraded by one result where nothing else is said', async () => {
    const one = await story(w, { degraded_over_ms: 500 })
    await one.run([80, 900])
    expect(await one.state()).toBe('degraded')
  })

  test('has no incident, and its results are successes', async () => {
    const one = await story(w, SLOW)
    await one.run([900, 900, 900, 900])
    const [found] = await w.rows(
      `select (select count(*)::integer from incidents where org_id = $1) as incidents,
        (select count(*)::integer from results where org_id = $1 and not success) as failures`,
      one.org.org_id,
    )
    expect(found).toEqual({ incidents: 0, failures: 0 })
  })

  test('failures say nothing about its speed: they neither count nor start the count again', async () => {
    const one = await story(w, { ...SLOW, down_interval_sec: 3 })
    await one.run([900, 'F', 'F', 900, 'F', 900])
    expect(await one.told()).toEqual(['check.degraded'])
  })

  test('is down while it is down, and degraded again after that', async () => {
    const one = await story(w, SLOW)
    await one.run([900, 900, 900, 'F'])
    expect([await one.told(), await one.state()]).toEqual([['check.degraded', 'check.down'], 'down'])
    await one.run([900])
    expect([await one.told(), await one.state()]).toEqual([['check.degraded', 'check.down', 'check.up'], 'degraded'])
    await one.run([80])
    expect(await one.state()).toBe('up')
  })

  test('becomes degraded only when it is no longer down, and people hear in that order', async () => {
    const one = await story(w, { degraded_over_ms: 500, up_successes: 3 })
    await one.run([80, 'F', 900, 900])
    expect([await one.told(), await one.state(), await one.rows()]).toEqual([['check.down'], 'down', []])
    await one.run([900])
    expect([await one.told(), await one.state()]).toEqual([['check.down', 'check.degraded', 'check.up'], 'degraded'])
    const order = await w.rows('select type from events where org_id = $1 order by created_at, ctid', one.org.org_id)
    expect(order.map(({ type }) => type)).toEqual(['check.down', 'check.up', 'check.degraded'])
  })

  test('does not become degraded by the results that take it down', async () => {
    const one = await story(w, { degraded_over_ms: 500 })
    await one.run([80])
    const now = w.clock.now().getTime() + 60_000
    w.clock.forward(60)
    const both = [resultOf(one.guid, 900, now - 1000), resultOf(one.guid, 'F', now)]
    await one.monitor.client.upload(both as Parameters<typeof one.monitor.client.upload>[0])
    expect(await one.told()).toEqual(['check.down'])
  })

  test('counts over all its monitors', async () => {
    const one = await story(w, SLOW)
    const other = await w.monitor(one.org, 'rack 5')
    await one.run([900])
    await one.run([900], other)
    await one.run([900])
    expect(await one.told()).toEqual(['check.degraded'])
  })

  test('a late result between the slow ones takes it back, and one that is older changes nothing', async () => {
    const one = await story(w, SLOW)
    await one.run([900, 900, 900])
    await one.upload(80, 400)
    expect(await one.state()).toBe('degraded')
    await one.upload(80, 90)
    await w.judgeLate()
    expect([await one.told(), await one.state()]).toEqual([['check.degraded', 'check.undegraded'], 'up'])
  })

  test('results that arrive late are recorded in their place, and nobody is told', async () => {
    const one = await story(w, SLOW)
    await one.run([80])
    w.clock.forward(900)
    await one.upload(80, 0)
    for (const ago of [800, 740, 680, 620]) await one.upload(ago === 620 ? 80 : 900, ago)
    await w.judgeLate()
    expect([await one.told(), await one.state()]).toEqual([[], 'up'])
    expect(await one.rows()).toMatchObject([{ kind: 'slow', end_reason: 'recovered' }])
    const lasted = (await one.rows()).map(({ began_at, ended_at }) => Date.parse(ended_at ?? '') - Date.parse(began_at))
    expect(lasted).toEqual([180_000])
  })

  test('changed thresholds count with the next result, and the end says that it is because of them', async () => {
    const one = await story(w, SLOW)
    await one.run([900, 900, 900])
    await edit(one, { ...SLOW, degraded_after: 5 })
    await one.run([900])
    expect(await one.told()).toEqual(['check.degraded'])
    await edit(one, { ...SLOW, degraded_over_ms: 1000 })
    await one.run([900])
    expect(await one.told()).toEqual(['check.degraded', 'check.undegraded'])
  })

  test.each<[string, (one: Story) => Promise<unknown>, string]>([
    ['without its threshold', (one) => edit(one, { degraded_over_ms: 0 }), 'rules'],
    ['paused', (one) => switchCheck(w.deps, one.guid, false), 'disabled'],
    ['paused by an edit', (one) => edit(one, { ...SLOW, enabled: false }), 'disabled'],
    ['deleted', (one) => deleteCheck(w.deps, one.guid), 'deleted'],
  ])('is no longer degraded when it is %s, and nobody is told', async (_, change, end_reason) => {
    const one = await story(w, SLOW)
    await one.run([900, 900, 900])
    await change(one)
    expect(await one.rows()).toMatchObject([{ ended_at: expect.any(String), end_reason }])
    expect(await one.told()).toEqual(['check.degraded'])
  })

  test('the end is told to those who heard of the beginning', async () => {
    const one = await story(w, SLOW)
    const channel = { kind: 'email', email: 'us@example.com' }
    const { id } = await createChannel(w.deps, one.org.org_id, { ...channel, name: 'first' })
    await one.run([900, 900, 900])
    await createChannel(w.deps, one.org.org_id, { ...channel, name: 'second' })
    await one.run([80])
    const told = await w.rows(
      `select e.type, d.channel_id from deliveries d join events e using (org_id, event_id) where d.org_id = $1
       order by d.delivery_id`,
      one.org.org_id,
    )
    expect(told).toEqual([
      { type: 'check.degraded', channel_id: id },
      { type: 'check.undegraded', channel_id: id },
    ])
  })

  test('costs the longer path of ingest only where something could change', async () => {
    const one = await story(w, SLOW)
    const bare = await w.checks(one.org, [{ name: 'bare' }], 'all')
    const isDeclined = async (guid: string, latency_ms: number) => {
      w.clock.forward(1)
      const told = {
        retries: [],
        cert_expires_at: [],
        dns_ms: [],
        connect_ms: [],
        tls_ms: [],
        first_byte_ms: [],
        transfer_ms: [],
      }
      const columns = {
        check_guid: [guid],
        ran_at: [w.clock.now().toISOString()],
        success: [true],
        http_status: [200],
        latency_ms: [latency_ms],
        error: [''],
        response_sample: [''],
        ...told,
      }
      const [{ key_hash } = {}] = await w.rows('select key_hash from monitors where id = $1', one.monitor.id)
      const caller = { id: one.monitor.id, key_hash: key_hash as Buffer }
      return (await insertHealthyResults(w.deps.database, caller, columns)).is_declined
    }
    expect([await isDeclined(bare[0] ?? '', 9000), await isDeclined(one.guid, 80)]).toEqual([false, false])
    expect(await isDeclined(one.guid, 900)).toBe(true)
    await one.run([900, 900, 900])
    expect([await isDeclined(one.guid, 900), await isDeclined(one.guid, 80)]).toEqual([false, true])
  })
})

describe('a check whose certificate ends soon', () => {
  test('is degraded and told once, also when the certificate is seen again and again', async () => {
    const one = await story(w, EXPIRES)
    await one.run(['14.2d', '14.1d'])
    expect([await one.told(), await one.state()]).toEqual([[], 'up'])
    await one.run(['13.9d'])
    expect([await one.told(), await one.state()]).toEqual([['check.certificate'], 'degraded'])
    const [{ data } = { data: {} }] = await one.events()
    expect(data).toMatchObject({ days_left: 13, warn_days: 14, check: { name: 'shop' } })
    for (let n = 0; n < 3; n++) await one.run(['13.9d'])
    expect(await one.told()).toEqual(['check.certificate'])
  })

  test('is no longer with a new certificate, and told of the next one', async () => {
    const one = await story(w, EXPIRES)
    await one.run(['10d', '90d'])
    expect([await one.told(), await one.state()]).toEqual([['check.certificate', 'check.renewed'], 'up'])
    await one.run(['12d'])
    expect(await one.told()).toEqual(['check.certificate', 'check.renewed', 'check.certificate'])
    const [, { data } = { data: {} }] = await one.events()
    expect(data).toMatchObject({
      state: 'up',
      reason: 'renewed',
      days_left: 89,
      warn_days: 14,
      check: { name: 'shop' },
    })
  })

  test('is told again when the old one is back for an hour, and not while it comes and goes', async () => {
    const one = await story(w, EXPIRES)
    await createChannel(w.deps, one.org.org_id, { kind: 'email', name: 'ops', email: 'ops@example.com' })
    const [old, fresh] = [10, 90].map((days) => new Date(w.clock.now().getTime() + days * DAY_MS).toISOString())
    const see = async (seconds: number, cert_expires_at = '') => {
      w.clock.forward(seconds)
      await rejudgeChecks(w.deps)
      await one.see(cert_expires_at)
    }
    const renewed = ['check.certificate', 'check.renewed']
    for (let n = 0; n < 20; n++) await see(600, n % 2 === 0 ? old : fresh)
    expect(await one.told()).toEqual(renewed)
    await see(60, old)
    await see(40, old)
    await see(3500, old)
    expect(await one.told()).toEqual(renewed)
    await see(100, old)
    expect(await one.told()).toEqual([...renewed, 'check.certificate'])
    await see(100, old)
    await see(100, fresh)
    expect(await one.told()).toEqual([...renewed, ...renewed])
    // A day later it is news at once.
    await see(86_500, old)
    expect(await one.told()).toEqual([...renewed, ...renewed, 'check.certificate'])
  })

  test('is not told twice of one certificate that comes and goes, but once more when it is to warn earlier', async () => {
    const one = await story(w, { cert_warn_days: 14 })
    await createChannel(w.deps, one.org.org_id, { kind: 'email', name: 'ops', email: 'ops@example.com' })
    const [now, day] = [w.clock.now().getTime(), new Date(w.clock.now().getTime() + 10 * DAY_MS).toISOString()]
    const see = (cert_expires_at: string) => {
      w.clock.forward(60)
      return one.see(cert_expires_at)
    }
    const far = new Date(now + 90 * DAY_MS).toISOString()
    for (const one_of of [day, far, day, far, day]) await see(one_of)
    expect(await one.told()).toEqual(['check.certificate', 'check.renewed'])
    await edit(one, { cert_warn_days: 30 })
    await see(day)
    expect(await one.told()).toEqual(['check.certificate', 'check.renewed', 'check.certificate'])
    expect((await one.rows()).filter(({ ended_at }) => ended_at === null)).toMatchObject([{ warn_days: 30 }])
  })

  test('the first to end counts where monitors see different ones, until the monitor that saw it is silent', async () => {
    const one = await story(w, EXPIRES)
    const other = await w.monitor(one.org, 'rack 5')
    await one.run(['90d'])
    await one.run(['5d'], other)
    await one.run(['90d'])
    expect([await one.told(), await one.state()]).toEqual([['check.certificate'], 'degraded'])
    for (let n = 0; n < 8; n++) await one.run(['90d'])
    expect([await one.told(), await one.state()]).toEqual([['check.certificate', 'check.renewed'], 'up'])
  })

  test('is warned about by the share of its lifetime that is left, and not after the rule has gone', async () => {
    const one = await story(w, { cert_warn_percent: 33 })
    const from = w.clock.now().getTime()
    const at = (days: number) => new Date(from + days * DAY_MS).toISOString()
    const upload = async (issued: number, expires: number) => {
      w.clock.forward(60)
      const found = {
        ...resultOf(one.guid, 80, w.clock.now().getTime()),
        ...{ cert_issued_at: at(issued), cert_expires_at: at(expires) },
      }
      await one.monitor.client.upload([found] as Parameters<typeof one.monitor.client.upload>[0])
    }
    // 31 of 90 days are more than a third.
    await upload(-59, 31)
    expect([await one.told(), await one.state()]).toEqual([[], 'up'])
    await upload(-61, 29)
    expect([await one.told(), await one.state()]).toEqual([['check.certificate'], 'degraded'])
    expect((await one.rows()).at(-1)).toMatchObject({ kind: 'certificate', warn_days: 30 })
    // 4 of 6 days: a certificate with a short life.
    await upload(-2, 4)
    expect([await one.told(), await one.state()]).toEqual([['check.certificate', 'check.renewed'], 'up'])
    await upload(-4.5, 1.5)
    expect(await one.state()).toBe('degraded')
    // A third of 160 hours are 52.8 hours.
    await upload(-107 / 24, 53 / 24)
    expect(await one.state()).toBe('up')
    await upload(-107.5 / 24, 52.5 / 24)
    expect(await one.state()).toBe('degraded')
    await edit(one, { cert_warn_percent: 0 })
    expect(await one.state()).toBe('up')
  })

  test('a failure that shows it counts, and a result without a certificate says nothing', async () => {
    const one = await story(w, { ...EXPIRES, down_interval_sec: 9 })
    w.clock.forward(60)
    const failure = { ...resultOf(one.guid, '5d', w.clock.now().getTime()), success: false, error: 'status: 500' }
    await one.monitor.client.upload([failure] as Parameters<typeof one.monitor.client.upload>[0])
    await one.run([80, 'F', 80])
    expect([await one.told(), await one.state()]).toEqual([['check.certificate'], 'degraded'])
  })

  test('slow and with such a certificate, it is degraded for both', async () => {
    const one = await story(w, { ...EXPIRES, degraded_over_ms: 500 })
    await one.run(['5d', 900])
    expect(await one.told()).toEqual(['check.certificate', 'check.degraded'])
    await one.run([80])
    expect([await one.told(), await one.state()]).toEqual([
      ['check.certificate', 'check.degraded', 'check.undegraded'],
      'degraded',
    ])
  })
})

describe('with a route that waits five minutes and escalates', () => {
  async function routed(given: Record<string, unknown>) {
    const one = await story(w, given)
    const { org_id } = one.org
    const { id } = await createChannel(w.deps, org_id, { kind: 'email', name: 'ops', email: 'ops@example.com' })
    const steps = [
      { after_sec: 0, channel_ids: [id] },
      { after_sec: 600, channel_ids: [id] },
    ]
    await w.rows(
      `insert into alert_routes (org_id, guid, name, position, scope, events, severity, quiet, delay_sec, steps, enabled, created_at)
       values ($1, gen_random_uuid(), 'ops', 0, '{"all": true}', '{}', null, null, 300, $2, true, $3)`,
      ...[org_id, JSON.stringify(steps), w.clock.now().toISOString()],
    )
    const pass = async (minutes: number) => {
      for (let n = 0; n < minutes; n++) {
        w.clock.forward(60)
        await releaseDue(w.deps)
      }
    }
    const sent = async () =>
      (
        await w.rows(
          'select e.type from deliveries d join events e using (org_id, event_id) where d.org_id = $1 order by d.delivery_id',
          org_id,
        )
      ).map(({ type }) => type)
    return { ...one, pass, sent }
  }

  test('nobody hears of what is over by then, and once of what lasts, with its end', async () => {
    const one = await routed({ degraded_over_ms: 500 })
    await one.run([900])
    await one.pass(3)
    await one.run([80])
    await one.pass(20)
    expect(await one.sent()).toEqual([])
    await one.run([900])
    await one.pass(20)
    expect(await one.sent()).toEqual(['check.degraded'])
    await one.run([80])
    expect(await one.sent()).toEqual(['check.degraded', 'check.undegraded'])
  })

  test('a certificate is told after it, and not when it was renewed meanwhile', async () => {
    const one = await routed(EXPIRES)
    await one.run(['5d'])
    await one.pass(3)
    await one.run(['90d'])
    await one.pass(20)
    expect(await one.sent()).toEqual([])
    await one.run(['6d'])
    await one.pass(20)
    expect(await one.sent()).toEqual(['check.certificate'])
  })

  test('a certificate of which nobody was told before the check was paused is told after that, and then no more', async () => {
    const one = await routed(EXPIRES)
    const expires_at = new Date(w.clock.now().getTime() + 5 * DAY_MS).toISOString()
    const pauseAndSee = async () => {
      await switchCheck(w.deps, one.guid, false)
      await switchCheck(w.deps, one.guid, true)
      w.clock.forward(60)
      await one.see(expires_at)
    }
    await one.see(expires_at)
    await pauseAndSee()
    expect(await one.sent()).toEqual([])
    await one.pass(20)
    expect(await one.sent()).toEqual(['check.certificate'])
    await w.rows("update deliveries set state = 'delivered', next_attempt_at = null where org_id = $1", one.org.org_id)
    await pauseAndSee()
    await one.pass(20)
    expect(await one.sent()).toEqual(['check.certificate'])
  })

  test('one that came, went and came again before anybody was told is told', async () => {
    const one = await routed(EXPIRES)
    const [first, other] = [5, 9].map((days) => new Date(w.clock.now().getTime() + days * DAY_MS).toISOString())
    for (const expires_at of [first, other, first]) {
      w.clock.forward(60)
      await one.see(expires_at ?? '')
    }
    await one.pass(20)
    expect(await one.sent()).toEqual(['check.certificate'])
    const told = await w.rows(
      "select e.data ->> 'expires_at' as at from deliveries d join events e using (org_id, event_id) where d.org_id = $1",
      one.org.org_id,
    )
    expect(told.map(({ at }) => Date.parse(String(at)))).toEqual([Date.parse(first ?? '')])
  })
})

test('a failure that was repeated at the monitor is told once, although its upload is answered only the second time', async () => {
  const one = await story(w, { retry_count: 2, retry_interval_sec: 5 })
  await one.run([80])
  w.clock.forward(60)
  const failure = { ...resultOf(one.guid, 'F', w.clock.now().getTime()), retries: 2 }
  const upload = () => one.monitor.client.upload([failure] as Parameters<typeof one.monitor.client.upload>[0])
  await upload()
  // The answer was lost: the agent sends the same bytes again.
  expect(await upload()).toMatchObject({ accepted: 1 })
  expect(await one.told()).toEqual(['check.down'])
  const rows = await w.rows('select retries from results where org_id = $1 and not success', one.org.org_id)
  expect(rows).toEqual([{ retries: 2 }])
})

test('when a definition is wiped, only the day remains on which its certificate ends', async () => {
  const one = await story(w, EXPIRES)
  const ends = new Date(w.clock.now().getTime() + 5 * DAY_MS + 4321).toISOString()
  const see = (cert_expires_at: string) => {
    w.clock.forward(60)
    return one.see(cert_expires_at)
  }
  await see(ends)
  await wipeDefinition(w.deps, one.guid)
  await wipeResults(w.deps)
  const day = `${ends.slice(0, 10)}T00:00:00.000000Z`
  const kept = () =>
    w.rows(
      `select (select count(*)::integer from results where org_id = $1 and cert_expires_at is not null) as results,
        (select wire_time(cert_expires_at) from degradations where org_id = $1) as recorded,
        (select data ->> 'expires_at' from events where org_id = $1) as told`,
      one.org.org_id,
    )
  expect(await kept()).toEqual([{ results: 0, recorded: day, told: day }])
  // Its agent tells the day from now on: nobody hears of the same certificate again.
  await see(day)
  expect(await one.told()).toEqual(['check.certificate'])
})

test('a degradation that began while the clock was ahead begins now, and ends with what runs after that', async () => {
  const one = await story(w, SLOW)
  await one.run([900, 900, 900])
  const ahead = new Date(w.clock.now().getTime() + 3_600_000).toISOString()
  await w.rows('update degradations set began_at = $2 where org_id = $1', one.org.org_id, ahead)
  await takeBackFuture(w.deps)
  const [{ began_at } = { began_at: '' }] = await one.rows()
  expect(Date.parse(began_at)).toBe(w.clock.now().getTime())
  await one.run([80])
  expect(await one.told()).toEqual(['check.degraded', 'check.undegraded'])
})
