// Runs an organisation whose alerts must wait: for routes with a delay, an escalation and quiet hours, and for maintenance
// windows. An alert that waits must be sent or dropped as documented, but never lost, doubled or early.
import { setTimeout as pause } from 'node:timers/promises'
import { createWindow, endWindow } from '../../../packages/domain/dist/maintenance/edit.js'
import { createRoute, type EditedRoute, editRoute } from '../../../packages/domain/dist/routing/edit.js'
import { dice } from '../../../packages/runtime/test/support/dice.ts'
import { openSide, type SidePlan } from '../../lab/alerts/fleet.ts'
import { CLOCK_MS, type Excuse, judgeRepeats, readDeliveries, type StoredDelivery } from '../../lab/alerts/judge.ts'
import { checkOf, type Side, Story } from '../../lab/alerts/stories.ts'
import { Book } from '../../lab/clients/book.ts'
import { type Undo, until } from '../../lab/proof.ts'
import { numberOf, shops } from '../../lab/world.ts'

const ROLES = ['first', 'second', 'delayed', 'night'] as const
type Role = (typeof ROLES)[number]

const CHECKS = 24
const [DELAY_SEC, STEP_SEC] = [3, 2]
const MINUTE_MS = 60_000
/** Duration of a maintenance window that someone ends early, in milliseconds. */
const ON_MS = { least: 20_000, most: 40_000 }
const BETWEEN_MS = 12_000
const LEAST_QUIET_MS = 15_000
/** Percentage of the lasting incidents that last until the quiet hours end. */
const NIGHTLY_PERCENT = 20
const AGAIN_MS = 500
const SETTLE_MS = 90_000
const ROUTE: EditedRoute = {
  ...{
    name: '',
    scope: { all: true },
    events: [],
    severity: null,
    quiet: null,
    delay_sec: 0,
    steps: [],
    enabled: true,
  },
}

/** A period when alerts wait, in milliseconds since the Unix epoch. */
interface Span {
  from: number
  to: number
  /** Guids of the checks whose alerts wait. Absent if all alerts wait. */
  checks?: readonly string[]
}

export interface DelayedSide {
  /** Returns the number of maintenance windows that have ended. */
  ended(): number
  readonly running: Promise<unknown>
  finish(): Promise<void>
  judge(excuse: Excuse): Promise<{ figures: string[]; faults: string[] }>
}

export async function openDelayedSide(plan: SidePlan, undo: Undo): Promise<DelayedSide> {
  const { deps, seed } = plan
  const receivers = ROLES.map((name) => ({ name }))
  const side = await openSide({ ...plan, name: 'held', receivers, isPatient: false }, new Book(), undo)
  const { org_id } = side
  const step = (role: Role, after_sec = 0) => ({ after_sec, channel_ids: [hearerOf(side, role).channel_id] })
  const guids = await side.addChecks(shops('held', CHECKS, () => ({ alert_every_change: true })))
  await createRoute(deps, org_id, { ...ROUTE, name: 'escalates', steps: [step('first'), step('second', STEP_SEC)] })
  await createRoute(deps, org_id, { ...ROUTE, name: 'waits', delay_sec: DELAY_SEC, steps: [step('delayed')] })
  const night = { ...ROUTE, name: 'is quiet', steps: [step('night')] }
  const { guid: route } = await createRoute(deps, org_id, night)
  let isOver = false
  const pauseUnlessOver = async (ms: number): Promise<void> => void (await until(() => isOver, Math.max(0, ms)))

  const windows: Span[] = []
  const maintain = async (): Promise<void> => {
    const d = dice(seed)
    const checks = guids.filter((_, n) => n % 2 === 0)
    while (!isOver) {
      const from = Math.ceil((Date.now() + BETWEEN_MS) / MINUTE_MS) * MINUTE_MS
      const isOnce = windows.length % 2 === 0
      const kind = isOnce
        ? { name: 'once', scope: { all: true as const }, rule: null }
        : { name: 'by a rule', scope: { checks, heartbeats: [] }, rule: 'FREQ=HOURLY' }
      const starts_at = new Date(from).toISOString().slice(0, 16)
      const window = { ...kind, starts_at, duration_sec: MINUTE_MS / 1000, zone: 'UTC', is_public: false }
      const { guid } = await stubbornly(() => createWindow(deps, org_id, window))
      const on_ms = d.below(2) === 0 ? MINUTE_MS : ON_MS.least + d.below(ON_MS.most - ON_MS.least)
      await pauseUnlessOver(from + on_ms - Date.now())
      windows.push({ from, to: Math.min(from + MINUTE_MS, Date.now()), ...(!isOnce && { checks }) })
      if (on_ms < MINUTE_MS || isOver) await stubbornly(() => endWindow(deps, { org_id, guid }))
    }
  }
  const quietHours: Span[] = []
  const beQuiet = async (): Promise<void> => {
    const edit = (wanted: EditedRoute) => stubbornly(() => editRoute(deps, { org_id, guid: route }, wanted))
    const clockAt = (ms: number) => new Date(ms).toISOString().slice(11, 16)
    for (const d = dice(seed); !isOver; await pauseUnlessOver(LEAST_QUIET_MS + d.below(LEAST_QUIET_MS))) {
      const now = Date.now()
      const to = Math.ceil((now + LEAST_QUIET_MS) / MINUTE_MS) * MINUTE_MS
      await edit({ ...night, quiet: { from: clockAt(now), to: clockAt(to), days: [], zone: 'UTC', holds_down: true } })
      const span = { from: Date.now(), to }
      quietHours.push(span)
      await pauseUnlessOver(to - Date.now())
      span.to = Math.min(to, Date.now())
    }
    await edit(night)
  }
  const awake = side.hearers.filter(({ name }) => name !== 'night')
  const telling = guids.map((guid, n) =>
    new Story(side, { name: `held ${n}`, guid, kind: 'check', act: checkOf(side, guid, 1), seed: seed - n }).last(
      () => isOver,
      (isLast, d) => (isLast || d.below(100) < NIGHTLY_PERCENT ? side.hearers : awake),
    ),
  )
  const running = Promise.all([maintain(), beQuiet(), ...telling])
  running.catch(() => {})
  return {
    ended: () => windows.length,
    running,
    finish: async () => {
      isOver = true
      await running
    },
    judge: async (excuse) => {
      const waiting = () => numberOf(deps, 'select count(*) from planned_alerts where org_id = $1', org_id)
      const isDone = await until(async () => (await waiting()) === 0, SETTLE_MS)
      const rows = await readDeliveries(deps, org_id)
      const { figures, faults } = judge({ side, rows, quietHours, windows })
      return {
        figures,
        faults: [
          ...(isDone ? [] : [`held: ${await waiting()} alerts still wait`]),
          ...faults,
          ...side.hearers.flatMap((hearer) => [...hearer.faults, ...judgeRepeats(hearer, excuse)]),
        ],
      }
    },
  }
}

