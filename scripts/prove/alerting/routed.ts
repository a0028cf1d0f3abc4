// An organisation whose alerts take routes: some are told at once, some after a delay, some by escalation, and some not before quiet
// hours are over, which come and go meanwhile. What may wait is told or dropped, but never lost, doubled or told too soon.
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createRoute, type EditedRoute, editRoute } from '../../../packages/server/dist/domain/routing/edit.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { isHeardInTime, pauseUnless, stubbornly, TOLD_MS } from './patience.ts'
import type { Receiver } from './receiver.ts'
import { Untold } from './remains.ts'
import { type Change, type Course, NEVER, type Side, type Story } from './stories.ts'

export const ROLES = ['first', 'second', 'delayed', 'night'] as const
type Role = (typeof ROLES)[number]
type Hearer = Side['hearers'][number]

const DELAY_SEC = 3
const STEP_SEC = 2
const REST_MS = 4000
const MINUTE_MS = 60_000
/** A window that is shorter than this holds little. */
const LEAST_WINDOW_MS = 15_000
const FIRST_MS = 3000
const BETWEEN_MS = { least: 15_000, most: 30_000 }
/** Of a hundred incidents, so many last until everybody has heard of them, and of those so many until the quiet hours are over. */
const LASTING_PERCENT = 40
const NIGHTLY_PERCENT = 20
/** The clocks of the processes and ours. */
const CLOCK_MS = 100

/** Quiet hours that were on, in milliseconds since the Unix epoch. */
export interface Window {
  from: number
  to: number
}

const ROUTE: EditedRoute = {
  name: '',
  scope: { all: true },
  events: [],
  severity: null,
  quiet: null,
  delay_sec: 0,
  steps: [],
  enabled: true,
}

/** Makes the routes, and lets quiet hours come and go until it is over. */
export async function openRoutes(
  deps: Deps,
  side: Side,
  { seed, isOver }: Course,
): Promise<{ windows: Window[]; ended: Promise<void> }> {
  const id = (role: Role) => hearerOf(side, role).channel_id
  const { org_id } = side
  const steps = [
    { after_sec: 0, channel_ids: [id('first')] },
    { after_sec: STEP_SEC, channel_ids: [id('second')] },
  ]
  await createRoute(deps, org_id, { ...ROUTE, name: 'escalates', steps })
  const delayed = [{ after_sec: 0, channel_ids: [id('delayed')] }]
  await createRoute(deps, org_id, { ...ROUTE, name: 'waits', delay_sec: DELAY_SEC, steps: delayed })
  const night = { ...ROUTE, name: 'is quiet', steps: [{ after_sec: 0, channel_ids: [id('night')] }] }
  const { guid } = await createRoute(deps, org_id, night)
  const windows: Window[] = []
  const d = dice(seed)
  const run = async (): Promise<void> => {
    while (!isOver()) {
      const rest_ms = BETWEEN_MS.least + d.below(BETWEEN_MS.most - BETWEEN_MS.least)
      await pauseUnless(isOver, windows.length === 0 ? FIRST_MS : rest_ms)
      if (isOver()) break
      const asked = Date.now()
      const to = Math.ceil((asked + LEAST_WINDOW_MS) / MINUTE_MS) * MINUTE_MS
      const quiet = { from: clockAt(asked), to: clockAt(to), days: [], zone: 'UTC', holds_down: true }
      await stubbornly(() => editRoute(deps, { org_id, guid }, { ...night, quiet }))
      windows.push({ from: Date.now(), to })
      await pauseUnless(isOver, to - Date.now())
    }
    // From here on they may be over.
    const last = windows.at(-1)
    if (last) last.to = Math.min(last.to, Date.now())
    await stubbornly(() => editRoute(deps, { org_id, guid }, night))
  }
  return { windows, ended: run() }
}

function hearerOf(side: Side, role: Role): Hearer {
  const hearer = side.hearers[ROLES.indexOf(role)]
  if (!hearer) throw new Error(`nobody hears as ${role}`)
  return hearer
}

function clockAt(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16)
}

/** A check of which some incidents are over soon, and others last until everybody has heard of them; in the end it is down. */
export async function routedStory(story: Story, { seed, isOver }: Course): Promise<void> {
  const d = dice(seed)
  let latest = Date.now()
  const report = async (type: string, success: boolean): Promise<void> => {
    latest = Math.max(Date.now(), latest + 1)
    const change: Change = { type, from: latest, to: latest }
    await d.one([...story.side.uploaders]).upload([{ guid: story.guid, at: latest, success }])
    if (type !== '') story.changes.push(change)
  }
  await report('', true)
  for (;;) {
    await pause(d.below(REST_MS))
    await report('check.down', false)
    const isLast = isOver()
    const isNightly = isLast || d.below(100) < NIGHTLY_PERCENT
    if (isLast || d.below(100) < LASTING_PERCENT) await everybodyHears(story, isNightly)
    else await pause(d.below(REST_MS))
    if (isLast) return
    await report('check.up', true)
  }
}

