// An organisation with maintenance windows that come and go, once or by a rule, for everything or for half of its checks, while checks go
// down and come up before, in and after them. Nothing is told in a window, and what is still down at its end is told then.
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createWindow, endWindow } from '../../../packages/server/dist/domain/maintenance/edit.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { Untold } from './remains.ts'
import { type Change, type Course, NEVER, type Side, type Story } from './stories.ts'
import { isHeardInTime, pauseUnless, stubbornly, TOLD_MS } from './patience.ts'

const MINUTE_MS = 60_000
const REST_MS = 4000
/** Of a hundred incidents, so many last until they are told. */
const LASTING_PERCENT = 40
/** A window that is ended early is on for so long. */
const ON_MS = { least: 20_000, most: 40_000 }
/** The next one begins no sooner. */
const BETWEEN_MS = 12_000
/** The clocks of the processes and ours. */
const CLOCK_MS = 100
/** After the end of a window alerts wait for a worker, which may have been killed, and for the longest lock that it may find. */
const LATE_MS = 30_000

export interface Maintained {
  side: Side
  stories: readonly Story[]
  /** How many windows are over. */
  readonly over: number
  running: Promise<unknown>
}

/** Begins the stories of checks, and lets windows come and go until it is over. */
export function beginMaintained(
  deps: Deps,
  side: Side,
  guids: readonly string[],
  { seed, isOver }: Course,
): Maintained {
  const stories = guids.map((guid): Story => ({ guid, side, changes: [] }))
  let over = 0
  const half = guids.filter((_, n) => n % 2 === 0)
  const d = dice(seed)
  const open = async (): Promise<void> => {
    for (let n = 0; !isOver(); n += 1) {
      const begins = Math.ceil((Date.now() + BETWEEN_MS) / MINUTE_MS) * MINUTE_MS
      const isOnce = n % 2 === 0
      const { guid } = await stubbornly(() =>
        createWindow(deps, side.org_id, {
          name: isOnce ? 'once' : 'by a rule',
          scope: isOnce ? { all: true } : { checks: half, heartbeats: [] },
          starts_at: new Date(begins).toISOString().slice(0, 16),
          duration_sec: MINUTE_MS / 1000,
          zone: 'UTC',
          rule: isOnce ? null : 'FREQ=HOURLY',
          is_public: false,
        }),
      )
      const on_ms = d.below(2) === 0 ? MINUTE_MS : ON_MS.least + d.below(ON_MS.most - ON_MS.least)
      await pauseUnless(isOver, begins + on_ms - Date.now())
      if (on_ms < MINUTE_MS || isOver()) await stubbornly(() => endWindow(deps, { org_id: side.org_id, guid }))
      over += 1
    }
  }
  const told = stories.map((story, n) => maintainedStory(story, { seed: seed - n, isOver }))
  return {
    side,
    stories,
    get over() {
      return over
    },
    running: Promise.all([open(), ...told]),
  }
}

/** A check of which some incidents are over soon, and others last until they are told; in the end it is down. */
async function maintainedStory(story: Story, { seed, isOver }: Course): Promise<void> {
  const d = dice(seed)
  let latest = Date.now()
  const report = async (type: string, success: boolean): Promise<number> => {
    latest = Math.max(Date.now(), latest + 1)
    const change: Change = { type, from: latest, to: latest }
    await d.one([...story.side.uploaders]).upload([{ guid: story.guid, at: latest, success }])
    if (type !== '') story.changes.push(change)
    return latest
  }
  await report('', true)
  for (;;) {
    await pause(d.below(REST_MS))
    const from = await report('check.down', false)
    const isLast = isOver()
    if (isLast || d.below(100) < LASTING_PERCENT) await isHeard(story, from)
    else await pause(d.below(REST_MS))
    if (isLast) return
    await report('check.up', true)
  }
}

async function isHeard({ guid, side: { hearers, killed_ms = NEVER } }: Story, from: number): Promise<void> {
  const hears = () =>
    hearers.every((hearer) => {
      const last = hearer.takenAbout(guid).at(-1)
      return last?.type === 'check.down' && last.since >= from
    })
  if (!(await isHeardInTime(hears, killed_ms)))
    throw new Untold(guid, `${guid} has been down for ${TOLD_MS / 1000} s, and nobody heard of it`)
}

/** An event about a check, with when it was written to its channel: null, never. */
export interface MaintainedEvent {
  event_id: string
  type: string
  guid: string
  incident_id: string
  state: string | null
  raised_ms: number
  written_ms: number | null
}

export const MAINTAINED_EVENTS = `
  select e.event_id, e.type, e.data -> 'check' ->> 'guid' as guid, e.incident_id, d.state,
    (extract(epoch from e.created_at) * 1000)::float8 as raised_ms,
    (extract(epoch from d.created_at) * 1000)::float8 as written_ms
  from events e left join deliveries d using (org_id, event_id)
  where e.org_id = $1 and e.incident_id is not null order by e.created_at`

/** When a window was on, in milliseconds since the Unix epoch, and for which checks; null: for all. */
export interface Span {
  name: string
  from: number
  to: number
  checks: string[] | null
}

// A longer scope is stored apart from the spans that have it.
export const SPANS = `
  select name, (extract(epoch from begins_at) * 1000)::float8 as "from", (extract(epoch from ends_at) * 1000)::float8 as "to",
    coalesce(k.scope, s.scope) -> 'checks' as checks
  from maintenance_spans s left join maintenance_scopes k using (org_id, scope_id)
  where org_id = $1 and begins_at < now() and ends_at > begins_at order by begins_at`

