// Lets the reader of an alert acknowledge or mute its incident without signing in. Opening the page changes nothing, because
// chats and mail scanners open links.

import type { Actor } from '@dogwatch/domain/audit/record'
import { FieldError } from '@dogwatch/domain/errors'
import {
  acknowledgeByLink,
  type IncidentView,
  isMutedBeyond,
  type LinkUse,
  muteByLink,
  requireLink,
} from '@dogwatch/domain/incidents/link'
import { INCIDENT_LINKS } from '@dogwatch/domain/limits/rates'
import { lacksSecondFactor, mayUse } from '../access.ts'
import { Button } from '../design/button.tsx'
import { requireRoomFrom } from '../limits.ts'
import { Choice, Field } from '../parts/field.tsx'
import { linkMuteChoices, muteEnd } from '../parts/muted.tsx'
import { narrowPage } from '../parts/pages.tsx'
import { Ago, Since, useNow, useTimes, ZoneNote } from '../parts/time.tsx'
import { PostForm } from '../post-form.tsx'
import { Link } from '../rights.tsx'
import { type AnyoneContext, get, type PageAnswer, post, type RedirectAnswer, type Route, redirect } from '../route.ts'
import { clockText, type Times } from '../times.ts'

async function askPage(context: AnyoneContext): Promise<PageAnswer> {
  const { deps, params } = context
  const { secret = '' } = params
  await requireRoomFrom(context, INCIDENT_LINKS)
  const linked = await requireLink(deps, secret)
  const { name, kind, guid, org_name, ended_at } = linked
  const title = `${name} ${ended_at === null ? 'is down' : 'has recovered'}`
  return narrowPage(
    title,
    <>
      <p class="cause">{linked.cause}</p>
      <State linked={linked} />
      {ended_at === null ? (
        <Form secret={secret} linked={linked} member={memberOf(context, linked)} />
      ) : (
        <p>This incident is resolved. No action needed.</p>
      )}
      <p>
        <Link href={`/${kind}s/${guid}`}>View {kind}</Link> in {org_name} (sign-in required).
      </p>
      {context.viewer ? null : <ZoneNote isChosen={false} mayChange={false} />}
    </>,
  )
}

const SUBJECTS = { check: 'Check', heartbeat: 'Heartbeat' } as const

function State({ linked }: { linked: IncidentView }) {
  const { kind, org_name, began_at, ended_at, acknowledged_at, acknowledged_by, muted_until, muted_by } = linked
  const { until_resolved } = linked
  return (
    <>
      <p>
        {ended_at === null
          ? [SUBJECTS[kind], ' in ', org_name, '. Down for ', <Since at={began_at} />, '.']
          : [SUBJECTS[kind], ' in ', org_name, '. Resolved ', <Ago at={ended_at} />, '.']}
      </p>
      {acknowledged_at === null ? null : (
        <p>
          Acknowledged by {acknowledged_by}, <Ago at={acknowledged_at} />
          {ended_at === null ? '. Reminders and escalation are stopped.' : '.'}
        </p>
      )}
      {muted_until === undefined ? null : (
        <p>
          Muted by {muted_by}
          {until_resolved ? ' until resolved' : ''}. No alerts are sent.
          {until_resolved ? null : [' Mute ends ', <Ago at={muted_until} />, '.']}
        </p>
      )}
    </>
  )
}

/** Renders both buttons in one form, so that the typed name is sent with either of them. */
function Form(props: { secret: string; linked: IncidentView; member: Actor | undefined }) {
  const { secret, linked, member } = props
  const { acknowledged_at, channel_name } = linked
  return (
    <PostForm action={`/a/${secret}`}>
      {member ? (
        <p>Signed in as {member.email}. Your action is recorded under this name.</p>
      ) : (
        <Field
          name="name"
          label="Your name"
          hint={`Optional. Without a name, the action is recorded as “a reader of ${channel_name}”.`}
          autocomplete="name"
          maxLength={60}
        />
      )}
      {acknowledged_at === null ? (
        <>
          <p>Acknowledging stops reminders and escalation until the incident is resolved.</p>
          <p>
            <Button kind="primary" icon="check" name="do" value="acknowledge" text="Acknowledge incident" />
          </p>
        </>
      ) : null}
      <MuteField linked={linked} />
    </PostForm>
  )
}

/** Renders the durations of a mute that {@link endOf} accepts, or nothing if a mute already lasts longer. */
function MuteField({ linked }: { linked: IncidentView }) {
  const { kind } = linked
  const times = useTimes()
  const now = useNow()
  const choices = linkMuteChoices(now, times).filter(([value]) => !isMutedBeyond(linked, endOf(value, now, times)))
  if (choices.length === 0) return null
  return (
    <>
      <Choice
        name="for"
        label="Mute duration"
        value=""
        options={choices}
        hint={`No alerts about this ${kind} are sent during that time.`}
      />
      <p>
        <Button icon="bell-off" name="do" value="mute" text={`Mute ${kind}`} />
      </p>
    </>
  )
}

/** Returns the end of a mute that a link in an alert allows. Refuses a choice that the page does not offer. */
function endOf(choice: string, now: Date, times: Times): Date {
  const offered = linkMuteChoices(now, times).map(([value]) => value)
  const end = offered.includes(choice) ? muteEnd(choice, '', now, times) : undefined
  if (end instanceof Date) return end
  throw new FieldError(
    'invalid',
    'for',
    `must be one of ${offered.join(', ')}; a link in an alert can mute only until the next morning`,
  )
}

async function act(context: AnyoneContext): Promise<RedirectAnswer> {
  const { deps, params, form, times } = context
  const { secret = '' } = params
  await requireRoomFrom(context, INCIDENT_LINKS)
  const linked = await requireLink(deps, secret)
  const use: LinkUse = { token: secret, name: form.text('name'), member: memberOf(context, linked) }
  const path = `/a/${secret}`
  switch (form.text('do')) {
    case 'acknowledge': {
      const isChanged = await acknowledgeByLink(deps, use)
      return redirect(
        path,
        isChanged ? 'Incident acknowledged. Everyone who was notified is being informed.' : 'Already acknowledged.',
      )
    }
    case 'mute': {
      const now = deps.clock.now()
      const until = endOf(form.text('for'), now, times)
      await muteByLink(deps, use, until)
      return redirect(path, `Muted until ${clockText(until, now, times)} (${times.zone}).`)
    }
    default:
      throw new FieldError('invalid', 'do', 'must be acknowledge or mute')
  }
}

/** Returns the signed-in viewer if they may also acknowledge and mute in the console. They then act under their own name. */
function memberOf({ viewer }: AnyoneContext, { org_id }: IncidentView): Actor | undefined {
  if (viewer?.org?.org_id !== org_id) return undefined
  return mayUse('member', viewer) && !lacksSecondFactor(viewer) ? viewer : undefined
}

export const INCIDENT_LINK_ROUTES: readonly Route[] = [
  get('/a/:secret', 'anyone', askPage),
  post('/a/:secret', 'anyone', act),
]
