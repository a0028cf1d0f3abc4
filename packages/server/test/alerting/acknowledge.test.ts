// Incidents that somebody takes care of, and what is muted: timelines.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { acknowledge, type IncidentOf, takeBack } from '@dogwatch/domain/incidents/acknowledge'
import { mute, unmute } from '@dogwatch/domain/mutes/mute'
import { deletePerson } from '@dogwatch/domain/people/delete'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { memberOf } from '../support/console.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const BOB = { person_id: 0, email: 'bob@example.com', impersonator_email: null }

/** Lets time pass while the worker looks every half minute, and whatever it writes arrives. */
async function pass(org: Org, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes * 60; passed += 30) {
    w.clock.forward(30)
    await releaseDue(w.deps)
    await remind(w.deps)
    await arrive(org)
  }
}

async function arrive({ org_id }: Org): Promise<void> {
  await w.rows("update deliveries set state = 'delivered', next_attempt_at = null where org_id = $1", org_id)
}

async function tellerOf(org: Org, names: readonly string[]) {
  const ids: number[] = []
  for (const name of names) {
    const wanted = { kind: 'webhook', name, webhook_url: 'https://hooks.example/' }
    ids.push((await createChannel(w.deps, org.org_id, wanted)).id)
  }
  const began = w.clock.now().getTime()
  /** `15 mail check.down`: minutes since it began. */
  const told = async () => {
    const rows = await w.rows(
      `select e.type, c.name, d.created_at from deliveries d join events e using (org_id, event_id)
       join notification_channels c on c.org_id = d.org_id and c.id = d.channel_id
       where d.org_id = $1 order by d.created_at, d.delivery_id`,
      org.org_id,
    )
    return rows.map(({ type, name, created_at }) =>
      [(Date.parse(String(created_at)) - began) / 60_000, name, type].join(' '),
    )
  }
  return { ids, told }
}

async function ofCheck(names: readonly string[], entry: Record<string, unknown> = {}) {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [entry], 'all')
  const teller = await tellerOf(org, names)
  const run = (success: boolean) =>
    monitor.client.upload([
      result(guid, { ran_at: w.clock.now().toISOString(), success, ...(!success && { error: 'refused: no' }) }),
    ])
  const what: IncidentOf = { org_id: org.org_id, kind: 'check', guid }
  const escalate = (...after_min: number[]) =>
    createRoute(w.deps, org.org_id, {
      name: 'ops',
      scope: { all: true },
      events: [],
      severity: null,
      quiet: null,
      delay_sec: 0,
      steps: after_min.map((min, n) => ({ after_sec: min * 60, channel_ids: [teller.ids[n] ?? 0] })),
      enabled: true,
    })
  const newestEvent = async () =>
    (await w.rows('select type, data from events where org_id = $1 order by created_at desc limit 1', org.org_id))[0]
  return { org, guid, ...teller, run, what, escalate, newestEvent }
}

