// What a replay counts is what people were really told, and it tells what other rules would have changed.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { replayCheck } from '@dogwatch/domain/checks/replay'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { remind } from '@dogwatch/domain/events/remind'
import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rulesOf } from '../../../domain/src/checks/places.ts'
import { AlertReplay } from '../../../domain/src/checks/replay-rule.ts'
import { DEPENDENCIES } from '../../../domain/src/dependencies/holds.ts'
import { MAINTENANCE } from '../../../domain/src/maintenance/holds.ts'
import { MUTES } from '../../../domain/src/mutes/holds.ts'
import { dice } from '../../../runtime/test/support/dice.ts'
import { result, type World, world } from '../support/world.ts'

const HISTORIES = 200
const TURNS = 26
const TURN_SEC = 150
/** Fewer than these in a row have no result at all: the check stays monitored. */
const MOST_SILENT = 4

let w: World
beforeAll(async () => {
  // Many of the histories fail from one monitor at once: told one by one all the same.
  w = await world({ hold_sources: [MAINTENANCE, DEPENDENCIES, MUTES] })
})
afterAll(() => w.close())

interface History {
  guid: string
  entry: Record<string, unknown>
  /** For each turn, what comes of it; undefined when its monitor does not run it. */
  outcomes: (boolean | undefined)[]
}

function generate(seed: number): Omit<History, 'guid'> {
  const d = dice(seed)
  const outcomes: History['outcomes'] = []
  let silent = 0
  while (outcomes.length < TURNS) {
    // A spell: which of the three monitors see it failing, which are away, and how often it is the other way round.
    const [failing, away, noise] = [d.below(8), d.below(5) === 0 ? d.below(7) : 0, d.one([0, 0, 15, 50])]
    for (let left = 1 + d.below(9); left > 0 && outcomes.length < TURNS; left--) {
      const bit = 1 << (outcomes.length % 3)
      const isAway = (away & bit) !== 0 && silent < MOST_SILENT
      silent = isAway ? silent + 1 : 0
      outcomes.push(isAway ? undefined : ((failing & bit) === 0) !== d.below(100) < noise)
    }
  }
  const entry = {
    interval_sec: TURN_SEC,
    down_interval_sec: d.below(4),
    down_majority: d.below(2) === 0,
    down_places: d.below(4),
    up_successes: d.below(3),
    resend_interval_sec: d.one([0, 2, 5]) * TURN_SEC,
    alert_every_change: d.below(4) === 0,
  }
  return { entry, outcomes }
}

/** Of each organisation a quarter of the histories. */
const WORLDS = [
  'every channel hears at once',
  'a delay and steps',
  'quiet hours and kinds',
  'windows, mutes, dependencies',
] as const
const EACH = HISTORIES / WORLDS.length
const ROUTE = {
  name: 'r',
  scope: { all: true },
  events: [],
  severity: null,
  quiet: null,
  delay_sec: 0,
  enabled: true,
} as const

/** What decides who hears of the alerts of an organisation besides the rules of its checks. */
async function furnish(which: (typeof WORLDS)[number], org_id: number, guids: readonly string[]): Promise<void> {
  const channel = async (name: string) => {
    const given = { kind: 'webhook', name, webhook_url: 'https://hooks.example/' }
    return (await createChannel(w.deps, org_id, given)).id
  }
  const [mail, chat] = [await channel('mail'), await channel('chat')]
  const timeOf = (turn: number) => new Date(w.clock.now().getTime() + turn * TURN_SEC * 1000).toISOString().slice(0, 16)
  if (which === 'a delay and steps') {
    const steps = [
      { after_sec: 0, channel_ids: [mail] },
      { after_sec: 2 * TURN_SEC, channel_ids: [chat] },
    ]
    await createRoute(w.deps, org_id, { ...ROUTE, delay_sec: TURN_SEC, steps })
  }
  if (which === 'quiet hours and kinds') {
    const quiet = { from: timeOf(6).slice(11), to: timeOf(12).slice(11), days: [], zone: 'UTC', holds_down: true }
    await createRoute(w.deps, org_id, { ...ROUTE, quiet, steps: [{ after_sec: 0, channel_ids: [mail] }] })
    await createRoute(w.deps, org_id, {
      ...ROUTE,
      events: ['down', 'up'],
      steps: [{ after_sec: 0, channel_ids: [chat] }],
    })
  }
  if (which !== 'windows, mutes, dependencies') return
  const window = { name: 'n', scope: { all: true }, zone: 'UTC', rule: null, is_public: false } as const
  await createWindow(w.deps, org_id, { ...window, starts_at: timeOf(7), duration_sec: 5 * TURN_SEC })
  for (const [n, guid] of guids.entries()) {
    if (n % 2 === 1) await w.rows('update checks set depends_on = $1 where guid = $2', guids[n - 1], guid)
    if (n % 5 !== 0) continue
    await w.rows(
      `insert into mutes select org_id, 'check:' || check_id, $2::timestamptz, $3::timestamptz, 'bob@example.com' from checks where guid = $1`,
      guid,
      `${timeOf(17)}Z`,
      `${timeOf(0)}Z`,
    )
  }
}