/** Of the newest incident; the channel with quiet hours only where it is asked for. */
async function everybodyHears({ guid, side, changes }: Story, isNightly: boolean): Promise<void> {
  const from = changes.at(-1)?.from ?? 0
  const hears = (hearer: Receiver) => {
    const last = hearer.takenAbout(guid).at(-1)
    return last?.type === 'check.down' && last.since >= from
  }
  const asked = side.hearers.filter((hearer) => isNightly || hearer !== hearerOf(side, 'night'))
  if (await isHeardInTime(() => asked.every(hears), side.killed_ms ?? NEVER)) return
  const deaf = asked.filter((hearer) => !hears(hearer)).map(({ name }) => name)
  throw new Untold(guid, `${guid} has been down for ${TOLD_MS / 1000} s, and ${deaf.join(', ')} did not hear of it`)
}

/** A delivery, with when it was written and when its event was. */
export interface WrittenDelivery {
  channel_id: number
  event_id: string
  type: string
  state: string
  written_ms: number
  raised_ms: number
}

export const WRITTEN_DELIVERIES = `
  select d.channel_id, d.event_id, e.type, d.state, (extract(epoch from d.created_at) * 1000)::float8 as written_ms,
    (extract(epoch from e.created_at) * 1000)::float8 as raised_ms
  from deliveries d join events e using (org_id, event_id) where d.org_id = $1 order by d.delivery_id`

/** What waits, in all organisations. */
export const PLANNED = 'select count(*)::integer as count from planned_alerts'

export interface Routed {
  side: Side
  stories: readonly Story[]
  windows: readonly Window[]
  rows: readonly WrittenDelivery[]
}

/** Everybody heard what they had to, in order and not too soon. */
export function judgeRouted({ side, stories, windows, rows }: Routed): string[] {
  const of = (role: Role) => rows.filter(({ channel_id }) => channel_id === hearerOf(side, role).channel_id)
  const first = new Map(of('first').map((row) => [row.event_id, row.written_ms]))
  const downs = (role: Role) => of(role).filter(({ type }) => type === 'check.down')
  const inWindow = (at: number) => windows.some(({ from, to }) => at > from + CLOCK_MS && at < to - CLOCK_MS)
  return [
    ...(windows.length > 0 ? [] : ['no quiet hours came: that is no trial']),
    ...rows
      .filter(({ state }) => state !== 'delivered')
      .map(({ event_id, state }) => `${side.name}: ${event_id} is ${state}`),
    ...stories.flatMap((story) => [
      ...judgeFirst(side, story),
      ...side.hearers.flatMap((hearer) => judgeOrder(hearer, story)),
    ]),
    ...downs('delayed')
      .filter(({ written_ms, raised_ms }) => written_ms - raised_ms < DELAY_SEC * 1000)
      .map(({ event_id }) => `${side.name}: ${event_id} was told before its delay was over`),
    ...downs('second')
      .filter(({ event_id, written_ms }) => written_ms - (first.get(event_id) ?? Infinity) < STEP_SEC * 1000)
      .map(({ event_id }) => `${side.name}: ${event_id} escalated too soon`),
    ...of('night')
      .filter(({ written_ms }) => inWindow(written_ms))
      .map(({ event_id, type, written_ms, raised_ms }) => {
        const { from = 0, to = 0 } = windows.find((window) => written_ms > window.from && written_ms < window.to) ?? {}
        const ago = Math.round(written_ms - raised_ms)
        const place = `${Math.round(written_ms - from)} ms after they began, ${Math.round(to - written_ms)} ms before they ended`
        return `${side.name}: ${type} ${event_id} was told in quiet hours, ${place}, ${ago} ms after it was raised`
      }),
  ]
}

/** Who is told at once hears of every change. */
function judgeFirst(side: Side, { guid, changes }: Story): string[] {
  const told = hearerOf(side, 'first')
    .takenAbout(guid)
    .map(({ type }) => type)
  const expected = changes.map(({ type }) => type)
  return told.join() === expected.join()
    ? []
    : [`first: ${guid}: ${told.length} messages about ${expected.length} changes`]
}

/** Whoever hears of an incident hears of it once, and of its end right after it, unless it is the last. */
function judgeOrder({ name, takenAbout }: Receiver, { guid }: Story): string[] {
  const taken = takenAbout(guid)
  const isInOrder = taken.every(({ type, incident_id, since }, n) => {
    const before = taken[n - 1]
    if (type === 'check.up') return before?.type === 'check.down' && before.incident_id === incident_id
    return before === undefined || (before.type === 'check.up' && before.since < since)
  })
  const isEndedDown = taken.at(-1)?.type === 'check.down'
  return isInOrder && isEndedDown
    ? []
    : [`${name}: ${guid}: ${taken.map(({ type }) => type).join(' ')} is not in order, or not whole`]
}

/** How many of the incidents each hearer was told of. */
export function countRouted({ side, stories, windows, rows }: Routed): string {
  const incidents = stories.flatMap(({ changes }) => changes).filter(({ type }) => type === 'check.down').length
  const told = ROLES.map((role) => {
    const { channel_id } = hearerOf(side, role)
    return `${role} ${rows.filter((row) => row.channel_id === channel_id && row.type === 'check.down').length}`
  })
  return `of ${incidents} incidents by routes were told: ${told.join(', ')}; ${windows.length} times of quiet hours`
}