/** What came of the incidents that began in a window. */
interface Tally {
  /** Told when it was over. */
  told: number
  /** Over before it was. */
  dropped: number
  /** Down as a window began, and told before. */
  before: number
  latest_ms: number
}

export interface MaintainedRows {
  side: Side
  stories: readonly Story[]
  events: readonly MaintainedEvent[]
  spans: readonly Span[]
}

/** Nothing was told in a window, what was down at its end was told then, and everything else at once. */
export function judgeMaintained({ side, stories, events, spans }: MaintainedRows): {
  faults: string[]
  figures: string
} {
  const tally: Tally = { told: 0, dropped: 0, before: 0, latest_ms: 0 }
  const byIncident = Map.groupBy(events, ({ incident_id }) => incident_id)
  const faults = [
    ...[true, false].flatMap((isOnce) =>
      spans.some(({ checks }) => (checks === null) === isOnce)
        ? []
        : [`no window came ${isOnce ? 'once' : 'by a rule'}: that is no trial`],
    ),
    ...events.flatMap((event) => judgeEvent(event, spansOf(spans, event))),
    ...[...byIncident.values()].flatMap((own) => judgeIncident(own, spans, tally)),
    ...stories.flatMap((story) => side.hearers.flatMap((hearer) => judgeOrder(hearer, story))),
    ...(tally.told > 0 && tally.dropped > 0 && tally.before > 0
      ? []
      : [
          `told after a window ${tally.told}, dropped in one ${tally.dropped}, before one ${tally.before}: that is no trial`,
        ]),
  ]
  const figures = [
    `of ${byIncident.size} incidents under maintenance: ${tally.told} told at the end of their window, at most ${Math.round(tally.latest_ms)} ms after it`,
    `${tally.dropped} over before it and told to nobody, ${tally.before} told before it and down as it began`,
    `${spans.length} windows`,
  ]
  return { faults, figures: figures.join(', ') }
}

function spansOf(spans: readonly Span[], { guid }: { guid: string }): Span[] {
  return spans.filter(({ checks }) => checks === null || checks.includes(guid))
}

/** The window that an instant is in for certain, by all clocks. */
function within(spans: readonly Span[], at: number): Span | undefined {
  return spans.find(({ from, to }) => at > from + CLOCK_MS && at < to - CLOCK_MS)
}

function isNear(spans: readonly Span[], at: number): boolean {
  return spans.some(({ from, to }) => at > from - CLOCK_MS && at < to + CLOCK_MS)
}

function judgeEvent({ type, event_id, written_ms, state }: MaintainedEvent, spans: readonly Span[]): string[] {
  if (written_ms === null) return []
  const span = within(spans, written_ms)
  return [
    ...(span
      ? [`maintained: ${type} ${event_id} was told ${Math.round(written_ms - span.from)} ms into a window`]
      : []),
    ...(state === 'delivered' ? [] : [`maintained: ${type} ${event_id} is ${state}`]),
  ]
}

function judgeIncident(own: readonly MaintainedEvent[], all: readonly Span[], tally: Tally): string[] {
  const down = own.find(({ type }) => type === 'check.down')
  if (!down) return [`maintained: ${own[0]?.event_id} is about an incident that nobody saw begin`]
  const spans = spansOf(all, down)
  const up = own.find(({ type }) => type === 'check.up')
  const isTold = down.written_ms !== null
  const upFault =
    up && isTold !== (up.written_ms !== null) ? [`maintained: ${up.event_id} does not go where its DOWN went`] : []
  const held = within(spans, down.raised_ms)
  if (!held) {
    if (isNear(spans, down.raised_ms)) return upFault
    const began = spans.some(({ from }) => from > down.raised_ms && from < (up?.raised_ms ?? Infinity))
    if (began) tally.before += 1
    return isTold ? upFault : [...upFault, `maintained: ${down.event_id} was not told, and no window was on`]
  }
  const ended = up?.raised_ms ?? Infinity
  if (ended < held.to - CLOCK_MS) {
    tally.dropped += 1
    return isTold ? [`maintained: ${down.event_id} was told, and was over before its window`] : upFault
  }
  // Whoever ends it just then is told of, or not.
  if (!isTold)
    return ended > held.to + LATE_MS
      ? [`maintained: ${down.event_id} was down at the end of its window, and not told`]
      : []
  const late_ms = (down.written_ms ?? 0) - held.to
  tally.told += 1
  // The next window may have come before a worker did.
  const isNext = spans.some(({ from, to }) => from > held.to && to <= (down.written_ms ?? 0) + CLOCK_MS)
  if (!isNext) tally.latest_ms = Math.max(tally.latest_ms, late_ms)
  const natural = held.from + MINUTE_MS - held.to
  return late_ms < natural + LATE_MS || isNext
    ? upFault
    : [...upFault, `maintained: ${down.event_id} was told ${late_ms} ms after its window`]
}

/** Whoever hears of an incident hears of it once, and of its end right after it, unless it is the last. */
function judgeOrder({ name, takenAbout }: Side['hearers'][number], { guid }: Story): string[] {
  const taken = takenAbout(guid)
  const isInOrder = taken.every(({ type, incident_id, since }, n) => {
    const before = taken[n - 1]
    if (type === 'check.up') return before?.type === 'check.down' && before.incident_id === incident_id
    return before === undefined || (before.type === 'check.up' && before.since < since)
  })
  return isInOrder && taken.at(-1)?.type === 'check.down'
    ? []
    : [`${name}: ${guid}: ${taken.map(({ type }) => type).join(' ')} is not in order, or not whole`]
}
