// An organisation with maintenance windows that come and go, once or by a rule, for everything or for half of its checks, while checks go
// down and come up before, in and after them. No alert is sent in a window, and what is still down at its end is alerted then.
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createWindow, endWindow } from '../../../packages/server/dist/domain/maintenance/edit.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { CLOCK_MS, judgeOrder, type StoredDelivery } from '../../lab/alerts/judge.ts'
import { type Course, lastingStory, pauseUnless, type Side, Story, stubbornly } from '../../lab/alerts/stories.ts'
import { query, shops } from '../../lab/world.ts'

const CHECKS = 12
const MINUTE_MS = 60_000
/** Duration of a window that ends early. */
const ON_MS = { least: 20_000, most: 40_000 }
const BETWEEN_MS = 12_000
/** Maximum delay after a window: a worker may have been killed, and may find a lock. */
const LATE_MS = 30_000

export interface MaintainedSide {
  side: Side
  stories: readonly Story[]
  /** Returns the number of windows that have ended. */
  ended(): number
  running: Promise<unknown>
}

export async function beginMaintained(deps: Deps, side: Side, { seed, isOver }: Course): Promise<MaintainedSide> {
  const { org_id } = side
  const guids = await side.addChecks(shops('maintained', CHECKS, () => ({ alert_every_change: true })))
  const stories = guids.map((guid) => new Story(guid, side))
  const half = { checks: guids.filter((_, n) => n % 2 === 0), heartbeats: [] }
  const d = dice(seed)
  let ended = 0
  const maintain = async (): Promise<void> => {
    for (let n = 0; !isOver(); n += 1) {
      const begins = Math.ceil((Date.now() + BETWEEN_MS) / MINUTE_MS) * MINUTE_MS
      const starts_at = new Date(begins).toISOString().slice(0, 16)
      const kind =
        n % 2 === 0
          ? { name: 'once', scope: { all: true as const }, rule: null }
          : { name: 'by a rule', scope: half, rule: 'FREQ=HOURLY' }
      const window = { ...kind, starts_at, duration_sec: MINUTE_MS / 1000, zone: 'UTC', is_public: false }
      const { guid } = await stubbornly(() => createWindow(deps, org_id, window))
      const on_ms = d.below(2) === 0 ? MINUTE_MS : ON_MS.least + d.below(ON_MS.most - ON_MS.least)
      await pauseUnless(isOver, begins + on_ms - Date.now())
      if (on_ms < MINUTE_MS || isOver()) await stubbornly(() => endWindow(deps, { org_id, guid }))
      ended += 1
    }
  }
  const telling = stories.map((story, n) => lastingStory(story, { seed: seed - n, isOver }, () => side.hearers))
  return { side, stories, ended: () => ended, running: Promise.all([maintain(), ...telling]) }
}

/** Time of an active window, in milliseconds since the Unix epoch. */
interface Span {
  from: number
  to: number
  /** Null if the window is for everything. */
  checks: string[] | null
}

const SPANS = `
  select (extract(epoch from begins_at) * 1000)::float8 as "from", (extract(epoch from ends_at) * 1000)::float8 as "to",
    coalesce(k.scope, s.scope) -> 'checks' as checks
  from maintenance_spans s left join maintenance_scopes k using (org_id, scope_id)
  where org_id = $1 and begins_at < now() and ends_at > begins_at order by begins_at`

export function readSpans(deps: Deps, org_id: number): Promise<Span[]> {
  return query<Span>(deps, SPANS, org_id)
}

/** Counts of incidents. */
interface Counts {
  /** Alerted after a window. */
  after: number
  /** Ended in a window. */
  dropped: number
  /** Alerted before a window that began while they lasted. */
  before: number
  latest_ms: number
}

