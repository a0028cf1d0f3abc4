// Adds a monitor: creates an enrollment token, and shows the commands that use it.

import { list } from '@dogwatch/channels/wording'
import {
  createEnrollmentToken,
  readEnrollmentTokens,
  revokeOwnEnrollmentToken,
} from '@dogwatch/domain/monitors/enrollment-tokens'
import { type MonitorPlace, requirePlace } from '@dogwatch/domain/monitors/place'
import { type EnrolledMonitor, monitorState, readEnrolledWith, type ShownMonitor } from '@dogwatch/domain/monitors/read'
import { hashToken } from '@dogwatch/runtime/tokens'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Notice, PageHead } from '../../design/layout.tsx'
import type { Form } from '../../form.ts'
import { HiddenWhileImpersonating, maySeeSecrets } from '../../impersonation.tsx'
import { CopyBlock } from '../../parts/copy.tsx'
import { Choice, TextFields } from '../../parts/field.tsx'
import { everyFault, type FieldRows } from '../../parts/form-faults.tsx'
import { Pager, pagesOf, rowsOf } from '../../parts/pager.tsx'
import { narrowPage } from '../../parts/pages.tsx'
import { Ago } from '../../parts/time.tsx'
import { EnrollmentTokens } from '../../parts/tokens.tsx'
import { PostForm } from '../../post-form.tsx'
import type { FormFault } from '../../refusal.ts'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page, type RedirectAnswer, redirect } from '../../route.ts'
import {
  type AgentArchive,
  containerCommands,
  enrollRequest,
  installerCommands,
  type NewAgent,
  windowsCommands,
} from './commands.ts'
import { MonitorMark, nameOf, placeOf } from './parts.tsx'

const CRUMBS = [{ href: '/monitors', label: 'Monitors' }]
const BLANK: MonitorPlace = { name: '', region: '', country: '', city: '' }
const ROWS: FieldRows<MonitorPlace> = {
  name: { label: 'Name', hint: "Leave empty to use the machine's hostname.", right: { name: '' } },
  region: {
    label: 'Region',
    hint: 'Your own name for the area, for example eu-central.',
    required: true,
    right: { region: 'x' },
  },
  country: { label: 'Country', hint: 'For example DE.', required: true, right: { country: 'x' } },
  city: { label: 'City', hint: 'For example Berlin.', required: true, right: { city: 'x' } },
}

export async function addMonitorPage({ deps, org, viewer, query }: MemberContext): Promise<PageAnswer> {
  const pages = pagesOf(query)
  const tokens = await readEnrollmentTokens(deps, org.org_id, pages.slice)
  return page(
    'Add monitor',
    <section class="narrow">
      <PageHead title="Add a monitor" crumbs={CRUMBS}>
        A monitor is the Dogwatch agent running on your machine. Enter the location to get the install command.
      </PageHead>
      {maySeeSecrets(viewer) ? (
        <PostForm action="/monitors/new">
          <TextFields rows={ROWS} names={Object.keys(ROWS)} draft={BLANK} />
          <SystemChoice />
          <Button kind="primary" text="Get install command" />
        </PostForm>
      ) : (
        <HiddenWhileImpersonating viewer={viewer}>The enrollment token is</HiddenWhileImpersonating>
      )}
      {tokens.length === 0 ? null : (
        <>
          <h2>Active enrollment tokens</h2>
          <p>Each token can enroll any number of monitors until it expires.</p>
          <EnrollmentTokens tokens={rowsOf(tokens)} action="/monitors/enrollment-tokens/revoke" />
        </>
      )}
      <Pager path="/monitors/new" pages={pages} read={tokens} of="tokens" />
    </section>,
  )
}

/** Renders the choice of the platform that the agent will run on. */
export function SystemChoice() {
  return <Choice name="system" label="Platform" value="linux" options={SYSTEM_NAMES} />
}

const SYSTEM_NAMES = [
  ['linux', 'Linux'],
  ['container', 'Container'],
  ['macos', 'macOS'],
  ['windows', 'Windows'],
  ['own', 'Custom agent'],
] as const
type System = (typeof SYSTEM_NAMES)[number][0]

export async function addMonitor(context: MemberContext): Promise<PageAnswer> {
  const place = placeFrom(context.form)
  requirePlace(place)
  return commandsPage(context, { place, system: systemFrom(context.form) })
}

function placeFrom(form: Form): MonitorPlace {
  return form.texts(['name', 'region', 'country', 'city'])
}

export function faultsOfPlace(error: unknown, { form }: MemberContext): FormFault[] {
  return everyFault(error, ROWS, placeFrom(form), requirePlace)
}

export function systemFrom(form: Form): System {
  return SYSTEM_NAMES.find(([system]) => system === form.text('system'))?.[0] ?? 'linux'
}

