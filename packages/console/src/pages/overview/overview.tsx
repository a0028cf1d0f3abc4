// Renders the first page: whether something is wrong, what, since when, and who was notified.

import { readFirstSteps } from '@dogwatch/domain/organisations/first-steps'
import { isAtLeast } from '@dogwatch/domain/organisations/roles'
import { type Overview, readOverview, type StateCounts } from '@dogwatch/domain/overview/read'
import { StateBadge, stateWord } from '../../design/badge.tsx'
import { ButtonLink } from '../../design/button.tsx'
import { Card, EmptyState, PageHead, type StatProps, Stats } from '../../design/layout.tsx'
import { get, type MemberContext, type PageAnswer, page, type Route } from '../../route.ts'
import { FirstSteps } from '../first-steps.tsx'
import { Lately } from './lately.tsx'
import { DayStrip } from './strip.tsx'
import { Troubles } from './troubles.tsx'

async function overviewPage({ deps, org }: MemberContext): Promise<PageAnswer> {
  const [overview, stepsOf] = await Promise.all([
    readOverview(deps, org.org_id, { readsAudit: isAtLeast(org.role, 'admin') }),
    org.hides_first_steps ? undefined : readFirstSteps(deps, org.org_id),
  ])
  const { counts } = overview
  const [checks, heartbeats] = [total(counts.checks), total(counts.heartbeats)]
  const isNew = checks + heartbeats === 0
  // A check with one of these states has already had a result.
  const { up = 0, down = 0, failing = 0, degraded = 0, unmonitored = 0 } = counts.checks
  const seen = up + failing + down + degraded + unmonitored > 0
  const steps = stepsOf?.({ has_check: checks > 0, has_result: seen })
  return page(
    'Overview',
    <>
      <PageHead title="Overview" state={isNew ? null : <StateBadge state={stateOf(overview)} />}>
        {isNew ? undefined : headline(overview)}
      </PageHead>
      {steps ? <FirstSteps steps={steps} /> : null}
      {isNew ? (
        <EmptyState
          icon="list-checks"
          title="Nothing to monitor yet"
          action={<ButtonLink href="/checks/new" kind="primary" icon="plus" text="Create check" />}
        >
          Create a check for a website, server or certificate. This page then shows what is down, since when, and who
          was notified.
        </EmptyState>
      ) : (
        <>
          <Troubles overview={overview} />
          <Counts counts={counts} />
          <Card title="Last 24 hours">
            <DayStrip strip={overview.strip} />
          </Card>
          <Card title="Recent activity">
            <Lately lately={overview.lately} />
          </Card>
        </>
      )}
    </>,
  )
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Returns the worst state that occurs. */
function stateOf({ open, counts: { checks, heartbeats } }: Overview) {
  if (open > 0) return 'down' as const
  if ((checks.unmonitored ?? 0) > 0) return 'unmonitored' as const
  if ((heartbeats.late ?? 0) > 0) return 'late' as const
  if ((checks.failing ?? 0) > 0) return 'failing' as const
  if ((checks.degraded ?? 0) > 0) return 'degraded' as const
  return (checks.up ?? 0) + (heartbeats.up ?? 0) > 0 ? ('up' as const) : ('unknown' as const)
}

/** Returns the headline: `2 checks and 1 heartbeat are down. 4 checks are not monitored.` */
export function headline({
  counts: { checks, heartbeats, monitors },
  troubles,
}: Pick<Overview, 'counts' | 'troubles'>): string {
  const channels = troubles.filter(({ kind }) => kind === 'channel').length
  const sentences = [
    sentence([of(checks.down, 'check'), of(heartbeats.down, 'heartbeat')], 'down'),
    sentence([of(checks.unmonitored, 'check')], 'not monitored'),
    sentence([of(monitors.offline, 'monitor')], 'offline'),
    sentence([of(heartbeats.late, 'heartbeat')], 'late'),
    sentence([of(checks.failing, 'check')], 'failing, but not yet down'),
    sentence([of(checks.degraded, 'check')], 'degraded'),
    channels === 0 ? '' : `${channels} ${channels === 1 ? 'channel is' : 'channels are'} failing.`,
  ].filter((one) => one !== '')
  if (sentences.length > 0) return sentences.join(' ')
  const running = (checks.up ?? 0) + (heartbeats.up ?? 0)
  const waiting = (checks.unknown ?? 0) + (heartbeats.new ?? 0)
  if (running === 0) return waiting > 0 ? 'Waiting for first results.' : 'All checks and heartbeats are paused.'
  const all = [of(checks.up, 'check'), of(heartbeats.up, 'heartbeat')]
  const rest = waiting === 0 ? '' : ` ${waiting} waiting for first results.`
  return `No problems. ${sentence(all, 'up')}${rest}`
}

interface Amount {
  count: number
  text: string
}

function of(count: number | undefined, thing: string): Amount | undefined {
  return count ? { count, text: `${count} ${thing}${count === 1 ? '' : 's'}` } : undefined
}

function sentence(amounts: readonly (Amount | undefined)[], state: string): string {
  const some = amounts.filter((one) => one !== undefined)
  if (some.length === 0) return ''
  const isOne = some.length === 1 && some[0]?.count === 1
  return `${some.map(({ text }) => text).join(' and ')} ${isOne ? 'is' : 'are'} ${state}.`
}

/** States of checks in the order of the counts, with their tones. */
const CHECK_STATES = [
  ['down', 'bad'],
  ['unmonitored', 'warn'],
  ['failing', 'warn'],
  ['degraded', 'warn'],
  ['up', 'good'],
  ['unknown', 'idle'],
  ['paused', 'idle'],
] as const

/** Renders the counts, each with a link to its list. */
function Counts({ counts: { checks, heartbeats, monitors } }: { counts: StateCounts }) {
  const ofChecks = CHECK_STATES.flatMap(([state, tone]): StatProps[] => {
    const value = checks[state] ?? 0
    const isShown = value > 0 || state === 'down' || state === 'up'
    const hint = value === 1 ? 'check' : 'checks'
    const href = `/checks?state=${state}`
    return isShown ? [{ label: stateWord(state), value, href, hint, ...(value > 0 && { tone }) }] : []
  })
  const others = [
    listStat('Heartbeats', '/heartbeats', heartbeats, ['down', 'late', 'up', 'new', 'paused']),
    listStat('Your monitors', '/monitors', monitors, ['offline', 'online', 'disabled']),
  ]
  return (
    <section aria-label="Checks by state">
      <Stats stats={[...ofChecks, ...others.filter(({ value }) => value !== 0)]} />
    </section>
  )
}

/** Returns the figure of a list: the number of all items, and as a hint the number in each of `states`. */
function listStat(
  label: string,
  href: string,
  counts: Readonly<Record<string, number>>,
  states: readonly string[],
): StatProps {
  const hint = states.flatMap((state) => (counts[state] ? [`${counts[state]} ${state}`] : [])).join(', ')
  return { label, value: total(counts), href, hint }
}

export const OVERVIEW_ROUTES: readonly Route[] = [get('/', 'reader', overviewPage)]
