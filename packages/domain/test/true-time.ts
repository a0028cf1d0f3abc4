// A small world in which true time is known: what monitors with wrong clocks see of a target, when their uploads arrive, and
// the incidents that somebody would record who knows when everything really happened.
import fc from 'fast-check'

export const INTERVAL_MS = 30_000
const MONITORS = 3
/** By then what came late is judged. */
const SETTLED_MS = 330_000

/** What one monitor is like: its clock, and when its uploads get through. */
export interface Watcher {
  /** How far its clock is ahead at the beginning. */
  offset_ms: number
  /** How much it gains, in milliseconds a second. */
  drift: number
  /** From then on its clock shows so much more. What waits then is lost to correction, so nothing waits. It happens between runs. */
  jump: { at: number; by_ms: number }
  /** How long an upload takes. */
  latency_ms: number
  /** During these its runs wait in its buffer, and are uploaded afterwards. */
  away: { from: number; until: number }
  /** During these it does not run at all: stopped, or its machine hangs. */
  still: { from: number; until: number }
  /** Sends everything twice. */
  repeats: boolean
  /** Results in one upload when it catches up, and whether it says how many remain. */
  batch: number
  says: boolean
}

/** Something people do. In milliseconds since the beginning, as all instants here. */
export type Deed =
  | { kind: 'pause'; at: number; for_ms: number }
  | { kind: 'edit'; at: number }
  /** Nobody is to run it for so long. */
  | { kind: 'unassign'; at: number; for_ms: number }

export interface Timeline {
  threshold: number
  runs: number
  watchers: Watcher[]
  /** When the target changes between up and down, in runs from one to the next; it begins up. */
  spells: number[]
  deed: Deed | undefined
}

export interface TrueRun {
  monitor: number
  at: number
  success: boolean
}

export interface Arrival {
  monitor: number
  /** When it is received. */
  at: number
  /** What the sender's clock shows. */
  sent_at: number
  remaining: number | undefined
  results: { ran_at: number; success: boolean }[]
}

const span = (most: number) =>
  fc.tuple(fc.nat(60), fc.nat(most)).map(([from, length]) => ({
    from: from * INTERVAL_MS,
    until: (from + length) * INTERVAL_MS,
  }))

const watcher: fc.Arbitrary<Watcher> = fc.record({
  offset_ms: fc.oneof(fc.constant(0), fc.integer({ min: -3_600_000, max: 500_000 })),
  drift: fc.oneof(fc.constant(0), fc.double({ min: -2, max: 2, noNaN: true })),
  jump: fc.record({
    at: fc.nat(60).map((n) => n * INTERVAL_MS - INTERVAL_MS / 2),
    by_ms: fc.oneof(fc.constant(0), fc.integer({ min: -300_000, max: 80_000 })),
  }),
  latency_ms: fc.integer({ min: 20, max: 1200 }),
  away: span(30),
  still: span(14),
  repeats: fc.boolean(),
  batch: fc.integer({ min: 2, max: 12 }),
  says: fc.boolean(),
})

const at = fc.nat(60).map((n) => n * INTERVAL_MS + 15_000)
const deed: fc.Arbitrary<Deed | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ kind: fc.constant('pause' as const), at, for_ms: fc.integer({ min: 60_000, max: 1_200_000 }) }),
  fc.record({ kind: fc.constant('edit' as const), at }),
  fc.record({ kind: fc.constant('unassign' as const), at, for_ms: fc.integer({ min: 60_000, max: 1_200_000 }) }),
)

export const timelines: fc.Arbitrary<Timeline> = fc
  .record({
    threshold: fc.integer({ min: 1, max: 4 }),
    runs: fc.constant(80),
    watchers: fc.array(watcher, { minLength: 1, maxLength: MONITORS }),
    spells: fc.array(fc.integer({ min: 5, max: 20 }), { maxLength: 12 }),
    deed,
  })
  // What ran before a break and is not judged by then never is: whoever knows true time would have to know that, too.
  .filter(({ deed: done, watchers }) => {
    const end = done && done.at + ('for_ms' in done ? done.for_ms : 0) + INTERVAL_MS
    return !done || watchers.every(({ away }) => away.until < done.at - SETTLED_MS || away.from > (end ?? 0))
  })
  .map((timeline) => ({
    ...timeline,
    // A clock that jumps while results wait makes their places unknowable, to anybody.
    watchers: timeline.watchers.map((one) =>
      one.away.until > one.away.from ? { ...one, jump: { ...one.jump, by_ms: 0 } } : one,
    ),
  }))