test(`replays of ${HISTORIES} generated histories under their own rules are what was really told, channel by channel`, async () => {
  const monitors = []
  for (const name of ['A', 'B', 'C']) monitors.push(await w.monitor(null, name))
  const histories: (History & { which: string })[] = []
  for (const [place, which] of WORLDS.entries()) {
    const org = await w.org()
    const some = Array.from({ length: EACH }, (_, n) => generate(place * EACH + n))
    const guids: string[] = []
    for (let at = 0; at < EACH; at += 25) {
      const part = some.slice(at, at + 25).map(({ entry }) => entry)
      guids.push(...(await w.checks(org, part, 'all')))
    }
    await furnish(which, org.org_id, guids)
    histories.push(...some.map((one, n) => ({ ...one, guid: guids[n] ?? '', which })))
  }
  const begins = w.clock.now()
  const from = begins.toISOString()
  for (let turn = 0; turn < TURNS; turn++) {
    w.clock.forward(TURN_SEC)
    for (const look of [releaseDue, rejudgeChecks, remind]) {
      await look(w.deps)
      // As if all had been sent: a reminder goes nowhere where something waits to be.
      await w.rows("update deliveries set state = 'delivered', next_attempt_at = null where state = 'pending'")
    }
    const ran_at = w.clock.now().toISOString()
    const batch = histories.flatMap(({ guid, outcomes }) => {
      const success = outcomes[turn]
      return success === undefined ? [] : [result(guid, { ran_at, success, ...(!success && { error: 'x' }) })]
    })
    await monitors[turn % 3]?.client.upload(batch)
  }
  const heard = (await w.rows(
    `select c.guid, n.name, e.type, count(*)::integer as count from deliveries d join events e using (org_id, event_id)
     join checks c using (org_id, check_id) join notification_channels n on n.id = d.channel_id group by 1, 2, 3`,
  )) as { guid: string; name: string; type: string; count: number }[]
  // What fell due at the instant of a result came before it.
  const told = (await w.rows(
    `select c.guid, e.type, wire_time(e.created_at) as at from events e join checks c using (org_id, check_id)
     order by e.created_at, e.type in ('check.reminder', 'check.settled') desc, e.type`,
  )) as { guid: string; type: string; at: string }[]
  const really = Map.groupBy(told, ({ guid }) => guid)
  const heardOf = Map.groupBy(heard, ({ guid }) => guid)
  // The worker looks when a result is due: what falls due between two of them is told before the next one.
  const turnOf = (at: string) => Math.ceil((Date.parse(at) - begins.getTime()) / (TURN_SEC * 1000))
  for (const { guid, which } of histories) {
    const { given } = await replayCheck(w.deps, { guid }, { from }, {})
    const own = really.get(guid) ?? []
    const isExact = which === WORLDS[0]
    const shown = (all: readonly { at: string; type: string }[]) =>
      all.map(({ at, type }) => `${isExact ? at : turnOf(at)} ${type}`)
    expect({ guid, which, told: shown(given.newest) }).toEqual({ guid, which, told: shown(own) })
    expect(given.told).toBe(own.length)
    const replayed = given.channels.flatMap(({ name, counts }) =>
      Object.entries(counts).map(([type, count]) => `${name} ${type} ${count ?? 0}`),
    )
    const received = (heardOf.get(guid) ?? []).map(({ name, type, count }) => `${name} ${type} ${count}`)
    expect({ guid, which, heard: replayed.toSorted() }).toEqual({ guid, which, heard: received.toSorted() })
  }
  // There was something to tell.
  expect(new Set(told.map(({ type }) => type)).size).toBe(5)
}, 240_000)