describe('an incident that is acknowledged', () => {
  test('is told once to whoever was told of it, by whom; its escalation stops; its recovery says by whom', async () => {
    const s = await ofCheck(['mail', 'pager'])
    await s.escalate(0, 15)
    await s.run(false)
    await pass(s.org, 5)
    expect(await acknowledge(w.deps, s.what, BOB)).toBe(true)
    expect(await acknowledge(w.deps, s.what, { ...BOB, email: 'eve@example.com' })).toBe(false)
    expect(await s.newestEvent()).toMatchObject({
      type: 'check.acknowledged',
      data: { check: { guid: s.guid }, state: 'down', acknowledged_by: 'bob@example.com' },
    })
    await pass(s.org, 20)
    await s.run(true)
    expect(await s.told()).toEqual(['0 mail check.down', '5 mail check.acknowledged', '25 mail check.up'])
    expect(await s.newestEvent()).toMatchObject({ data: { acknowledged_by: 'bob@example.com' } })
    expect(
      await w.rows(
        'select action, actor from audit_entries where org_id = $1 and action like $2',
        s.org.org_id,
        'check.ack%',
      ),
    ).toEqual([{ action: 'check.acknowledge', actor: 'bob@example.com' }])
  })

  test('has no reminders; when it is down again, that is told', async () => {
    const s = await ofCheck(['mail'], { resend_interval_sec: 300 })
    await s.run(false)
    await pass(s.org, 6)
    await acknowledge(w.deps, s.what, BOB)
    await arrive(s.org)
    await pass(s.org, 12)
    await s.run(true)
    await arrive(s.org)
    w.clock.forward(60)
    await s.run(false)
    await arrive(s.org)
    await pass(s.org, 6)
    expect(await s.told()).toEqual([
      '0 mail check.down',
      '5 mail check.reminder',
      '6 mail check.acknowledged',
      '18 mail check.up',
      '19 mail check.down',
      '24 mail check.reminder',
    ])
  })

  test('can be taken back: reminders begin again, and an overdue step of the escalation is told at once', async () => {
    const s = await ofCheck(['mail', 'pager', 'boss'], { resend_interval_sec: 1800 })
    await s.escalate(0, 15, 60)
    await s.run(false)
    await acknowledge(w.deps, s.what, BOB)
    await pass(s.org, 20)
    expect(await takeBack(w.deps, s.what, BOB)).toBe(true)
    expect(await takeBack(w.deps, s.what, BOB)).toBe(false)
    await arrive(s.org)
    await pass(s.org, 45)
    expect((await s.told()).filter((one) => !one.endsWith('reminder'))).toEqual([
      '0 mail check.down',
      '0 mail check.acknowledged',
      '20 pager check.down',
      '60 boss check.down',
    ])
    expect((await s.told()).filter((one) => one.startsWith('30 '))).toEqual([
      '30 mail check.reminder',
      '30 pager check.reminder',
    ])
  })

  test('is told to nobody who was not told of it: its alert that waits is still sent, for it may concern others', async () => {
    const s = await ofCheck(['mail'])
    await createRoute(w.deps, s.org.org_id, {
      name: 'slow',
      scope: { all: true },
      events: [],
      severity: null,
      quiet: null,
      delay_sec: 600,
      steps: [{ after_sec: 0, channel_ids: s.ids }],
      enabled: true,
    })
    await s.run(false)
    await acknowledge(w.deps, s.what, BOB)
    await pass(s.org, 12)
    expect(await s.told()).toEqual(['10 mail check.down'])
  })
})

test('an acknowledgement of an incident that is over, of another one or of something unknown is refused', async () => {
  const s = await ofCheck(['mail'])
  await expect(acknowledge(w.deps, s.what, BOB)).rejects.toThrow('the check is no longer down')
  await s.run(false)
  await expect(acknowledge(w.deps, { ...s.what, incident_id: 'earlier' }, BOB)).rejects.toThrow(
    'this incident has ended; acknowledge the new incident instead',
  )
  await expect(acknowledge(w.deps, { ...s.what, org_id: 1 }, BOB)).rejects.toThrow('no check with that guid')
  await expect(acknowledge(w.deps, { ...s.what, kind: 'heartbeat' }, BOB)).rejects.toThrow('no heartbeat')
  await expect(acknowledge(w.deps, { ...s.what, guid: 'a\0' }, BOB)).rejects.toThrow('no check with that guid')
})

test('an acknowledgement that races the recovery is told before it, or refused', async () => {
  for (let n = 0; n < 6; n++) {
    const s = await ofCheck(['mail'])
    await s.run(false)
    await arrive(s.org)
    w.clock.forward(60)
    const asked = [() => acknowledge(w.deps, s.what, BOB), () => s.run(true)]
    const [first, second] = n % 2 === 0 ? asked : asked.toReversed()
    const both = await Promise.allSettled([first?.(), second?.()])
    const isRefused = both.some(({ status }) => status === 'rejected')
    const types = await w.rows(
      `select e.type from deliveries d join events e using (org_id, event_id) where d.org_id = $1 order by d.delivery_id`,
      s.org.org_id,
    )
    expect(types.map(({ type }) => type)).toEqual(
      isRefused ? ['check.down', 'check.up'] : ['check.down', 'check.acknowledged', 'check.up'],
    )
  }
})

test('the incident of a heartbeat is acknowledged likewise', async () => {
  const org = await w.org()
  const { told } = await tellerOf(org, ['mail'])
  const job = { name: 'job', interval_sec: 60, grace_sec: 0, resend_interval_sec: 300, show_on_status_page: false }
  const { guid, token } = await createHeartbeat(w.deps, org.org_id, job)
  const ping = async (kind: 'beat' | 'fail') => {
    const place = await findHeartbeatOfToken(w.deps, token)
    await takePing(w.deps, place, { kind, exit_code: null, rid: null, body: null }, w.clock.now())
  }
  await ping('fail')
  await acknowledge(w.deps, { org_id: org.org_id, kind: 'heartbeat', guid }, BOB)
  await pass(org, 10)
  await ping('beat')
  expect(await told()).toEqual(['0 mail heartbeat.down', '0 mail heartbeat.acknowledged', '10 mail heartbeat.up'])
})

