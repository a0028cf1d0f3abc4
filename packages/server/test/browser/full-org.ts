// An org that has everything there is to show, each thing in every state, in the words that it is given.

import { createChannels } from '@dogwatch/channels/registry'
import type { Actor } from '@dogwatch/domain/audit/record'
import { createConfirmation } from '@dogwatch/domain/channels/confirmation'
import { createChannel, switchChannel } from '@dogwatch/domain/channels/edit'
import { testChannel } from '@dogwatch/domain/channels/test-channel'
import { askToRun } from '@dogwatch/domain/checks/ask-run'
import { deleteCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { createConfigurationToken } from '@dogwatch/domain/configuration/tokens'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { createLink } from '@dogwatch/domain/incidents/link'
import { addNote, savePostmortem } from '@dogwatch/domain/incidents/notes'
import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { createEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { resetMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { invite } from '@dogwatch/domain/organisations/invitations'
import { addMember } from '@dogwatch/domain/organisations/members'
import { renameOrganisation, setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { createPersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { findPeople, setAdmin, switchPerson } from '@dogwatch/domain/people/edit'
import { createSetUpLink } from '@dogwatch/domain/people/first-person'
import { createPasswordReset } from '@dogwatch/domain/people/password'
import { openSession } from '@dogwatch/domain/people/sessions'
import { createSignUpLink } from '@dogwatch/domain/people/sign-up'
import { foldHistory } from '@dogwatch/domain/results/history'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { hashToken, newToken } from '@dogwatch/runtime/tokens'
import { deliverOnce } from '../../../alerting/src/deliver.ts'
import { receiver } from '../../../alerting/test/support/receiver.ts'
import { type Monitor, type Org, result, type World } from '../support/world.ts'

/** What is written into fields, made of what would plainly stand there. */
export interface Words {
  /** A line of at most 200 characters. */
  line(plain: string): string
  email(plain: string): string
  url(plain: string): string
}

export const PLAIN: Words = { line: (plain) => plain, email: (plain) => plain, url: (plain) => plain }

export interface FullOrg extends Org {
  /** Sessions. */
  owner: string
  admin: string
  /** What `:name` in a path may stand for. */
  params: Readonly<Record<string, string[]>>
}

export async function fullOrg(w: World, words: Words = PLAIN): Promise<FullOrg> {
  const org = await w.org()
  const [{ email: owner_email } = { email: '' }] = (await w.rows(
    'update people set email = $2 where person_id = $1 returning email',
    org.owner_id,
    words.email(`owner-${org.org_id}@example.com`),
  )) as { email: string }[]
  const by = { person_id: org.owner_id, email: owner_email, impersonator_email: null }
  await renameOrganisation(w.deps, org.org_id, words.line('Wonderland'), by)
  const channels = await channelsOf(w, org, words)
  const routes = await routesOf(w, org, words, channels)
  const windows = await windowsOf(w, org, words)
  const monitors = await monitorsOf(w, org, words)
  const checks = await checksOf(w, org, words, monitors)
  const heartbeats = await heartbeatsOf(w, org, words)
  await deliveriesOf(w, channels, words)
  const { person_id } = await addMember(w.deps, org.org_id, words.email(`bob-${org.org_id}@example.com`))
  const gone = await addMember(w.deps, org.org_id, words.email(`carol-${org.org_id}@example.com`))
  const [carol] = await w.rows('select email from people where person_id = $1', gone.person_id)
  await switchPerson(w.deps, String(carol?.email), false)
  const invitation = await invite(w.deps, org.org_id, words.email(`dave-${org.org_id}@example.com`), by)
  await createPersonalToken(w.deps, org.org_id, { name: words.line('export to the archive').slice(0, 100), by })
  await createPersonalToken(w.deps, org.org_id)
  await w.rows('update personal_access_tokens set revoked_at = now() where org_id = $1 and name = $2', org.org_id, '')
  await createConfigurationToken(w.deps, org.org_id, { name: 'deployment', scopes: ['write'], days: 30 })
  await setStatusPage(w.deps, org.org_id, true, by)
  const entries = [
    ...checks.map((guid, order) => ({
      kind: 'check' as const,
      guid,
      public_name: words.line('The shop').slice(0, 100),
      order,
    })),
    ...heartbeats.map((guid, order) => ({
      kind: 'heartbeat' as const,
      guid,
      public_name: words.line('Backups').slice(0, 100),
      order,
    })),
  ]
  const slug = `wonderland-${org.org_id}`
  const said = { title: words.line('Wonderland').slice(0, 100), description: words.line('How we are doing.') }
  await editStatusPage(w.deps, org.org_id, { slug, ...said, entries }, by)
  const unconfirmed = { kind: 'email', name: words.line('a partner'), email: words.email('partner@example.com') }
  const asked = await createChannel(w.deps, org.org_id, unconfirmed, undefined, { asksOwner: true })
  const confirm = await createConfirmation(w.deps, { org_id: org.org_id, id: asked.id }, unconfirmed.email)
  const signup = await createSignUpLink(w.deps, words.email(`erin-${org.org_id}@example.com`))
  const reset = await createPasswordReset(w.deps, owner_email)
  const admin = await adminOf(w, org)
  await w.rows('update monitors set enrolled_by = $1 where org_id = $2', org.owner_id, org.org_id)
  for (const table of ['heartbeat_keys', 'notification_channels'])
    await w.rows(`update ${table} set created_by = $1 where org_id = $2`, org.owner_id, org.org_id)
  const unsubscribe = newToken('unsubscribe', w.deps.random)
  await w.rows(
    "insert into weekly_reports (org_id, person_id, week, token_hash) values ($1, $2, '2026-11-16', $3)",
    org.org_id,
    org.owner_id,
    hashToken(unsubscribe),
  )
  const setup = await setUpLink(w)
  // The world has a clock of its own.
  await w.rows('update memberships set joined_at = $1', ago(w, 86_400))
  await w.rows('update people set created_at = $1', ago(w, 86_400))
  return {
    ...org,
    owner: await openSession(w.deps, org.owner_id, org.org_id),
    admin,
    params: {
      check: checks,
      run: [await runOf(w, org, words, { monitor: monitors[0], check: checks[0] })],
      heartbeat: heartbeats,
      incident: await incidentsOf(w, org, words, by),
      monitor: monitors.map(({ id }) => id),
      channel: channels.map(String),
      route: routes,
      window: windows,
      org: [String(org.org_id)],
      person: [String(org.owner_id), String(person_id)],
      member: [String(org.owner_id), String(person_id)],
      invitation: [invitation.token],
      reset: [reset?.token ?? ''],
      signup: [signup.token ?? ''],
      setup: [setup],
      confirm: [confirm],
      unsubscribe: [unsubscribe],
      incidentLink: [await linkOf(w, org, channels)],
      slug: [slug],
    },
  }
}

/** To the open incident of its checks. */
async function linkOf(w: World, { org_id }: Org, [channel_id = 0]: number[]): Promise<string> {
  const sql = 'select incident_id from incidents where org_id = $1 and check_id is not null and ended_at is null'
  const [open] = await w.rows(sql, org_id)
  const token = await createLink(w.deps, {
    org_id,
    channel_id,
    type: 'check.down',
    data: { ...open },
    created_at: w.clock.now().toISOString(),
  })
  if (token === undefined) throw new Error('no check is down')
  return token
}

/** Those that there are, with what people write about them. */
async function incidentsOf(w: World, { org_id }: Org, { line }: Words, by: Actor): Promise<string[]> {
  const rows = await w.rows('select incident_id from incidents where org_id = $1 order by began_at', org_id)
  const ids = rows.map(({ incident_id }) => String(incident_id))
  for (const incident_id of ids.slice(0, 1)) {
    await addNote(w.deps, { org_id, incident_id }, line('The disk is full.'), by)
    const text = `${line('What happened')}\n\n${line('The disk was full.')}`
    await savePostmortem(w.deps, { org_id, incident_id }, { text, seen: '' }, by)
  }
  return ids
}

/** Last of all, since making an organisation closes the set-up. */
async function setUpLink(w: World): Promise<string> {
  await w.rows('update server_set_up set done_at = null')
  const token = await createSetUpLink(w.deps, 'web:1')
  if (token === undefined) throw new Error('the server is set up')
  return token
}

const ago = (w: World, sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString()

async function adminOf(w: World, org: Org): Promise<string> {
  const email = `admin-${org.org_id}@example.com`
  const { person_id } = await addMember(w.deps, (await w.org()).org_id, email)
  await setAdmin(w.deps, email, true)
  if ((await findPeople(w.deps, email)).found.length !== 1) throw new Error('there is no admin')
  return openSession(w.deps, person_id)
}

async function monitorsOf(w: World, org: Org, { line }: Words): Promise<Monitor[]> {
  const monitors: Monitor[] = []
  for (const name of ['rack 4', 'rack 5', 'attic', 'cellar', 'garage']) monitors.push(await w.monitor(org, line(name)))
  const [online, offline, disabled, reset] = monitors as [Monitor, Monitor, Monitor, Monitor]
  await w.rows(
    `update monitors set region = $2, country = $3, city = $4 where org_id = $1`,
    org.org_id,
    line('eu-central'),
    line('DE').slice(0, 64),
    line('Berlin'),
  )
  for (const { client } of [online, offline, disabled]) {
    await client.reportStatus({
      version: line('1.2.3').slice(0, 64),
      uptime_sec: 86_400,
      unsent_results: 3,
      last_outage_sec: 40,
      last_outage_ended_at: ago(w, 7200),
    })
  }
  await w.rows('update monitors set offline_since = last_seen_at where id = $1', offline.id)
  await switchMonitor(w.deps, disabled.id, 'enabled', false)
  await resetMonitor(w.deps, reset.id)
  await createEnrollmentToken(w.deps, org.org_id)
  return monitors
}

async function checksOf(w: World, org: Org, { line, url }: Words, [monitor, other]: Monitor[]): Promise<string[]> {
  if (!monitor || !other) throw new Error('there are no monitors')
  const headers = { 'x-probe': line('dogwatch') }
  const wordy = {
    headers,
    match_string: line('all is well'),
    post_data: line('{"ping":true}'),
    match_mode: 'not_contains',
  }
  const watched = [
    { name: line('down'), url: url('https://down.example/health'), ...wordy, show_on_status_page: true },
    { name: line('up'), url: url('https://up.example/'), status_code_op: 'lt', status_code_value: 300 },
    { name: line('certificate'), url: 'tls://mail.example:465', cert_expiry_warn_days: 14 },
    { name: line('vault'), url: '' },
    { name: line('quiet'), url: 'tcp://db.example:5432', down_interval_sec: 3, resend_interval_sec: 600 },
  ]
  const guids = await w.checks(org, watched, 'all')
  const unwatched = await w.checks(
    org,
    [{ name: line('unmonitored') }, { name: line('paused'), enabled: false }],
    'none',
  )
  const [gone = ''] = await w.checks(org, [{ name: line('deleted') }], 'none')
  const [down = '', up = '', certificate = '', vault = ''] = guids
  const failed = {
    success: false,
    http_status: 0,
    error: line('refused: connection refused'),
    response_sample: line('<h1>It works</h1>'),
  }
  const runs = [down, up, certificate, vault].flatMap((guid, which) =>
    Array.from({ length: 40 }, (_, i) => {
      const hasFailed = (guid === down && (i > 37 || i === 20)) || (guid === certificate && i === 30)
      const sec = (40 - i) * 1500
      return result(guid, { ran_at: ago(w, sec), latency_ms: 20 + which * 30 + i, ...(hasFailed && failed) })
    }),
  )
  await monitor.client.upload(runs)
  await other.client.upload([result(down, { ran_at: ago(w, 60), ...failed, error: line('timeout: no answer') })])
  await w.rows('update checks set created_at = $2 where org_id = $1', org.org_id, ago(w, 7 * 86_400))
  await foldHistory(w.deps)
  await sweepUnmonitored(w.deps)
  await deleteCheck(w.deps, gone)
  return [...guids, ...unwatched]
}

/** A run that somebody asked for, with everything that a report may have. */
async function runOf(
  w: World,
  org: Org,
  { line }: Words,
  { monitor, check }: { monitor: Monitor | undefined; check: string | undefined },
): Promise<string> {
  if (!monitor || check === undefined) throw new Error('there are no monitors, or no checks')
  const actor = { person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null }
  const { run_id } = await askToRun(w.deps, { org_id: org.org_id, actor }, check, { monitor: monitor.id })
  await monitor.client.sync()
  const phases = { dns: 1.5, connect: 2, tls: 12.3, first_byte: 40, body: 3 }
  const verdict = { success: false, kind: 'match', http_status: 200, latency_ms: 61, phases, certificate_days: 20 }
  const texts = {
    error: line('match: not found'),
    response_sample: line('<h1>It works</h1>'),
    address: line('10.0.0.5').slice(0, 100),
  }
  await monitor.client.reportRuns([{ id: run_id, ...verdict, ...texts, redirects: [line('https://down.example/')] }])
  return run_id
}

async function heartbeatsOf(w: World, org: Org, { line }: Words): Promise<string[]> {
  const guids: string[] = []
  const beats = { interval_sec: 3600, grace_sec: 300, resend_interval_sec: 0, show_on_status_page: true }
  for (const [name, calls] of [
    ['nightly backup', ['/start', '/log', '', '/fail']],
    ['invoices', ['/start', '']],
    ['never called', []],
    ['at rest', ['', '/3']],
  ] as const) {
    const { guid, token } = await createHeartbeat(w.deps, org.org_id, { ...beats, name: line(name) })
    guids.push(guid)
    for (const call of calls) {
      const rid = encodeURIComponent(line(`run-${guids.length}`))
      const body = `${line('copied 12 files')}\n${line('done')}\n`
      await fetch(`${w.direct}/ping/${token}${call}?rid=${rid}`, { method: 'POST', body })
      w.clock.forward(5)
    }
  }
  await w.rows('update heartbeats set enabled = false, due_at = null where guid = $1', guids[3])
  return guids
}

async function channelsOf(w: World, org: Org, { line, email, url }: Words): Promise<number[]> {
  const wanted = [
    {
      kind: 'webhook',
      name: line('on call'),
      webhook_url: url('https://hooks.example/dogwatch'),
      webhook_secret: 'a secret',
    },
    { kind: 'email', name: line('the team'), email: email('team@example.com') },
    { kind: 'ntfy', name: line('phone'), ntfy_topic: 'wonderland' },
    { kind: 'slack', name: line('general'), webhook_url: url('https://slack.example/services/T/B/X') },
  ]
  const ids: number[] = []
  for (const one of wanted) ids.push((await createChannel(w.deps, org.org_id, one)).id)
  return ids
}

/** Routes with everything that one may have. */
async function routesOf(w: World, org: Org, { line }: Words, [first = 0, second = 0]: number[]): Promise<string[]> {
  const night = { from: '22:00', to: '07:00', days: [1, 7], zone: 'Europe/Paris', holds_down: true }
  const rotation = { channel_ids: [first, second], starts_on: '2026-11-23', at: '09:00', zone: 'Europe/Paris' }
  const routes = [
    { scope: { all: true } as const, steps: [{ after_sec: 0, channel_ids: [first] }], quiet: null },
    {
      scope: { tags: [tagOf(line('shop'))] },
      steps: [
        { after_sec: 0, channel_ids: [first, second] },
        { after_sec: 900, rotation },
      ],
      quiet: night,
    },
  ]
  const guids: string[] = []
  for (const route of routes) {
    const wanted = {
      ...route,
      name: line('nights').slice(0, 100),
      events: [],
      severity: 'info' as const,
      delay_sec: 300,
    }
    guids.push((await createRoute(w.deps, org.org_id, { ...wanted, enabled: true })).guid)
  }
  return guids
}

/** Maintenance that is on, and some that is to come. */
async function windowsOf(w: World, org: Org, { line }: Words): Promise<string[]> {
  const soon = new Date(w.clock.now().getTime() + 86_400_000).toISOString().slice(0, 16)
  const now = w.clock.now().toISOString().slice(0, 16)
  const windows = [
    { scope: { all: true } as const, starts_at: soon, rule: 'FREQ=WEEKLY;BYDAY=SA' },
    { scope: { tags: [tagOf(line('shop'))] }, starts_at: now, rule: null },
  ]
  const guids: string[] = []
  for (const window of windows) {
    const when = { duration_sec: 7200, zone: 'UTC', is_public: true }
    guids.push(
      (await createWindow(w.deps, org.org_id, { ...window, ...when, name: line('upgrade').slice(0, 100) })).guid,
    )
  }
  return guids
}

/** Of what was raised, some arrives and some is refused in the words of the receiver. */
async function deliveriesOf(w: World, [webhook = 0, email = 0, ntfy = 0]: number[], { line }: Words): Promise<void> {
  const inbox = await receiver()
  inbox.answer = (response, { headers }) => {
    const isNtfy = headers['user-agent'] !== undefined && headers['webhook-id'] === undefined
    response
      .writeHead(isNtfy ? 200 : 500, { 'x-why': line('no').replace(/[^\x20-\x7e]/g, '') })
      .end(line('no such hook'))
  }
  const [held] = await w.rows(
    "select destination ->> 'webhook_url' as url from notification_channels where id = $1",
    webhook,
  )
  const pointAt = (to: unknown) =>
    w.rows(
      "update notification_channels set destination = destination || jsonb_build_object('webhook_url', $2::text) where id = $1",
      webhook,
      to,
    )
  await pointAt(inbox.url)
  await testChannel(w.deps, webhook)
  await testChannel(w.deps, ntfy)
  const settings = { egress_allow: ['127.0.0.0/8'], smtp_url: undefined, mail_from: undefined, ntfy_url: inbox.url }
  const sending = { ...w.deps, channels: createChannels(settings), public_url: 'http://dogwatch.example' }
  while ((await deliverOnce(sending)).claimed > 0) continue
  await w.rows('update deliveries set last_error = last_error || $2 where channel_id = $1', webhook, line(': no'))
  await switchChannel(w.deps, email, false)
  await pointAt(held?.url)
  await inbox.close()
}

/** A text as far as it can be a tag. */
function tagOf(text: string): string {
  return text.replaceAll(',', ' ').slice(0, 50)
}