test('other rules tell less of the same results', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ interval_sec: 60, alert_every_change: true }], 'all')
  const from = w.clock.now().toISOString()
  for (const outcome of 'F S F F S F S F F F S S') {
    if (outcome === ' ') continue
    w.clock.forward(60)
    const success = outcome === 'S'
    await monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString(), success })])
  }
  const replay = await replayCheck(w.deps, { guid }, { from }, { down_interval_sec: 3 })
  expect(replay).toMatchObject({ results: 12, present: { told: 8 }, given: { told: 2, counts: { 'check.down': 1 } } })
  const fails = (given: unknown) => replayCheck(w.deps, { guid }, { from }, given)
  await expect(fails({ down_interval_sec: -1 })).rejects.toThrow(/check.down_interval_sec must be/)
  await expect(fails({ url: 'https://example.com' })).rejects.toThrow(/may contain only down_interval_sec/)
  await expect(fails({ routes: [{ name: 'r' }] })).rejects.toThrow(/steps must have at least one channel/)
  await expect(fails({ routes: [{ steps: 1 }] })).rejects.toThrow(/routes\[0\] must have/)
  await expect(fails({ windows: {} })).rejects.toThrow(/windows must be a list/)
  // Of four times that it was down, each for a minute or more, one lasted longer than the delay; a window would have held that as well.
  const { id } = await createChannel(w.deps, org.org_id, {
    kind: 'webhook',
    name: 'm',
    webhook_url: 'https://h.example/',
  })
  const routes = [{ delay_sec: 90, steps: [{ after_sec: 0, channel_ids: [id] }] }]
  const tried = await fails({ routes })
  expect([tried.present.channels[0]?.told, tried.given.channels[0]?.counts]).toEqual([
    8,
    { 'check.down': 2, 'check.up': 2 },
  ])
  const windows = [{ starts_at: from.slice(0, 16), duration_sec: 7200, zone: 'UTC' }]
  expect((await fails({ routes, windows })).given.channels[0]).toMatchObject({ told: 0 })
  await expect(replayCheck(w.deps, { guid, org_id: org.org_id + 1 }, { from }, {})).rejects.toThrow(/no check with/)
})

const DOWN_AT_ONCE = {
  threshold: 1,
  interval_sec: 60,
  monitors: 1,
  down_places: 0,
  down_majority: false,
  up_successes: 0,
}
const GIVEN = { rules: rulesOf(DOWN_AT_ONCE), alert_every_change: false }
const at = (sec: number) => new Date(Date.parse('2026-11-20T12:00:00Z') + sec * 1000).toISOString().replace('Z', '000Z')

test('while nobody looks, a replay tells nothing; with the next result it does, once', () => {
  const replay = new AlertReplay({ ...GIVEN, resend_interval_sec: 600, patience_ms: 180_000 })
  for (const sec of [0, 60, 7200, 7260]) replay.take({ at: at(sec), monitor_id: 'm', success: false })
  replay.advance(at(100_000))
  expect(replay.newest).toEqual([
    { at: at(0), type: 'check.down' },
    { at: at(7200), type: 'check.reminder' },
  ])
})

test('a reminder a second for three years is counted without making each, from an instant on', () => {
  const given = { ...GIVEN, resend_interval_sec: 1, patience_ms: Infinity }
  const replay = new AlertReplay(given, '2026-11-20T12:00:09.500001Z')
  replay.take({ at: at(0), monitor_id: 'm', success: false })
  replay.advance(at(100_000_000))
  expect(Object.fromEntries(replay.counts)).toEqual({ 'check.reminder': 99_999_991 })
  expect(replay.newest).toHaveLength(50)
  expect(replay.newest.map((one) => one.at).slice(-2)).toEqual([at(99_999_999), at(100_000_000)])
})
