// The routes of an org in their order.
import type { ComponentChildren, VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { type ChannelRow, readChannels } from '../../../domain/channels/edit.ts'
import { readRoutes } from '../../../domain/routing/edit.ts'
import { GROUPS } from '../../../domain/routing/natures.ts'
import { channelsNamed, type Quiet, type Route, type Scope, type Step } from '../../../domain/routing/route.ts'
import { Mood } from '../../design/badge.tsx'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Question } from '../../design/dialog.tsx'
import { EmptyState, PageHead } from '../../design/layout.tsx'
import { PostForm } from '../../frame.tsx'
import { AlertingNav } from '../../parts/alerting-nav.tsx'
import { duration } from '../../parts/duration.ts'
import { StateMark } from '../../parts/state.tsx'
import { TimesContext } from '../../parts/time.tsx'
import { byClock } from '../../parts/typed-time.ts'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import type { Times } from '../../times.ts'

export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

export async function routesPage({ deps, org }: MemberContext): Promise<PageAnswer> {
  const [routes, channels] = await Promise.all([readRoutes(deps, org.org_id), readChannels(deps, org.org_id)])
  return page(
    'Routes',
    <>
      <PageHead title="Alerting" actions={routes.length === 0 ? undefined : <Create />} />
      <AlertingNav at="/channels/routes" />
      {routes.length === 0 ? (
        <EmptyState icon="bell" title="No routes yet" action={<Create />}>
          There are no routes, so every alert goes to every channel at once.
        </EmptyState>
      ) : (
        <>
          <p class="hint">
            An alert goes to the channels of every route that matches it. An alert that no route matches goes to every
            channel.
          </p>
          <List routes={routes} channels={channels} />
        </>
      )}
    </>,
  )
}

function List({ routes, channels }: { routes: readonly Route[]; channels: readonly ChannelRow[] }): VNode {
  const times = useContext(TimesContext)
  return (
    <ol class="plain">
      {routes.map((route, n) => (
        <li key={route.guid} class="card">
          <h2>
            <a href={`/channels/routes/${route.guid}/edit`}>{route.name}</a>
          </h2>
          <dl class="facts grid">
            <Fact label="State">
              <State route={route} channels={channels} />
            </Fact>
            <Fact label="Alerts">
              {scopeWords(route.scope)}: {eventWords(route)}
            </Fact>
            <Fact label="Channels">
              <Steps steps={route.steps} channels={channels} />
            </Fact>
            <Fact label="When">{whenWords(route, times)}</Fact>
          </dl>
          <Actions route={route} isFirst={n === 0} isLast={n === routes.length - 1} />
        </li>
      ))}
    </ol>
  )
}

export function Fact({ label, children }: { label: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Steps({ steps, channels }: { steps: readonly Step[]; channels: readonly ChannelRow[] }): VNode {
  const nameOf = new Map(channels.map(({ id, name }) => [id, name]))
  return (
    <>
      {steps.map((step) => {
        const names = channelsNamed(step).map((id) => nameOf.get(id) ?? 'a deleted channel')
        const turns = 'rotation' in step ? ', a week each' : ''
        return (
          <div key={step.after_sec}>
            {step.after_sec === 0 ? '' : `after ${duration(step.after_sec)}: `}
            {names.join(', ')}
            {turns}
          </div>
        )
      })}
    </>
  )
}

function State({ route, channels }: { route: Route; channels: readonly ChannelRow[] }): VNode {
  if (!route.enabled) return <StateMark state="disabled" />
  const enabled = new Set(channels.flatMap((channel) => (channel.enabled ? [channel.id] : [])))
  const isLive = route.steps.flatMap(channelsNamed).some((id) => enabled.has(id))
  return isLive ? (
    <Mood icon="circle-check" tone="good">
      Enabled
    </Mood>
  ) : (
    <>
      <Mood icon="triangle-alert" tone="warn">
        No enabled channel
      </Mood>
      <br />
      <small>Its alerts go where they would go without it.</small>
    </>
  )
}

function Actions({ route, isFirst, isLast }: { route: Route; isFirst: boolean; isLast: boolean }): VNode {
  const path = `/channels/routes/${route.guid}`
  const verb = route.enabled ? 'Disable' : 'Enable'
  return (
    <div class="actions">
      {isFirst ? null : <Act action={`${path}/up`} label="Move up" name={route.name} />}
      {isLast ? null : <Act action={`${path}/down`} label="Move down" name={route.name} />}
      <Act action={`${path}/${verb.toLowerCase()}`} label={verb} name={route.name} />
      <ButtonLink kind="quiet" href={`${path}/delete`} label={`Delete ${route.name}`} opensDialog>
        Delete…
      </ButtonLink>
    </div>
  )
}

/** A button that does one thing with something that has a name. */
export function Act({ action, label, name }: { action: string; label: string; name: string }): VNode {
  return (
    <PostForm action={action} class="inline">
      <Button kind="quiet" label={`${label}: ${name}`}>
        {label}
      </Button>
    </PostForm>
  )
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

function eventWords({ events, severity }: Route): string {
  const kinds = events.length === 0 ? 'all kinds of alerts' : events.map((group) => GROUPS[group]).join(', ')
  return severity === null ? kinds : `${kinds}; as ${severity}`
}

function whenWords({ delay_sec, quiet }: Route, times: Times): string {
  const words = [
    ...(delay_sec > 0 ? [`after ${duration(delay_sec)}`] : []),
    ...(quiet ? [quietWords(quiet, times)] : []),
  ]
  return words.length === 0 ? 'at once' : words.join('; ')
}

function quietWords({ from, to, days, zone, holds_down }: Quiet, times: Times): string {
  const on = days.length === 0 ? '' : ` on ${days.map((day) => DAYS[day - 1]).join(', ')}`
  return `${holds_down ? 'nothing' : 'only what is down'} from ${byClock(from, times)} to ${byClock(to, times)}${on} (${zone})`
}

/** The question before it is deleted. */
export function deleteRoutePage({ guid, name }: Route): PageAnswer {
  return page(
    `Delete ${name}`,
    <Question
      title={`Delete ${name}?`}
      back="/channels/routes"
      form={
        <PostForm action={`/channels/routes/${guid}/delete`}>
          <Button kind="danger">Delete route</Button>
        </PostForm>
      }
    >
      <p>
        Alerts that wait because of it are decided again by the other routes. If no route matches them, they go to every
        channel.
      </p>
    </Question>,
  )
}

function Create(): VNode {
  return (
    <ButtonLink kind="primary" icon="plus" href="/channels/routes/new">
      Create route
    </ButtonLink>
  )
}