/** Who runs a check takes turns, as agents do; a turn of one that stands still is lost. */
export function trueRuns({ watchers, runs, spells, deed: done }: Timeline): TrueRun[] {
  const changes = spells.reduce<number[]>((all, length) => [...all, (all.at(-1) ?? 0) + length], [])
  return Array.from({ length: runs }, (_, slot) => {
    const when = slot * INTERVAL_MS
    const monitor = slot % watchers.length
    const success = changes.filter((change) => change <= slot).length % 2 === 0
    return { monitor, at: when, success }
  }).filter(({ monitor, at: when }) => {
    const { still } = watchers[monitor] as Watcher
    const isOff = done !== undefined && done.kind !== 'edit' && when >= done.at && when < done.at + done.for_ms
    return !isOff && !(when >= still.from && when < still.until)
  })
}

/** What the clock of a monitor shows. */
export function clockOf({ offset_ms, drift, jump }: Watcher, when: number): number {
  return when + offset_ms + (drift * when) / 1000 + (when >= jump.at ? jump.by_ms : 0)
}

/** What reaches the server, in the order in which it does. */
export function arrivals(timeline: Timeline, runs: readonly TrueRun[]): Arrival[] {
  const all = timeline.watchers.flatMap((one, monitor) => {
    const own = runs.filter((run) => run.monitor === monitor)
    const isAway = (when: number) => when >= one.away.from && when < one.away.until
    const told = (run: TrueRun) => ({ ran_at: clockOf(one, run.at), success: run.success })
    const live = own.filter((run) => !isAway(run.at)).map((run) => upload(one, monitor, run.at + 300, [told(run)], 0))
    const kept = own.filter((run) => isAway(run.at)).map(told)
    const late = Array.from({ length: Math.ceil(kept.length / one.batch) }, (_, i) => {
      const rest = kept.slice(i * one.batch)
      const results = rest.slice(0, one.batch)
      // Half a second from one to the next, after what runs just then.
      return upload(one, monitor, one.away.until - 20_000 + i * 500, results, rest.length - results.length)
    })
    return [...live, ...late].flatMap((sent) =>
      one.repeats ? [sent, { ...sent, at: sent.at + 5, sent_at: sent.sent_at + 5 }] : [sent],
    )
  })
  return all.sort((a, b) => a.at - b.at)
}

function upload(one: Watcher, monitor: number, sent: number, results: Arrival['results'], remaining: number): Arrival {
  return {
    monitor,
    at: sent + one.latency_ms,
    sent_at: clockOf(one, sent),
    remaining: one.says ? remaining : undefined,
    results,
  }
}

export interface TrueIncident {
  began: number
  /** Undefined: it lasts. */
  ended: number | undefined
}

/** What somebody records who knows true time. A pause and the loss of all monitors end what is open. */
export function trueIncidents(
  { threshold, deed: done }: Timeline,
  runs: readonly TrueRun[],
  gap_ms: number,
): TrueIncident[] {
  const incidents: TrueIncident[] = []
  let open: TrueIncident | undefined
  let first = 0
  let failures = 0
  let before: number | undefined
  let isPast = done === undefined
  for (const run of [...runs, undefined]) {
    if (!isPast && done && (run === undefined || run.at > done.at)) {
      isPast = true
      // Nothing is forgotten of a check that was well when its monitors left: they may be back in a moment.
      if (done.kind !== 'unassign' || open) failures = 0
      if (open && done.kind !== 'edit') {
        open.ended = done.at
        open = undefined
      }
    }
    if (run === undefined) break
    if (before !== undefined && run.at - before > gap_ms) failures = 0
    before = run.at
    if (run.success) {
      failures = 0
      if (open) open.ended = run.at
      open = undefined
      continue
    }
    failures++
    if (failures === 1) first = run.at
    if (!open && failures >= threshold) {
      open = { began: first, ended: undefined }
      incidents.push(open)
    }
  }
  return incidents
}