export function judgeMaintained(
  { side, stories }: MaintainedSide,
  rows: readonly StoredDelivery[],
  spans: readonly Span[],
): { faults: string[]; figures: string } {
  const counts: Counts = { after: 0, dropped: 0, before: 0, latest_ms: 0 }
  const events = rows.filter(({ incident_id }) => incident_id !== null)
  const byIncident = Map.groupBy(events, ({ incident_id }) => incident_id)
  const faults = [
    ...events.flatMap((event) => judgeEvent(event, spansOf(spans, event))),
    ...[...byIncident.values()].flatMap((own) => judgeIncident(own, spans, counts)),
    ...stories.flatMap((story) => side.hearers.flatMap((hearer) => judgeOrder(hearer, story))),
  ]
  const kinds = new Set(spans.map(({ checks }) => checks === null))
  if (kinds.size < 2) faults.push('no window came once, or none by a rule: that is no trial')
  const isTrial = counts.after > 0 && counts.dropped > 0 && counts.before > 0
  if (!isTrial) faults.push(`of incidents under maintenance: ${JSON.stringify(counts)}: that is no trial`)
  const figures = [
    `of ${byIncident.size} incidents under maintenance ${counts.after} alerted at the end of their window, at most ${Math.round(counts.latest_ms)} ms after it`,
    `${counts.dropped} ended before it without an alert, ${counts.before} alerted before it`,
    `${spans.length} windows`,
  ]
  return { faults, figures: figures.join(', ') }
}

function spansOf(spans: readonly Span[], { guid }: Pick<StoredDelivery, 'guid'>): Span[] {
  return spans.filter(({ checks }) => checks === null || checks.includes(guid ?? ''))
}

/** Returns the window that contains an instant for certain, by all clocks. */
function within(spans: readonly Span[], at: number): Span | undefined {
  return spans.find(({ from, to }) => at > from + CLOCK_MS && at < to - CLOCK_MS)
}

function judgeEvent({ type, event_id, written_ms, state }: StoredDelivery, spans: readonly Span[]): string[] {
  if (written_ms === null) return []
  const name = `maintained: ${type} ${event_id}`
  return [
    ...(within(spans, written_ms) ? [`${name} was sent in a window`] : []),
    ...(state === 'delivered' ? [] : [`${name} is ${state}`]),
  ]
}

function judgeIncident(own: readonly StoredDelivery[], all: readonly Span[], counts: Counts): string[] {
  const [down, up] = [own.find(({ type }) => type === 'check.down'), own.find(({ type }) => type === 'check.up')]
  if (!down) return [`maintained: the incident of ${own[0]?.event_id} has no beginning`]
  const spans = spansOf(all, down)
  const name = `maintained: ${down.event_id}`
  const isSent = down.written_ms !== null
  const ended = up?.raised_ms ?? Infinity
  const upFault = up && isSent !== (up.written_ms !== null) ? [`${name}: its recovery goes another way`] : []
  const held = within(spans, down.raised_ms)
  if (!held) {
    // On the edge of a window, both are right.
    if (spans.some(({ from, to }) => down.raised_ms > from - CLOCK_MS && down.raised_ms < to + CLOCK_MS)) return upFault
    if (spans.some(({ from }) => from > down.raised_ms && from < ended)) counts.before += 1
    return isSent ? upFault : [...upFault, `${name} was not sent, and no window was on`]
  }
  if (ended < held.to - CLOCK_MS) {
    counts.dropped += 1
    return isSent ? [`${name} was sent, and ended before its window`] : upFault
  }
  if (!isSent) return ended > held.to + LATE_MS ? [`${name} was down at the end of its window, and not sent`] : []
  const late_ms = (down.written_ms ?? 0) - held.to
  counts.after += 1
  // The next window may have come before a worker did.
  const isNext = spans.some(({ from, to }) => from > held.to && to <= (down.written_ms ?? 0) + CLOCK_MS)
  if (!isNext) counts.latest_ms = Math.max(counts.latest_ms, late_ms)
  const isLate = late_ms >= held.from + MINUTE_MS - held.to + LATE_MS && !isNext
  return isLate ? [...upFault, `${name} was sent ${late_ms} ms after its window`] : upFault
}
