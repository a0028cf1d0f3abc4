// Lists the routes of an organisation in their order.
import { type ChannelRow, readChannels } from '@dogwatch/domain/channels/edit'
import { readRoutes } from '@dogwatch/domain/routing/edit'
import { GROUPS } from '@dogwatch/domain/routing/natures'
import { type AlertRoute, channelsNamed, type Quiet, type RouteStep, type Scope } from '@dogwatch/domain/routing/route'
import { Mood, StateMark } from '../../design/badge.tsx'
import { ButtonLink } from '../../design/button.tsx'
import { EmptyState, Facts, PageHead } from '../../design/layout.tsx'
import { duration } from '../../parts/duration.ts'
import { AlertingNav } from '../../parts/nav.tsx'
import { deletionPage } from '../../parts/pages.tsx'
import { useTimes } from '../../parts/time.tsx'
import { byClock } from '../../parts/typed-time.ts'
import { PostButton } from '../../post-form.tsx'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import type { Times } from '../../times.ts'

export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

export async function routesPage({ deps, org }: MemberContext): Promise<PageAnswer> {
  const [routes, channels] = await Promise.all([readRoutes(deps, org.org_id), readChannels(deps, org.org_id)])
  const create = <ButtonLink kind="primary" icon="plus" href="/channels/routes/new" text="Create route" />
  return page(
    'Routes',
    <>
      <PageHead title="Alerting" actions={routes.length === 0 ? undefined : create} />
      <AlertingNav at="/channels/routes" />
      {routes.length === 0 ? (
        <EmptyState icon="bell" title="No routes yet" action={create}>
          Every alert is sent to every channel immediately. Create a route to change who is notified and when.
        </EmptyState>
      ) : (
        <>
          <p class="hint">
            Alerts go to the channels of every matching route. Alerts that match no route go to all channels.
          </p>
          <List routes={routes} channels={channels} />
        </>
      )}
    </>,
  )
}

function List({ routes, channels }: { routes: readonly AlertRoute[]; channels: readonly ChannelRow[] }) {
  const times = useTimes()
  return (
    <ol class="plain">
      {routes.map((route, n) => (
        <li class="card">
          <h2>
            <Link href={`/channels/routes/${route.guid}/edit`}>{route.name}</Link>
          </h2>
          <Facts
            facts={[
              ['State', <State route={route} channels={channels} />],
              ['Alerts', `${scopeWords(route.scope)}: ${eventWords(route)}`],
              ['Channels', <Steps steps={route.steps} channels={channels} />],
              ['Timing', whenWords(route, times)],
            ]}
          />
          <Actions route={route} isFirst={n === 0} isLast={n === routes.length - 1} />
        </li>
      ))}
    </ol>
  )
}

function Steps({ steps, channels }: { steps: readonly RouteStep[]; channels: readonly ChannelRow[] }) {
  const nameOf = new Map(channels.map(({ id, name }) => [id, name]))
  return (
    <>
      {steps.map((step) => {
        const names = channelsNamed(step).map((id) => nameOf.get(id) ?? 'deleted channel')
        const turns = 'rotation' in step ? ' (weekly rotation)' : ''
        return (
          <div>
            {step.after_sec === 0 ? '' : `After ${duration(step.after_sec)}, if not acknowledged: `}
            {names.join(', ')}
            {turns}
          </div>
        )
      })}
    </>
  )
}

function State({ route, channels }: { route: AlertRoute; channels: readonly ChannelRow[] }) {
  if (!route.enabled) return <StateMark state="disabled" />
  const enabled = new Set(channels.flatMap((channel) => (channel.enabled ? [channel.id] : [])))
  const isLive = route.steps.flatMap(channelsNamed).some((id) => enabled.has(id))
  return isLive ? (
    <Mood icon="circle-check" tone="good" text="Enabled" />
  ) : (
    <>
      <Mood icon="triangle-alert" tone="warn" text="No enabled channels" />
      <br />
      <small>This route is skipped until one of its channels is enabled.</small>
    </>
  )
}

function Actions({ route, isFirst, isLast }: { route: AlertRoute; isFirst: boolean; isLast: boolean }) {
  const path = `/channels/routes/${route.guid}`
  const verb = route.enabled ? 'Disable' : 'Enable'
  return (
    <div class="actions">
      {isFirst ? null : <Act action={`${path}/up`} label="Move up" name={route.name} />}
      {isLast ? null : <Act action={`${path}/down`} label="Move down" name={route.name} />}
      <Act action={`${path}/${verb.toLowerCase()}`} label={verb} name={route.name} />
      <ButtonLink kind="quiet" href={`${path}/delete`} label={`Delete ${route.name}`} opensDialog text="Delete…" />
    </div>
  )
}

/** Renders a button for one action on a named item. */
export function Act({ action, label, name }: { action: string; label: string; name: string }) {
  return <PostButton action={action} kind="quiet" label={`${label}: ${name}`} text={label} />
}

export function scopeWords(scope: Scope): string {
  if ('all' in scope) return 'Everything'
  if ('tags' in scope) return `Tagged ${scope.tags.join(', ')}`
  const counts = [
    [scope.checks.length, 'check'],
    [scope.heartbeats.length, 'heartbeat'],
  ] as const
  return counts.flatMap(([n, one]) => (n === 0 ? [] : [`${n} ${one}${n === 1 ? '' : 's'}`])).join(', ')
}

function eventWords({ events, severity }: AlertRoute): string {
  const kinds = events.length === 0 ? 'all alert types' : events.map((group) => GROUPS[group]).join(', ')
  return severity === null ? kinds : `${kinds} (severity: ${severity})`
}

function whenWords({ delay_sec, quiet }: AlertRoute, times: Times): string {
  const words = [
    ...(delay_sec > 0 ? [`After ${duration(delay_sec)}`] : []),
    ...(quiet ? [quietWords(quiet, times)] : []),
  ]
  return words.length === 0 ? 'Immediately' : words.join('; ')
}

function quietWords({ from, to, days, zone, holds_down }: Quiet, times: Times): string {
  const on = days.length === 0 ? '' : ` on ${days.map((day) => DAYS[day - 1]).join(', ')}`
  return `Quiet hours ${byClock(from, times)}–${byClock(to, times)}${on} (${zone})${holds_down ? '' : ', down and recovery alerts are still sent'}`
}

export function deleteRoutePage({ guid, name }: AlertRoute): PageAnswer {
  const [back, path] = ['/channels/routes', `/channels/routes/${guid}`]
  const about =
    'Alerts held by this route are reassigned to the other matching routes. If no other route matches, the alerts go to all channels.'
  return deletionPage({ name, path, what: 'route', back, about })
}
