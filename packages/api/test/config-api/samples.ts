// For each operation of the configuration API: a request that succeeds.
import type { operations } from '@dogwatch/contract/config'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { testOneChannel } from '@dogwatch/domain/channels/test-channel'
import { askToRun } from '@dogwatch/domain/checks/ask-run'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { addNote, savePostmortem } from '@dogwatch/domain/incidents/notes'
import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { createEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { hashToken } from '@dogwatch/runtime/tokens'
import { type Monitor, type Org, result, type World } from '../support/world.ts'

export interface Sample {
  /** What stands in the path, by parameter. */
  path?: Readonly<Record<string, string>>
  body?: object
  query?: Readonly<Record<string, string>>
}

/** Makes what the request is about, in an organisation. */
type MakeSample = (w: World, org: Org) => Promise<Sample>

const CHECK = { name: 'c', url: 'https://example.com/', interval_sec: 60 }

async function ofCheck(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const [guid = ''] = await w.checks(org, [{}])
  return { path: { guid } }
}

async function channelOf(w: World, org: Org): Promise<string> {
  const wanted = { kind: 'email', name: 'Ops', email: 'ops@example.com' } as const
  const [known] = await w.rows('select id from notification_channels where org_id = $1', org.org_id)
  return String(known ? known.id : (await createChannel(w.deps, org.org_id, wanted)).id)
}

const NTFY = { name: 'n', kind: 'ntfy', destination: { ntfy_topic: 'ops' } }

async function ofChannel(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const { id } = await createChannel(w.deps, org.org_id, { name: 'n', kind: 'ntfy', ntfy_topic: 'ops' })
  return { path: { id: String(id) } }
}

async function ofMonitor(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const { id } = await w.monitor(org)
  return { path: { id } }
}

async function ofEnrollmentToken(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const { token } = await createEnrollmentToken(w.deps, org.org_id)
  return { path: { id: hashToken(token).toString('hex') } }
}

async function ofTag(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  await w.checks(org, [{ tags: ['shop'] }])
  return { path: { tag: 'shop' } }
}

const routeFor = async (w: World, org: Org) => ({
  name: 'r',
  scope: { all: true },
  steps: [{ channels: [await channelOf(w, org)] }],
})

/** The one that the sample before made is deleted: an organisation may have few. */
async function ofRoute(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  await w.rows('delete from alert_routes where org_id = $1', org.org_id)
  const wanted = { name: 'r', scope: { all: true as const }, events: [], severity: null, quiet: null, delay_sec: 0 }
  const steps = [{ after_sec: 0, channel_ids: [Number(await channelOf(w, org))] }]
  const { guid } = await createRoute(w.deps, org.org_id, { ...wanted, steps, enabled: true })
  return { path: { guid } }
}

const WINDOW = { name: 'w', scope: { all: true as const }, duration_sec: 3600 }

/** It begins in an hour, for the first time. */
async function ofWindow(w: World, org: Org): Promise<{ path: Record<string, string>; body: object }> {
  await w.rows('delete from maintenance_windows where org_id = $1', org.org_id)
  const starts_at = new Date(w.clock.now().getTime() + 3_600_000).toISOString().slice(0, 16)
  const wanted = { ...WINDOW, starts_at, zone: 'UTC' }
  const { guid } = await createWindow(w.deps, org.org_id, { ...wanted, rule: null, is_public: false })
  return { path: { guid }, body: wanted }
}

const ofWindowAlone = async (w: World, org: Org) => ({ path: (await ofWindow(w, org)).path })

async function ofStatusPage(w: World, org: Org): Promise<{ body: object }> {
  const page = { slug: `page-${org.org_id}`, title: 'Acme' }
  await editStatusPage(w.deps, org.org_id, { ...page, description: '', entries: [] })
  return { body: { ...page, entries: [] } }
}

/** A check with a monitor that is online, and no run that waits. */
async function ofRunning(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  await w.rows('delete from asked_runs where org_id = $1', org.org_id)
  const monitor = monitors.get(org) ?? (await w.monitor(org))
  monitors.set(org, monitor)
  const [guid = ''] = await w.checks(org, [{}], [monitor.id])
  await monitor.client.sync()
  return { path: { guid } }
}

/** One monitor for each organisation that has a failing check. */
const monitors = new WeakMap<Org, Monitor>()

/** A check that is down. */
async function ofIncident(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const monitor = monitors.get(org) ?? (await w.monitor(org))
  monitors.set(org, monitor)
  const [guid = ''] = await w.checks(org, [{}], [monitor.id])
  await monitor.client.upload([result(guid, { success: false, ran_at: w.clock.now().toISOString() })])
  const rows = await w.rows(
    'select incident_id from incidents join checks using (org_id, check_id) where org_id = $1 and guid = $2',
    org.org_id,
    guid,
  )
  return { path: { incident: String(rows[0]?.incident_id) } }
}

const HEARTBEAT = { name: 'h', interval_sec: 60 }

/** The newest one of the organisation, whose plan allows only so many. */
async function ofHeartbeat(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const [held] = await w.rows('select guid from heartbeats where org_id = $1 order by heartbeat_id desc', org.org_id)
  if (held) return { path: { guid: String(held.guid) } }
  const wanted = { ...HEARTBEAT, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const { guid } = await createHeartbeat(w.deps, org.org_id, wanted)
  return { path: { guid } }
}

/** What is written about one incident leaves the others alone, and a plan allows only so many checks. */
async function ofKnownIncident(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const known = incidents.get(org) ?? ofIncident(w, org)
  incidents.set(org, known)
  return known
}

const incidents = new WeakMap<Org, ReturnType<typeof ofIncident>>()

/** The newest one of the organisation. */
async function ofKnownCheck(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const rows = 'select guid from checks where org_id = $1 and not deleted order by check_id desc limit 1'
  const [known] = await w.rows(rows, org.org_id)
  return known ? { path: { guid: String(known.guid) } } : ofCheck(w, org)
}

/** A note of the owner, who made the token too. */
async function ofNote(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const { path } = await ofKnownIncident(w, org)
  const which = { org_id: org.org_id, incident_id: path.incident ?? '' }
  const { note_id } = await addNote(w.deps, which, 'The disk is full.', ownerOf(org))
  return { path: { ...path, note: String(note_id) } }
}

async function ofPostmortem(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const { path } = await ofKnownIncident(w, org)
  const which = { org_id: org.org_id, incident_id: path.incident ?? '' }
  await w.rows('delete from postmortems where org_id = $1', org.org_id)
  await savePostmortem(w.deps, which, { text: 'The disk was full.', seen: '' }, ownerOf(org))
  return { path }
}

function ownerOf({ owner_id }: Org) {
  return { person_id: owner_id, email: 'x', impersonator_email: null }
}

/** Its owner was not asked yet, for each of them is another one. */
async function ofUnconfirmed(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  await w.rows("delete from notification_channels where org_id = $1 and kind = 'email'", org.org_id)
  const email = `ops-${++addresses}@example.com`
  const { id } = await createChannel(w.deps, org.org_id, { name: 'e', kind: 'email', email })
  await w.rows('update notification_channels set confirmed_at = null where org_id = $1 and id = $2', org.org_id, id)
  return { path: { id: String(id) } }
}

let addresses = 0

async function ofDelivery(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const { path } = await ofChannel(w, org)
  const { delivery_id } = await testOneChannel(w.deps, { org_id: org.org_id, id: Number(path.id) })
  return { path: { delivery: String(delivery_id) } }
}

const untilLater = (w: World) => ({ until: new Date(w.clock.now().getTime() + 3_600_000).toISOString() })

export const SAMPLES: Readonly<Record<keyof operations, MakeSample>> = {
  getToken: async () => ({}),
  // What it is about decides which scopes suffice: bulk.test.ts tries them.
  changeInBulk: async () => ({ body: { dry_run: true, changes: [] } }),
  readMetrics: async () => ({}),
  listChecks: async () => ({}),
  createCheck: async () => ({ body: CHECK }),
  getCheck: ofCheck,
  replaceCheck: async (w, org) => ({ ...(await ofCheck(w, org)), body: CHECK }),
  changeCheck: async (w, org) => ({ ...(await ofCheck(w, org)), body: CHECK }),
  deleteCheck: ofCheck,
  pauseCheck: ofCheck,
  resumeCheck: ofCheck,
  listRoutes: async () => ({}),
  createRoute: async (w, org) => {
    await ofRoute(w, org)
    return { body: await routeFor(w, org) }
  },
  getRoute: ofRoute,
  replaceRoute: async (w, org) => ({ ...(await ofRoute(w, org)), body: await routeFor(w, org) }),
  changeRoute: async (w, org) => ({ ...(await ofRoute(w, org)), body: { name: 'other' } }),
  deleteRoute: ofRoute,
  moveRoute: async (w, org) => ({ ...(await ofRoute(w, org)), body: { position: 1 } }),
  previewAlert: async () => ({ query: { event: 'monitor.offline' } }),
  listHeartbeats: async () => ({}),
  createHeartbeat: async () => ({ body: HEARTBEAT }),
  getHeartbeat: ofHeartbeat,
  replaceHeartbeat: async (w, org) => ({ ...(await ofHeartbeat(w, org)), body: HEARTBEAT }),
  changeHeartbeat: async (w, org) => ({ ...(await ofHeartbeat(w, org)), body: { name: 'h2' } }),
  deleteHeartbeat: ofHeartbeat,
  pauseHeartbeat: ofHeartbeat,
  resumeHeartbeat: ofHeartbeat,
  getPingUrl: ofHeartbeat,
  rotatePingUrl: ofHeartbeat,
  listMaintenanceWindows: async () => ({}),
  createMaintenanceWindow: ofWindow,
  getMaintenanceWindow: ofWindowAlone,
  replaceMaintenanceWindow: ofWindow,
  changeMaintenanceWindow: async (w, org) => ({ ...(await ofWindow(w, org)), body: { name: 'other' } }),
  deleteMaintenanceWindow: ofWindowAlone,
  endMaintenanceWindow: ofWindowAlone,
  listMonitors: async () => ({}),
  getMonitor: ofMonitor,
  changeMonitor: async (w, org) => ({ ...(await ofMonitor(w, org)), body: { name: 'Oslo', enabled: false } }),
  deleteMonitor: ofMonitor,
  listEnrollmentTokens: async () => ({}),
  createEnrollmentToken: async () => ({ body: {} }),
  revokeEnrollmentToken: ofEnrollmentToken,
  listTags: async () => ({}),
  renameTag: async (w, org) => ({ ...(await ofTag(w, org)), body: { tag: 'store' } }),
  deleteTag: ofTag,
  listChannels: async () => ({}),
  createChannel: async () => ({ body: NTFY }),
  getChannel: ofChannel,
  replaceChannel: async (w, org) => ({ ...(await ofChannel(w, org)), body: NTFY }),
  changeChannel: async (w, org) => ({ ...(await ofChannel(w, org)), body: { name: 'n2' } }),
  deleteChannel: ofChannel,
  testChannel: ofChannel,
  runCheck: ofRunning,
  getRun: async (w, org) => {
    const { path } = await ofRunning(w, org)
    const actor = { person_id: org.owner_id, email: 'x', impersonator_email: null }
    const { run_id } = await askToRun(w.deps, { org_id: org.org_id, actor }, path.guid ?? '')
    return { path: { run: run_id } }
  },
  getCheckSummary: ofCheck,
  listSummaries: async () => ({}),
  listAuditEntries: async () => ({}),
  getStatusPage: async (w, org) => {
    await ofStatusPage(w, org)
    return {}
  },
  replaceStatusPage: ofStatusPage,
  listIncidents: async () => ({}),
  getIncident: ofIncident,
  acknowledgeIncident: ofIncident,
  unacknowledgeIncident: ofIncident,
  muteIncident: async (w, org) => ({
    ...(await ofIncident(w, org)),
    body: untilLater(w),
  }),
  unmuteIncident: ofIncident,
  listIncidentNotes: ofIncident,
  createIncidentNote: async (w, org) => ({ ...(await ofIncident(w, org)), body: { note: 'The disk was full.' } }),
  getIncidentNote: ofNote,
  replaceIncidentNote: async (w, org) => ({ ...(await ofNote(w, org)), body: { note: 'It was the log.' } }),
  deleteIncidentNote: ofNote,
  getPostmortem: ofPostmortem,
  replacePostmortem: async (w, org) => ({ ...(await ofPostmortem(w, org)), body: { text: 'It was the log.' } }),
  deletePostmortem: ofPostmortem,
  askForConfirmation: ofUnconfirmed,
  listDeliveries: async () => ({}),
  getDelivery: ofDelivery,
  listResults: ofKnownCheck,
  muteCheck: async (w, org) => ({ ...(await ofKnownCheck(w, org)), body: untilLater(w) }),
  unmuteCheck: ofKnownCheck,
  muteHeartbeat: async (w, org) => ({ ...(await ofHeartbeat(w, org)), body: untilLater(w) }),
  unmuteHeartbeat: ofHeartbeat,
}
