// Adding a monitor: an enrollment token, and the commands to use it with.
import type { VNode } from 'preact'
import {
  createEnrollmentToken,
  type OpenEnrollmentToken,
  readEnrollmentTokens,
  revokeOwnEnrollmentToken,
} from '../../../domain/monitors/enrollment-tokens.ts'
import type { ShownMonitor } from '../../../domain/monitors/read.ts'
import { type MonitorPlace, requirePlace } from '../../../domain/monitors/place.ts'
import type { Form } from '../../form.ts'
import { PostForm } from '../../frame.tsx'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { CopyBlock } from '../../parts/copy.tsx'
import { Fault, Field } from '../../parts/field.tsx'
import { Pager, pagesOf, rowsOf } from '../../parts/pager.tsx'
import { Ago } from '../../parts/time.tsx'
import { refusal } from '../../refusal.ts'
import { type MemberContext, page, type PageAnswer, redirect, type RedirectAnswer } from '../../route.ts'
import { type NewAgent, shellCommands, systemdCommands } from './commands.ts'
import { nameOf } from './parts.tsx'

const BLANK: MonitorPlace = { name: '', region: '', country: '', city: '' }

export async function addMonitorPage(
  { deps, org, viewer, query }: MemberContext,
  values: MonitorPlace = BLANK,
  fault?: string,
): Promise<PageAnswer> {
  const pages = pagesOf(query)
  const tokens = await readEnrollmentTokens(deps, org.org_id, pages.slice)
  return page(
    'Add a monitor',
    <section class="narrow">
      <h1>Add a monitor</h1>
      <p>
        A monitor is the Dogwatch agent on a machine of yours. Say where that machine stands, and you get the commands
        to run on it.
      </p>
      <Fault line={fault} />
      {maySeeSecrets(viewer) ? (
        <PlaceForm values={values} />
      ) : (
        <HiddenWhileImpersonating viewer={viewer}>An enrollment token is</HiddenWhileImpersonating>
      )}
      <OpenTokens tokens={rowsOf(tokens)} now={deps.clock.now()} />
      <Pager path="/monitors/new" pages={pages} read={tokens} of="tokens" />
    </section>,
    fault === undefined ? 200 : 400,
  )
}

function PlaceForm({ values }: { values: MonitorPlace }): VNode {
  return (
    <PostForm action="/monitors/new">
      <Field name="name" label="Name" value={values.name} hint="Left empty, it is the machine's host name." />
      <Field name="region" label="Region" value={values.region} hint="For example eu-central." required />
      <Field name="country" label="Country" value={values.country} hint="For example DE." required />
      <Field name="city" label="City" value={values.city} hint="For example Berlin." required />
      <button type="submit">Show the commands</button>
    </PostForm>
  )
}

function OpenTokens({ tokens, now }: { tokens: readonly OpenEnrollmentToken[]; now: Date }): VNode | null {
  if (tokens.length === 0) return null
  return (
    <>
      <h2>Enrollment tokens that still work</h2>
      <p>Each lets any number of monitors in until it expires.</p>
      <ul class="plain">
        {tokens.map(({ token_hash, created_at, expires_at }) => (
          <li key={token_hash}>
            Made <Ago at={created_at} now={now} />, expires <Ago at={expires_at} now={now} />{' '}
            <RevokeForm token_hash={token_hash} />
          </li>
        ))}
      </ul>
    </>
  )
}

function RevokeForm({ token_hash }: { token_hash: string }): VNode {
  return (
    <PostForm action="/monitors/enrollment-tokens/revoke" class="inline">
      <input type="hidden" name="token_hash" value={token_hash} />
      <button type="submit" class="quiet">
        Revoke
      </button>
    </PostForm>
  )
}

export async function addMonitor(context: MemberContext): Promise<PageAnswer> {
  const values = placeFrom(context.form)
  try {
    requirePlace(values)
  } catch (error) {
    return addMonitorPage(context, values, refusal(error, LABELS))
  }
  return commandsPage(context, values)
}

const LABELS = { name: 'Name', region: 'Region', country: 'Country', city: 'City' }

function placeFrom(form: Form): MonitorPlace {
  const text = (name: string) => form.text(name).trim()
  return { name: text('name'), region: text('region'), country: text('country'), city: text('city') }
}

export async function revokeToken({ deps, org, viewer, form }: MemberContext): Promise<RedirectAnswer> {
  await revokeOwnEnrollmentToken(deps, org.org_id, form.text('token_hash'), viewer)
  return redirect('/monitors/new', 'The enrollment token is revoked: it lets nobody in any more.')
}

/** Creates a token and shows the commands: for a new monitor, or for one that was reset. */
export async function commandsPage(
  { deps, org, viewer, options }: MemberContext,
  place: MonitorPlace,
  monitor?: ShownMonitor,
): Promise<PageAnswer> {
  const { token, expires_at } = await createEnrollmentToken(deps, org.org_id, undefined, viewer)
  const agent: NewAgent = {
    ...place,
    public_url: options.public_url,
    token,
    ...(monitor && { monitor_id: monitor.id }),
  }
  const title = monitor ? `Enroll ${nameOf(monitor)} again` : 'Run this on the machine'
  return page(
    title,
    <section>
      <h1>{title}</h1>
      <p class="notice">
        The enrollment token below is shown this once. It expires <Ago at={expires_at} now={deps.clock.now()} />, and
        lets monitors into {org.name} until then: treat it as a password.
      </p>
      {monitor ? (
        <p>
          Where the agent still has its state directory, restart it with this token and it takes its place back by
          itself. On another machine, or with a new state directory, these commands make it {nameOf(monitor)} again.
        </p>
      ) : null}
      <h2>In a terminal</h2>
      <p>In a checkout of Dogwatch, or wherever its agent is installed.</p>
      <CopyBlock id="shell" label="Commands for a terminal" text={shellCommands(agent)} />
      <h2>As a systemd service</h2>
      <p>
        The unit comes with the agent and expects it at <code>/usr/local/bin/dogwatch-agent</code>. The token is handed
        over as a credential that only root can read.
      </p>
      <CopyBlock id="systemd" label="Commands for systemd" text={systemdCommands(agent)} />
      <h2>What happens next</h2>
      <ol>
        <li>
          The agent enrolls, keeps its identity in its state directory, and needs no token from then on. Give each agent
          a state directory of its own.
        </li>
        <li>
          Within seconds it is on the <a href="/monitors">page of monitors</a>: reload that until it says “Online”.
        </li>
        <li>
          Checks that run on all monitors start on it by themselves; others are assigned on the page of the check.
        </li>
      </ol>
      <p>
        Lost the token, or pasted it where it should not be? <a href="/monitors/new">Revoke it, or make another</a>.
      </p>
    </section>,
  )
}