test('who acknowledged something and is deleted is named no more', async () => {
  const s = await ofCheck(['mail'])
  const { email, person_id } = await memberOf(w, s.org)
  await s.run(false)
  await acknowledge(w.deps, s.what, { ...BOB, email, person_id })
  await s.run(true)
  await deletePerson(w.deps, email)
  const left = await w.rows(
    `select (select jsonb_agg(i) from incidents i where i.org_id = $1)::text || (select jsonb_agg(e.data) from events e where e.org_id = $1)::text as text`,
    s.org.org_id,
  )
  expect(JSON.stringify(left)).not.toContain(email)
  expect(JSON.stringify(left)).toContain(`deleted user ${person_id}`)
})

describe('what is muted', () => {
  const inMinutes = (min: number) => new Date(w.clock.now().getTime() + min * 60_000)

  test('is told when the mute ends, if it is still down then; a recovery meanwhile leaves nothing to tell', async () => {
    const s = await ofCheck(['mail'])
    await mute(w.deps, s.what, inMinutes(30), BOB)
    await s.run(false)
    expect(await w.rows('select held_by from incidents where org_id = $1', s.org.org_id)).toEqual([
      { held_by: 'muted' },
    ])
    await pass(s.org, 5)
    await s.run(true)
    await pass(s.org, 5)
    await s.run(false)
    await pass(s.org, 30)
    expect(await s.told()).toEqual(['30 mail check.down'])
    await s.run(true)
    expect(await s.told()).toEqual(['30 mail check.down', '40 mail check.up'])
  })

  test('has no reminders, and its recovery waits too; they begin again after the mute', async () => {
    const s = await ofCheck(['mail'], { resend_interval_sec: 600 })
    await s.run(false)
    await pass(s.org, 1)
    await mute(w.deps, s.what, inMinutes(29), BOB)
    await pass(s.org, 44)
    await mute(w.deps, s.what, inMinutes(15), BOB)
    await s.run(true)
    await pass(s.org, 20)
    const told = await s.told()
    expect([told[0], told.at(-1)]).toEqual(['0 mail check.down', '60 mail check.up'])
    const reminded = told.slice(1, -1).map((one) => Number(one.split(' ')[0]))
    expect(reminded.length).toBeGreaterThan(0)
    expect(reminded.filter((min) => min < 30 || min > 45)).toEqual([])
  })

  test('is told at once when somebody ends the mute; what is not muted is told meanwhile', async () => {
    const s = await ofCheck(['mail'])
    const other = await ofCheck(['mail'])
    await mute(w.deps, s.what, inMinutes(120), BOB)
    await s.run(false)
    await other.run(false)
    await pass(s.org, 3)
    expect([await s.told(), (await other.told()).length]).toEqual([[], 1])
    expect(await unmute(w.deps, s.what, BOB)).toBe(true)
    expect(await unmute(w.deps, s.what, BOB)).toBe(false)
    await pass(s.org, 1)
    expect((await s.told()).length).toBe(1)
    const deeds = await w.rows(
      "select action from audit_entries where org_id = $1 and action like '%mute' order by entry_id",
      s.org.org_id,
    )
    expect(deeds.map(({ action }) => action)).toEqual(['check.mute', 'check.unmute'])
  })

  test('is muted for at most 90 days, until a time to come, and by its own organisation', async () => {
    const s = await ofCheck([])
    const refusals: [Parameters<typeof mute>[1], number, string][] = [
      [s.what, 0, 'in the future'],
      [s.what, 90 * 1440 + 1, 'at most 90 days'],
      [s.what, NaN, 'in the future'],
      [{ ...s.what, org_id: 1 }, 60, 'no check with that guid'],
      [{ ...s.what, kind: 'heartbeat' }, 60, 'no heartbeat with that guid'],
    ]
    for (const [what, min, words] of refusals) {
      await expect(mute(w.deps, what, inMinutes(min), BOB)).rejects.toThrow(words)
    }
  })
})
