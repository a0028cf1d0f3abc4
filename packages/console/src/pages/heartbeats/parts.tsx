// Renders the parts that the pages of heartbeats share.
import { lateSince, unjudgedSince } from '@dogwatch/domain/heartbeats/heartbeat'
import type { ShownHeartbeat } from '@dogwatch/domain/heartbeats/read'
import { nextTimes } from '@dogwatch/domain/heartbeats/schedule'
import { type State, StateMark } from '../../design/badge.tsx'
import { intervalText } from '../../parts/duration.ts'
import { Ago, At, Since, span, TimesContext, useNow, useTimes } from '../../parts/time.tsx'

export function HeartbeatMark({ heartbeat }: { heartbeat: ShownHeartbeat }) {
  const now = useNow()
  if (!heartbeat.platform_enabled) {
    return (
      <>
        <StateMark state="disabled" /> by Dogwatch
      </>
    )
  }
  return <StateMark state={stateOf(heartbeat, now)} />
}

/** Returns the state to show. Late is a state of its own: the ping is missing, but can still come in time. */
export function stateOf(heartbeat: ShownHeartbeat, now: Date): State {
  const { enabled, platform_enabled, state } = heartbeat
  if (!platform_enabled) return 'disabled'
  if (!enabled) return 'paused'
  if (unjudgedSince(heartbeat, now) !== null) return 'unmonitored'
  return lateSince(heartbeat, now) === null ? (state as State) : 'late'
}

/** States in the order of lists: problems come first. */
const ORDER: readonly State[] = ['down', 'unmonitored', 'late', 'up', 'new', 'paused', 'disabled']

/** Sorts heartbeats with problems first, and otherwise keeps the given order. */
export function problemsFirst<One extends ShownHeartbeat>(heartbeats: readonly One[], now: Date): One[] {
  const rank = (one: One) => ORDER.indexOf(stateOf(one, now))
  return heartbeats.toSorted((a, b) => rank(a) - rank(b))
}

/** Returns the schedule in words: `Every day`, or `30 2 * * 1-5 (Europe/Paris)`. */
export function scheduleText({ interval_sec, cron, cron_zone }: ShownHeartbeat): string {
  return cron === null ? `Every ${intervalText(interval_sec)}` : `${cron} (${cron_zone})`
}

/**
 * Returns since when a heartbeat has its state: when it went down, came up, became late, or was overdue while no worker was
 * running. Returns null if this is unknown.
 */
export function sinceWhen(heartbeat: ShownHeartbeat, now: Date): string | null {
  const { enabled, platform_enabled, state, down_since, recovered_at } = heartbeat
  if (!enabled || !platform_enabled) return null
  const unjudged_since = unjudgedSince(heartbeat, now) ?? lateSince(heartbeat, now)
  if (unjudged_since !== null) return unjudged_since
  return state === 'down' ? down_since : state === 'up' ? recovered_at : null
}

export function SinceWhen({ heartbeat }: { heartbeat: ShownHeartbeat }) {
  const now = useNow()
  const since = sinceWhen(heartbeat, now)
  if (since !== null) return <Since at={since} />
  return stateOf(heartbeat, now) === 'up' ? <>Since first ping</> : <span title="No data">–</span>
}

export function LastBeat({ heartbeat }: { heartbeat: ShownHeartbeat }) {
  return heartbeat.last_heartbeat_at === null ? <>Never</> : <Ago at={heartbeat.last_heartbeat_at} />
}

/** Words for why no ping is expected, by state. */
const NOT_DUE: ReadonlyMap<State, string> = new Map([
  ['new', 'Not set before first ping'],
  ['down', 'Not set while down'],
  ['paused', 'Not set while paused'],
  ['disabled', 'Not set while disabled'],
])

/** Renders when the next ping is expected. Once that time has passed, renders when the heartbeat goes down. */
export function NextDue({ heartbeat }: { heartbeat: ShownHeartbeat }) {
  const now = useNow()
  const { due_at, grace_sec } = heartbeat
  if (due_at === null) return <>{NOT_DUE.get(stateOf(heartbeat, now)) ?? 'Not set'}</>
  const expected = new Date(Date.parse(due_at) - grace_sec * 1000)
  if (expected > now) return <Ago at={expected.toISOString()} />
  if (Date.parse(due_at) <= now.getTime()) return <span class="warn">Overdue</span>
  return (
    <>
      Overdue, goes down <Ago at={due_at} />
    </>
  )
}

/** Renders the duration of a run, or `Not measured` if the run reported no start. */
export function RunTime({ duration_ms, none = 'Not measured' }: { duration_ms: number | null; none?: string }) {
  if (duration_ms === null) return <>{none}</>
  return <>{duration_ms < 1000 ? `${duration_ms} ms` : span(duration_ms / 1000)}</>
}

const TIMES_SHOWN = 3

interface CronTimesProps {
  cron: string
  zone: string
  /** Text to show if there is no next time. */
  none?: string
}

/** Renders the next times of a cron expression, in its own zone: `24 Nov, 02:30; 25 Nov, 02:30; 26 Nov, 02:30 (Europe/Paris)`. */
export function NextTimes({ cron, zone, none = '' }: CronTimesProps) {
  const now = useNow()
  const { hours } = useTimes()
  const times = nextTimes(cron, zone, now, TIMES_SHOWN)
  if (times.length === 0) return <>{none}</>
  return (
    <TimesContext.Provider value={{ zone, hours }}>
      {times.map((at, index) => (
        <span>
          {index === 0 ? '' : '; '}
          <At at={at.toISOString()} dated />
        </span>
      ))}{' '}
      ({zone})
    </TimesContext.Provider>
  )
}
