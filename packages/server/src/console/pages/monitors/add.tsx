// Adding a monitor: an enrollment token, and the commands to use it with.
import type { VNode } from 'preact'
import {
  createEnrollmentToken,
  type OpenEnrollmentToken,
  readEnrollmentTokens,
  revokeOwnEnrollmentToken,
} from '../../../domain/monitors/enrollment-tokens.ts'
import {
  type EnrolledMonitor,
  monitorState,
  readEnrolledWith,
  type ShownMonitor,
} from '../../../domain/monitors/read.ts'
import { type MonitorPlace, requirePlace } from '../../../domain/monitors/place.ts'
import type { Form } from '../../form.ts'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Notice, PageHead } from '../../design/layout.tsx'
import { PostForm } from '../../frame.tsx'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { CopyBlock } from '../../parts/copy.tsx'
import { Choice, Field } from '../../parts/field.tsx'
import { everyFault, FaultyForm, type FormFault } from '../../parts/form-faults.tsx'
import { Pager, pagesOf, rowsOf } from '../../parts/pager.tsx'
import { Ago } from '../../parts/time.tsx'
import { type MemberContext, page, type PageAnswer, redirect, type RedirectAnswer } from '../../route.ts'
import { hashToken } from '../../../runtime/tokens.ts'
import {
  type AgentArchive,
  containerCommands,
  enrollRequest,
  installerCommands,
  type NewAgent,
  type System,
  SYSTEMS,
  windowsCommands,
} from './commands.ts'
import { MonitorMark, nameOf, placeOf } from './parts.tsx'

const CRUMBS = [{ href: '/monitors', label: 'Monitors' }]
const BLANK: MonitorPlace = { name: '', region: '', country: '', city: '' }

export async function addMonitorPage(
  { deps, org, viewer, query }: MemberContext,
  values: MonitorPlace = BLANK,
  faults: readonly FormFault[] = [],
): Promise<PageAnswer> {
  const pages = pagesOf(query)
  const tokens = await readEnrollmentTokens(deps, org.org_id, pages.slice)
  return page(
    'Add a monitor',
    <section class="narrow">
      <PageHead title="Add a monitor" crumbs={CRUMBS}>
        A monitor is the Dogwatch agent on a machine of yours. Say where that machine stands, and you get the command to
        run on it.
      </PageHead>
      {maySeeSecrets(viewer) ? (
        <FaultyForm faults={faults}>
          <PlaceForm values={values} />
        </FaultyForm>
      ) : (
        <HiddenWhileImpersonating viewer={viewer}>An enrollment token is</HiddenWhileImpersonating>
      )}
      <OpenTokens tokens={rowsOf(tokens)} now={deps.clock.now()} />
      <Pager path="/monitors/new" pages={pages} read={tokens} of="tokens" />
    </section>,
    faults.length === 0 ? 200 : 400,
  )
}

function PlaceForm({ values }: { values: MonitorPlace }): VNode {
  return (
    <PostForm action="/monitors/new">
      <Field name="name" label="Name" value={values.name} hint="Left empty, it is the machine's host name." />
      <Field name="region" label="Region" value={values.region} hint="For example eu-central." required />
      <Field name="country" label="Country" value={values.country} hint="For example DE." required />
      <Field name="city" label="City" value={values.city} hint="For example Berlin." required />
      <SystemChoice />
      <Button kind="primary">Show the command</Button>
    </PostForm>
  )
}

/** Where the agent is going to run. */
export function SystemChoice(): VNode {
  return <Choice name="system" label="System" value="linux" options={SYSTEM_NAMES} />
}

const SYSTEM_NAMES = [
  ['linux', 'Linux'],
  ['container', 'Container'],
  ['macos', 'macOS'],
  ['windows', 'Windows'],
  ['own', 'Write your own'],
] as const

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
      <Button kind="danger">Revoke</Button>
    </PostForm>
  )
}

export async function addMonitor(context: MemberContext): Promise<PageAnswer> {
  const values = placeFrom(context.form)
  try {
    requirePlace(values)
  } catch (error) {
    const attempt = (one: MonitorPlace) => requirePlace(one)
    return addMonitorPage(context, values, everyFault(error, LABELS, { draft: values, right: RIGHT, attempt }))
  }
  return commandsPage(context, { place: values, system: systemFrom(context.form) })
}

export function systemFrom(form: Form): System {
  return SYSTEMS.find((system) => system === form.text('system')) ?? 'linux'
}

