// For each operation of the configuration API: a request that succeeds.
import type { operations } from '@dogwatch/contract/config'
import { result, type Monitor, type Org, type World } from '../support/world.ts'

export interface Sample {
  /** What stands in the path, by parameter. */
  path?: Readonly<Record<string, string>>
  body?: object
}

/** Makes what the request is about, in an organisation. */
type MakeSample = (w: World, org: Org) => Promise<Sample>

const CHECK = { name: 'c', url: 'https://example.com/', interval_sec: 60 }

async function ofCheck(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const [guid = ''] = await w.checks(org, [{}])
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

export const SAMPLES: Readonly<Record<keyof operations, MakeSample>> = {
  getToken: async () => ({}),
  listChecks: async () => ({}),
  createCheck: async () => ({ body: CHECK }),
  getCheck: ofCheck,
  replaceCheck: async (w, org) => ({ ...(await ofCheck(w, org)), body: CHECK }),
  changeCheck: async (w, org) => ({ ...(await ofCheck(w, org)), body: CHECK }),
  deleteCheck: ofCheck,
  pauseCheck: ofCheck,
  resumeCheck: ofCheck,
  listIncidents: async () => ({}),
  getIncident: ofIncident,
  acknowledgeIncident: ofIncident,
  unacknowledgeIncident: ofIncident,
  muteIncident: async (w, org) => ({
    ...(await ofIncident(w, org)),
    body: { until: new Date(w.clock.now().getTime() + 3_600_000).toISOString() },
  }),
  unmuteIncident: ofIncident,
  listIncidentNotes: ofIncident,
  createIncidentNote: async (w, org) => ({ ...(await ofIncident(w, org)), body: { note: 'The disk was full.' } }),
}
