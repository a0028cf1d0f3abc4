// Closes incidents that receivers such as PagerDuty, Opsgenie and Alertmanager would keep open for ever, because their checks or
// heartbeats were paused or deleted. People receive no alert about that.
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  insertDeliveries,
  insertEvents,
  lineOf,
  lockChannels,
  lockSubject,
  supersedeDeliveries,
} from '@dogwatch/store/alerting/events'
import {
  type CoverageOpen,
  giveUpUntried,
  type KeptOf,
  type KeptOpen,
  listCoverageOpen,
  listCoverageToClose,
  listKeptOpen,
  listOpenIncidents,
} from '@dogwatch/store/alerting/kept'
import type { Trx } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { KEEPERS } from '../routing/carry-out.ts'
import type { CheckSubject, ClosedData, HeartbeatSubject } from './event.ts'

export interface Closing extends KeptOf {
  org_id: number
  reason: ClosedData['reason']
  /** Kinds of problems to close. Default: all. */
  kinds?: readonly KeptOpen['kind'][]
}

/**
 * Runs `end`, which ends open problems of checks or heartbeats without an alert. Also closes their incidents at receivers that
 * open and close incidents. The caller must hold the locks of the checks or heartbeats.
 */
export async function closingKept(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  { org_id, reason, kinds, ...of }: Closing,
  end: () => Promise<void>,
): Promise<void> {
  const isMeant = ({ kind }: { kind: KeptOpen['kind'] }) => kinds === undefined || kinds.includes(kind)
  const open = (await listKeptOpen(trx, org_id, of, KEEPERS)).filter(isMeant)
  const incidents = isMeant({ kind: 'down' }) ? await listOpenIncidents(trx, org_id, of) : []
  // Channels are locked before deliveries, here and everywhere.
  const enabled = open.length > 0 ? new Set(await lockChannels(trx, org_id)) : new Set<number>()
  await end()
  await giveUpUntried(trx, org_id, incidents)
  const told = open.filter(({ channel_id }) => enabled.has(channel_id))
  if (told.length > 0) await close(trx, deps, { org_id, reason }, told)
}

/**
 * Closes incidents about unmonitored checks that were paused, deleted or left without a monitor. A receiver has one incident for
 * all of them, which stays open while any is left. Returns the number of organisations with such checks.
 */
export async function closeCoverage(deps: Pick<Deps, 'clock' | 'random' | 'database'>): Promise<number> {
  const { machines } = deps.database
  const orgs = await listCoverageToClose(machines, KEEPERS)
  for (const org_id of orgs) {
    await machines.transaction().execute(async (trx) => {
      await lockSubject(trx, org_id, COVERAGE)
      await lockChannels(trx, org_id)
      const open = await listCoverageOpen(trx, org_id, KEEPERS)
      const same = Map.groupBy(open, ({ gone, still }) => JSON.stringify([gone, still]))
      for (const its of same.values()) await closeUnmonitored(trx, deps, org_id, its)
    })
  }
  return orgs.length
}

/** Closes the incident about unmonitored checks at the channels in `open`. These channels keep the same checks open. */
async function closeUnmonitored(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  org_id: number,
  open: readonly CoverageOpen[],
): Promise<void> {
  const [first] = open
  const [check] = first?.gone ?? []
  if (!first || !check) return
  const { org, gone, still, reason } = first
  const data = { org, check: { guid: check.guid, name: check.name }, since: check.since }
  const told = open.map(
    ({ channel_id }): KeptOpen => ({
      ...{ kind: 'unmonitored', type: 'check.unmonitored', subject: COVERAGE, check_id: null, incident_id: null },
      ...{ data, raised_at: check.since, channel_id },
    }),
  )
  await close(trx, deps, { org_id, reason }, told, { checks: gone, still_unmonitored: still })
}

async function close(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  { org_id, reason }: Pick<Closing, 'org_id' | 'reason'>,
  told: readonly KeptOpen[],
  more: Partial<ClosedData> = {},
): Promise<void> {
  const created_at = fromDate(deps.clock.now())
  const closing = [...Map.groupBy(told, keyOf).values()].flatMap((own) => {
    const [first] = own
    if (!first) return []
    const { check_id, incident_id, subject, kind } = first
    const event = {
      org_id,
      event_id: newGuid(deps.random),
      type: first.type.startsWith('heartbeat.') ? 'heartbeat.closed' : 'check.closed',
      created_at,
      subject,
      ...(check_id !== null && { check_id }),
      ...(incident_id !== null && { incident_id }),
      data: { ...dataOf(first, created_at, reason), ...more },
    }
    const line = kind === 'down' && incident_id !== null ? lineOf(subject, incident_id) : subject
    return { event, line, kind, channel_ids: own.map(({ channel_id }) => channel_id) }
  })
  await insertEvents(
    trx,
    closing.map(({ event }) => event),
  )
  const newer = closing.flatMap(({ line, channel_ids }) => channel_ids.map((channel_id) => ({ line, channel_id })))
  await supersedeDeliveries(trx, org_id, { sent: newer, ended: [] }, created_at)
  for (const isDown of [true, false]) {
    const sent = closing
      .filter(({ kind }) => (kind === 'down') === isDown)
      .flatMap(({ event, channel_ids }) => channel_ids.map((channel_id) => ({ event_id: event.event_id, channel_id })))
    const of_incidents = isDown ? ['check.closed', 'heartbeat.closed'] : []
    if (sent.length > 0) await insertDeliveries(trx, { org_id, sent, quietOnly: false, keepers: KEEPERS, of_incidents })
  }
}

function keyOf({ kind, subject, incident_id }: KeptOpen): string {
  return `${kind} ${subject} ${kind === 'down' ? incident_id : ''}`
}

const OPENING: Readonly<Record<KeptOpen['kind'], ClosedData['closes']>> = {
  down: 'check.down',
  slow: 'check.degraded',
  members: 'check.degraded',
  registration: 'check.degraded',
  certificate: 'check.certificate',
  flapping: 'check.flapping',
  unmonitored: 'check.unmonitored',
}

/** Subject of all events about unmonitored checks. */
const COVERAGE = 'coverage'

function dataOf(
  { kind, type, data, incident_id, raised_at }: KeptOpen,
  ended_at: string,
  reason: Closing['reason'],
): ClosedData {
  const {
    org,
    check,
    heartbeat,
    since = raised_at,
  } = data as {
    org: ClosedData['org']
    check?: CheckSubject
    heartbeat?: HeartbeatSubject
    since?: string
  }
  return {
    org,
    // The definition of a deleted check must not be kept.
    ...(check && { check: reason === 'deleted' ? { guid: check.guid, name: check.name } : check }),
    ...(heartbeat && { heartbeat }),
    state: 'closed',
    closes: type.startsWith('heartbeat.') ? 'heartbeat.down' : OPENING[kind],
    ...(kind === 'down' && incident_id !== null && { incident_id }),
    since,
    ended_at,
    reason,
  }
}