/** Fields that nothing is wrong with. */
const RIGHT: Readonly<Record<string, Partial<MonitorPlace>>> = {
  name: { name: '' },
  region: { region: 'x' },
  country: { country: 'x' },
  city: { city: 'x' },
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
  { place, system, monitor }: { place: MonitorPlace; system: System; monitor?: ShownMonitor },
): Promise<PageAnswer> {
  const archives = system === 'windows' ? ((await options.agentArchives?.()) ?? []) : []
  const archive = archives.find(({ platform }) => platform === WINDOWS)
  if (system === 'windows' && !archive) return noArchivePage()
  const { token, expires_at } = await createEnrollmentToken(deps, org.org_id, undefined, viewer)
  const agent: NewAgent = {
    ...place,
    public_url: options.public_url,
    token,
    ...(monitor && { monitor_id: monitor.id }),
  }
  const title = monitor ? `Enroll ${nameOf(monitor)} again` : TITLES[system]
  return page(
    title,
    <section>
      <PageHead title={title} crumbs={CRUMBS} />
      <Notice tone="warn">
        The enrollment token below is shown this once. It expires <Ago at={expires_at} now={deps.clock.now()} />, and
        lets monitors into {org.name} until then: treat it as a password.
      </Notice>
      <p>{HINTS[system]}</p>
      <CopyBlock id="shell" label="Command" text={commandsFor(system, agent, archive)} />
      <Waiting token_hash={hashToken(token).toString('hex')} monitors={[]} now={deps.clock.now()} />
      <p>
        Lost the token, or pasted it where it should not be? <a href="/monitors/new">Revoke it, or create another</a>.
      </p>
    </section>,
  )
}

const WINDOWS = 'win32-x64'

const TITLES: Readonly<Record<System, string>> = {
  linux: 'Run this on the Linux machine',
  macos: 'Run this on the Mac',
  container: 'Run this where Docker runs',
  windows: 'Run this in PowerShell',
  own: 'Enroll your own agent',
}

const HINTS: Readonly<Record<System, string>> = {
  linux:
    'The command downloads the agent from this server, verifies its checksum, creates a system user and a systemd ' +
    'service, and enrolls. Run it again to upgrade. To remove the agent: dogwatch-agent uninstall.',
  macos:
    'The command downloads the agent from this server, verifies its checksum, installs it into ~/.dogwatch-agent and ' +
    'enrolls. It then prints the command that runs the agent. Run it again to upgrade.',
  container:
    'The command builds an image of the agent from this server, enrolls, and starts a container. Its identity and ' +
    'unsent results are in the volume dogwatch-agent. It needs Docker with BuildKit; podman works the same way.',
  windows:
    'The command downloads the agent from this server, verifies its checksum, enrolls, and runs the agent in this ' +
    'window. To keep it running, have the Task Scheduler start its last line.',
  own:
    'The answer has the API key of the monitor. It is shown this once. The protocol is described in the monitor API, ' +
    'openapi/monitor.yaml, and the conformance kit of the agent tests an implementation.',
}

function commandsFor(system: System, agent: NewAgent, archive: AgentArchive | undefined): string {
  if (system === 'container') return containerCommands(agent)
  if (system === 'own') return enrollRequest(agent)
  if (system === 'windows' && archive) return windowsCommands(agent, archive)
  return installerCommands(agent)
}

function noArchivePage(): PageAnswer {
  return page(
    'No agent for Windows',
    <section class="narrow">
      <PageHead title="No agent for Windows" crumbs={CRUMBS} />
      <p>This server has no archive of the agent for Windows yet. Its operator makes one with:</p>
      <CopyBlock id="shell" label="Command" text={`npm run bundle -w @dogwatch/agent -- --platform ${WINDOWS}`} />
      <ButtonLink href="/monitors/new">Choose again</ButtonLink>
    </section>,
    404,
  )
}

/** The monitors that enrolled with a token: a page that the commands' page looks at. */
export async function waitingPage({ deps, org, query }: MemberContext): Promise<PageAnswer> {
  const token_hash = query.token ?? ''
  const monitors = await readEnrolledWith(deps, org.org_id, token_hash)
  return page(
    'Waiting for the monitor',
    <section class="narrow">
      <PageHead title="Waiting for the monitor" crumbs={CRUMBS} />
      <Waiting token_hash={token_hash} monitors={monitors} now={deps.clock.now()} />
    </section>,
  )
}

function Waiting({
  token_hash,
  monitors,
  now,
}: {
  token_hash: string
  monitors: readonly EnrolledMonitor[]
  now: Date
}): VNode {
  const path = `/monitors/enrolling?token=${token_hash}`
  const isDone = monitors.some(({ monitor }) => monitorState(monitor) === 'online')
  return (
    <div id="waiting" role="status" {...(isDone ? {} : { 'data-poll': path })}>
      {monitors.length === 0 ? <p>Waiting for the monitor to enroll…</p> : null}
      {monitors.map(({ monitor, checks }) => (
        <div key={monitor.id}>
          <p>
            <MonitorMark monitor={monitor} now={now} /> <a href={`/monitors/${monitor.id}`}>{nameOf(monitor)}</a>,{' '}
            {placeOf(monitor)}
          </p>
          <p>
            {checks.length === 0
              ? 'It runs no checks yet: assign it on the page of a check.'
              : `It runs ${wordsOf(checks.map(({ name }) => name))}.`}
          </p>
        </div>
      ))}
      {isDone ? null : (
        <p>
          <a href={path}>Look again</a>
        </p>
      )}
    </div>
  )
}

const MOST_NAMES = 5

function wordsOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return names.slice(0, MOST_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