function hearerOf(side: Side, role: Role) {
  const hearer = side.hearers[ROLES.indexOf(role)]
  if (!hearer) throw new Error(`there is no receiver ${role}`)
  return hearer
}

/** Repeats an action until it succeeds, because Postgres may be unavailable. */
async function stubbornly<Value>(act: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await act()
    } catch {
      await pause(AGAIN_MS)
    }
  }
}

interface Observations {
  side: Side
  rows: readonly StoredDelivery[]
  quietHours: readonly Span[]
  windows: readonly Span[]
}

/**
 * Requires that no alert was early, and that the alerts of each check came in order. The stories themselves wait until their
 * alerts arrive.
 */
function judge({ side, rows, quietHours, windows }: Observations): { figures: string[]; faults: string[] } {
  const sent = rows.flatMap((row) => (row.written_ms === null ? [] : [{ ...row, at: row.written_ms }]))
  const of = (role: Role) => sent.filter(({ channel_id }) => channel_id === hearerOf(side, role).channel_id)
  const downs = (role: Role) => of(role).filter(({ type }) => type === 'check.down')
  const firstAt = new Map(of('first').map((row) => [row.event_id, row.at]))
  const windowsOf = ({ guid }: StoredDelivery) => windows.filter(({ checks }) => checks?.includes(guid ?? '') ?? true)
  const isBetween = (spans: readonly Span[], at: number) =>
    spans.some(({ from, to }) => at > from + CLOCK_MS && at < to - CLOCK_MS)
  const early = {
    'in a maintenance window': sent.filter((row) => isBetween(windowsOf(row), row.at)),
    'in quiet hours': of('night').filter(({ at }) => isBetween(quietHours, at)),
    'before its delay was over': downs('delayed').filter(({ at, raised_ms }) => at - raised_ms < DELAY_SEC * 1000),
    'to the second step too soon': downs('second').filter(
      ({ at, event_id }) => at - (firstAt.get(event_id) ?? Infinity) < STEP_SEC * 1000,
    ),
  }
  const maintained = of('first').filter((row) => isBetween(windowsOf(row), row.raised_ms)).length
  const nightly = of('night').filter(({ raised_ms }) => isBetween(quietHours, raised_ms)).length
  const kinds = new Set(windows.map(({ checks }) => checks === undefined)).size
  return {
    faults: [
      ...sent.flatMap(({ event_id, state }) => (state === 'delivered' ? [] : [`held: ${event_id} is ${state}`])),
      ...Object.entries(early).flatMap(([when, some]) =>
        some.map(({ type, event_id }) => `held: ${type} ${event_id} was sent ${when}`),
      ),
      ...side.stories.flatMap((story) => side.hearers.flatMap((hearer) => judgeOrder(hearer, story))),
      ...(maintained > 0 && nightly > 0 && kinds > 1
        ? []
        : ['no alert waited for a window or quiet hours: that is no trial']),
    ],
    figures: [
      `incidents by routes: ${ROLES.map((role) => `${role} ${downs(role).length}`).join(', ')}`,
      `${maintained} alerts waited for the end of ${windows.length} maintenance windows`,
      `${nightly} alerts waited for the end of ${quietHours.length} quiet hours`,
    ],
  }
}

/**
 * Requires one alert for the beginning of each incident, directly followed by one for its end. The last incident must have no
 * end.
 */
function judgeOrder({ name, takenAbout }: Side['hearers'][number], { guid }: Story): string[] {
  const taken = takenAbout(guid)
  const isInOrder = taken.every(({ type, incident_id, since = 0 }, n) => {
    const before = taken[n - 1]
    if (type === 'check.up') return before?.type === 'check.down' && before.incident_id === incident_id
    return before === undefined || (before.type === 'check.up' && (before.since ?? 0) < since)
  })
  if (isInOrder && taken.at(-1)?.type === 'check.down') return []
  return [`${name}: ${guid}: ${taken.map(({ type }) => type).join(' ')} is not in order, or not whole`]
}
