// An organisation whose alerts take routes: some at once, some after a delay, some by escalation, and some not before quiet hours are over,
// which come and go. An alert that may wait is sent or dropped, but never lost, doubled or sent too soon.
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createRoute, type EditedRoute, editRoute } from '../../../packages/server/dist/domain/routing/edit.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { CLOCK_MS, judgeOrder, judgeTypes, type StoredDelivery } from '../../lab/alerts/judge.ts'
import {
  type Course,
  type Hearer,
  lastingStory,
  pauseUnless,
  type Side,
  Story,
  stubbornly,
} from '../../lab/alerts/stories.ts'
import { shops } from '../../lab/world.ts'

export const ROLES = ['first', 'second', 'delayed', 'night'] as const
type Role = (typeof ROLES)[number]

const CHECKS = 24
const [DELAY_SEC, STEP_SEC] = [3, 2]
const MINUTE_MS = 60_000
const LEAST_WINDOW_MS = 15_000
const FIRST_MS = 3000
const BETWEEN_MS = { least: 15_000, most: 30_000 }
/** Share of lasting incidents that last until the quiet hours are over. */
const NIGHTLY_PERCENT = 20
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

/** Quiet hours that were on, in milliseconds since the Unix epoch. */
interface QuietHours {
  from: number
  to: number
}

export interface RoutedSide {
  side: Side
  stories: readonly Story[]
  windows: readonly QuietHours[]
  running: Promise<unknown>
}

export async function beginRouted(deps: Deps, side: Side, course: Course): Promise<RoutedSide> {
  const { org_id } = side
  const step = (role: Role, after_sec = 0) => ({ after_sec, channel_ids: [hearerOf(side, role).channel_id] })
  const guids = await side.addChecks(shops('routed', CHECKS, () => ({ alert_every_change: true })))
  await createRoute(deps, org_id, { ...ROUTE, name: 'escalates', steps: [step('first'), step('second', STEP_SEC)] })
  await createRoute(deps, org_id, { ...ROUTE, name: 'waits', delay_sec: DELAY_SEC, steps: [step('delayed')] })
  const night = { ...ROUTE, name: 'is quiet', steps: [step('night')] }
  const { guid } = await createRoute(deps, org_id, night)
  const windows: QuietHours[] = []
  const edit = (route: EditedRoute) => stubbornly(() => editRoute(deps, { org_id, guid }, route))
  const stories = guids.map((one) => new Story(one, side))
  const awake = side.hearers.filter((hearer) => hearer !== hearerOf(side, 'night'))
  const telling = stories.map((story, n) =>
    lastingStory(story, { ...course, seed: course.seed - n }, (isLast, d) =>
      isLast || d.below(100) < NIGHTLY_PERCENT ? side.hearers : awake,
    ),
  )
  return { side, stories, windows, running: Promise.all([beQuiet(edit, night, windows, course), ...telling]) }
}

/** Lets quiet hours come and go. */
async function beQuiet(
  edit: (route: EditedRoute) => Promise<unknown>,
  night: EditedRoute,
  windows: QuietHours[],
  { seed, isOver }: Course,
): Promise<void> {
  const d = dice(seed)
  const clockAt = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  while (!isOver()) {
    const rest_ms = BETWEEN_MS.least + d.below(BETWEEN_MS.most - BETWEEN_MS.least)
    await pauseUnless(isOver, windows.length === 0 ? FIRST_MS : rest_ms)
    if (isOver()) break
    const now = Date.now()
    const to = Math.ceil((now + LEAST_WINDOW_MS) / MINUTE_MS) * MINUTE_MS
    await edit({ ...night, quiet: { from: clockAt(now), to: clockAt(to), days: [], zone: 'UTC', holds_down: true } })
    windows.push({ from: Date.now(), to })
    await pauseUnless(isOver, to - Date.now())
  }
  const last = windows.at(-1)
  if (last) last.to = Math.min(last.to, Date.now())
  await edit(night)
}

function hearerOf(side: Side, role: Role): Hearer {
  const hearer = side.hearers[ROLES.indexOf(role)]
  if (!hearer) throw new Error(`there is no receiver ${role}`)
  return hearer
}

/** Requires that each receiver got its alerts, in order and not too soon. */
export function judgeRouted({ side, stories, windows }: RoutedSide, all: readonly StoredDelivery[]): string[] {
  const rows = all.flatMap((row) => (row.written_ms === null ? [] : [{ ...row, at: row.written_ms }]))
  const of = (role: Role) => rows.filter(({ channel_id }) => channel_id === hearerOf(side, role).channel_id)
  const downs = (role: Role) => of(role).filter(({ type }) => type === 'check.down')
  const firstAt = new Map(of('first').map((row) => [row.event_id, row.at]))
  const isQuiet = (at: number) => windows.some(({ from, to }) => at > from + CLOCK_MS && at < to - CLOCK_MS)
  const undone = rows.filter(({ state }) => state !== 'delivered')
  const hasty = downs('delayed').filter(({ at, raised_ms }) => at - raised_ms < DELAY_SEC * 1000)
  const early = downs('second').filter(({ at, event_id }) => at - (firstAt.get(event_id) ?? Infinity) < STEP_SEC * 1000)
  const loud = of('night').filter(({ at }) => isQuiet(at))
  const first = hearerOf(side, 'first')
  return [
    ...(windows.length > 0 ? [] : ['no quiet hours came: that is no trial']),
    ...undone.map(({ event_id, state }) => `${side.name}: ${event_id} is ${state}`),
    ...stories.flatMap((story) => [
      ...judgeTypes(first, story, first.takenAbout(story.guid)),
      ...side.hearers.flatMap((hearer) => judgeOrder(hearer, story)),
    ]),
    ...hasty.map(({ event_id }) => `${side.name}: ${event_id} was sent before its delay was over`),
    ...early.map(({ event_id }) => `${side.name}: ${event_id} escalated too soon`),
    ...loud.map(({ event_id, type }) => `${side.name}: ${type} ${event_id} was sent in quiet hours`),
  ]
}

export function countRouted({ side, stories, windows }: RoutedSide, rows: readonly StoredDelivery[]): string {
  const incidents = stories.flatMap(({ changes }) => changes).filter(({ type }) => type === 'check.down').length
  const sent = rows.filter(({ type, written_ms }) => type === 'check.down' && written_ms !== null)
  const counts = ROLES.map((role) => {
    const { channel_id } = hearerOf(side, role)
    return `${role} ${sent.filter((row) => row.channel_id === channel_id).length}`
  })
  return `of ${incidents} incidents by routes were alerted: ${counts.join(', ')}; ${windows.length} times of quiet hours`
}