export async function revokeToken({ deps, org, viewer, form }: MemberContext): Promise<RedirectAnswer> {
  await revokeOwnEnrollmentToken(deps, org.org_id, form.text('token_hash'), viewer)
  return redirect('/monitors/new', 'Enrollment token revoked. It can no longer enroll monitors.')
}

/** Creates a token and renders the commands for a new monitor, or for one that was reset. */
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
  const title = monitor ? `Re-enroll ${nameOf(monitor)}` : TITLES[system]
  return page(
    title,
    <section>
      <PageHead title={title} crumbs={CRUMBS} />
      <Notice tone="warn">
        Copy the enrollment token now: the token is shown only once. Anyone with the token can add monitors to{' '}
        {org.name}, so treat the token like a password. The token expires <Ago at={expires_at} />.
      </Notice>
      <p>{HINTS[system]}</p>
      <CopyBlock id="shell" label="Command" text={commandsFor(system, agent, archive)} />
      <Waiting token_hash={hashToken(token).toString('hex')} monitors={[]} />
      <p>
        Token lost or exposed? <Link href="/monitors/new">Revoke the token and create a new one</Link>.
      </p>
    </section>,
  )
}

const WINDOWS = 'win32-x64'

const TITLES: Readonly<Record<System, string>> = {
  linux: 'Run this command on your Linux machine',
  macos: 'Run this command on your Mac',
  container: 'Run this command on your Docker host',
  windows: 'Run this command in PowerShell',
  own: 'Enroll a custom agent',
}

const HINTS: Readonly<Record<System, string>> = {
  linux:
    'The command downloads the agent from this server, verifies its checksum, creates a system user and a systemd ' +
    'service, and enrolls the monitor. Run the command again to upgrade. To remove the agent, run dogwatch-agent uninstall.',
  macos:
    'The command downloads the agent from this server, verifies its checksum, installs it in ~/.dogwatch-agent and ' +
    'enrolls the monitor. It then prints a second command, which starts the agent. To upgrade, run the first command again.',
  container:
    'The command builds the agent image from this server, enrolls the monitor and starts a container. The identity and ' +
    'unsent results of the monitor are stored in the dogwatch-agent volume. Requires Docker with BuildKit, or Podman.',
  windows:
    'The command downloads the agent from this server, verifies its checksum, enrolls the monitor, and runs the agent in ' +
    'this window. To keep the agent running, schedule the last line in Task Scheduler.',
  own:
    'The response to this request contains the API key of the monitor, which is shown only once. See the monitor API ' +
    '(openapi/monitor.yaml) for the protocol, and use the agent conformance kit to test your implementation.',
}

function commandsFor(system: System, agent: NewAgent, archive: AgentArchive | undefined): string {
  if (system === 'container') return containerCommands(agent)
  if (system === 'own') return enrollRequest(agent)
  if (system === 'windows' && archive) return windowsCommands(agent, archive)
  return installerCommands(agent)
}

function noArchivePage(): PageAnswer {
  return narrowPage(
    'Windows agent not available',
    <>
      <p>This server does not offer the Windows agent yet. The server admin can build the agent with:</p>
      <CopyBlock id="shell" label="Command" text={`npm run bundle -w @dogwatch/agent -- --platform ${WINDOWS}`} />
      <ButtonLink href="/monitors/new" text="Choose another platform" />
    </>,
    { crumbs: CRUMBS, status: 404 },
  )
}

/** Renders the monitors that enrolled with a token. The page with the commands polls this page. */
export async function waitingPage({ deps, org, query }: MemberContext): Promise<PageAnswer> {
  const token_hash = query.token ?? ''
  const monitors = await readEnrolledWith(deps, org.org_id, token_hash)
  return narrowPage('Waiting for monitor', <Waiting token_hash={token_hash} monitors={monitors} />, { crumbs: CRUMBS })
}

const MOST_NAMES = 5

function Waiting({ token_hash, monitors }: { token_hash: string; monitors: readonly EnrolledMonitor[] }) {
  const path = `/monitors/enrolling?token=${token_hash}`
  const isDone = monitors.some(({ monitor }) => monitorState(monitor) === 'online')
  return (
    <div id="waiting" role="status" {...(isDone ? {} : { 'data-poll': path })}>
      {monitors.length === 0 ? <p>Waiting for the monitor to enroll…</p> : null}
      {monitors.map(({ monitor, checks }) => (
        <div>
          <p>
            <MonitorMark monitor={monitor} /> <Link href={`/monitors/${monitor.id}`}>{nameOf(monitor)}</Link>,{' '}
            {placeOf(monitor)}
          </p>
          <p>
            {checks.length === 0
              ? 'No checks assigned. Open a check to assign this monitor.'
              : `Checks: ${list(
                  checks.map(({ name }) => name),
                  MOST_NAMES,
                )}.`}
          </p>
        </div>
      ))}
      {isDone ? null : (
        <p>
          <Link href={path}>Refresh</Link>
        </p>
      )}
    </div>
  )
}
