// Handles the operation on metrics: returns the numbers of an organisation in the format of Prometheus.

import { readOneCheck } from '@dogwatch/domain/checks/read'
import { resolveReference } from '@dogwatch/domain/configuration/keys'
import {
  countMeasured,
  type MeasuredCheck,
  type MeasuredHeartbeat,
  type MeasuredMonitor,
  readMeasuredChecks,
  readMeasuredHeartbeats,
  readMeasuredMonitors,
  type Some,
} from '@dogwatch/domain/configuration/measures'
import { allows } from '@dogwatch/domain/configuration/scopes'
import type { Configurator } from '@dogwatch/domain/configuration/tokens'
import type { Deps } from '@dogwatch/domain/deps'
import { DomainError, FieldError } from '@dogwatch/domain/errors'
import type { Resource } from './contract.ts'
import { exposition, type Family, type Labels } from './exposition.ts'

type Value = number | boolean | undefined

const ofCheck = ({ guid, name }: MeasuredCheck): Labels => ({ check: guid, name })
const ofCheckById = ({ guid }: MeasuredCheck): Labels => ({ check: guid })
const ofHeartbeat = ({ guid, name }: MeasuredHeartbeat): Labels => ({ heartbeat: guid, name })
const ofHeartbeatById = ({ guid }: MeasuredHeartbeat): Labels => ({ heartbeat: guid })

function check(name: string, help: string, value: (its: MeasuredCheck) => Value): Family<MeasuredCheck> {
  return { name: `dogwatch_check_${name}`, help, labels: ofCheck, value }
}

function heartbeat(name: string, help: string, value: (its: MeasuredHeartbeat) => Value): Family<MeasuredHeartbeat> {
  return { name: `dogwatch_heartbeat_${name}`, help, labels: ofHeartbeat, value }
}

/** Value of the metric `up` by state. Omits unmonitored and paused checks, which are neither up nor down. */
const UP: Readonly<Partial<Record<MeasuredCheck['state'], boolean>>> = { up: true, degraded: true, down: false }

const CHECKS: readonly Family<MeasuredCheck>[] = [
  {
    name: 'dogwatch_check_info',
    help: 'Information about a check, always 1. Tags are separated by commas, with a comma at each end.',
    labels: (its) => ({ ...ofCheck(its), key: its.key ?? '', tags: tagsOf(its.tags) }),
    value: () => 1,
  },
  check(
    'up',
    'Whether the check is up. Absent while that is unknown or the check is paused.',
    ({ state }) => UP[state],
  ),
  check('paused', 'Whether the check is paused.', ({ state }) => state === 'paused'),
  check('unmonitored', 'Whether the check has no recent results.', ({ state }) => state === 'unmonitored'),
  check('degraded', 'Whether the check is slow or its certificate expires soon.', ({ is_degraded }) => is_degraded),
  check('incident_open', 'Whether the check has an open incident.', ({ is_down }) => is_down),
  check(
    'latency_seconds',
    'Duration of the newest run, in seconds.',
    ({ latency_ms }) => latency_ms && latency_ms / 1000,
  ),
  check('last_run_timestamp_seconds', 'Unix time of the newest run.', ({ ran_at }) => secondsOf(ran_at)),
  check(
    'certificate_expiry_timestamp_seconds',
    'Unix time at which the certificate seen by the newest run expires.',
    (its) => secondsOf(its.cert_expires_at),
  ),
  check('uptime_ratio', 'Share of runs in the last 24 hours that succeeded, 0 to 1.', ({ uptime }) => uptime),
  check(
    'coverage_ratio',
    'Share of the runs due in the last 24 hours that arrived, 0 to 1.',
    ({ coverage }) => coverage,
  ),
]

const HEARTBEATS: readonly Family<MeasuredHeartbeat>[] = [
  {
    name: 'dogwatch_heartbeat_info',
    help: 'Information about a heartbeat, always 1. Tags are separated by commas, with a comma at each end.',
    labels: (its) => ({ ...ofHeartbeat(its), key: its.key ?? '', tags: tagsOf(its.tags) }),
    value: () => 1,
  },
  heartbeat('up', 'Whether the heartbeat is up. Absent before its first ping and while it is paused.', (its) =>
    its.is_paused ? undefined : its.is_up,
  ),
  heartbeat('paused', 'Whether the heartbeat is paused.', ({ is_paused }) => is_paused),
  heartbeat('last_ping_timestamp_seconds', 'Unix time of the newest ping.', ({ pinged_at }) => secondsOf(pinged_at)),
]

/** Metrics of checks, with the name of the check as a label in the `_info` metric only. */
const CHECKS_BY_ID = CHECKS.map((family) => (family.labels === ofCheck ? { ...family, labels: ofCheckById } : family))
const HEARTBEATS_BY_ID = HEARTBEATS.map((family) =>
  family.labels === ofHeartbeat ? { ...family, labels: ofHeartbeatById } : family,
)

const MONITORS: readonly Family<MeasuredMonitor>[] = [
  {
    name: 'dogwatch_monitor_online',
    help: 'Whether the monitor contacted the server recently.',
    labels: ({ id, name, ...its }) => ({ monitor: id, name, class: its.class }),
    value: ({ is_online }) => is_online,
  },
]

function secondsOf(at: string | undefined): number | undefined {
  return at === undefined ? undefined : Math.round(Date.parse(at)) / 1000
}

function tagsOf(tags: readonly string[]): string {
  return tags.length === 0 ? '' : `,${tags.join(',')},`
}

/**
 * Lifetime of a response in milliseconds. Until then, further requests get the same response, so that several scrapers cost as
 * much as one.
 */
const KEPT_MS = 5_000
/** Maximum size of all stored responses, in characters. */
const MOST_KEPT = 32_000_000

/** Maximum number of parts that a client can divide the metrics into, as in the document. */
const MOST_PARTS = 100

/** Maximum number of checks, and of heartbeats, in a response. Larger responses would delay all other requests. */
const MOST_THINGS = 10_000

interface CachedText {
  until: number
  text: Promise<string>
  size: number
}

/** Returns the operation. `most` is the maximum number of checks, and of heartbeats, in a response. */
export function metricsOf(most: number = MOST_THINGS): Resource<'readMetrics'> {
  const kept = new Map<string, CachedText>()
  return {
    async readMetrics(deps, { caller, query, reply }) {
      const now = deps.clock.monotonicMs()
      const { tag, check, labels = 'all' } = query
      const part = partOf(query)
      const name = JSON.stringify([caller.org_id, kindsOf(caller), tag, check, labels, part])
      const before = kept.get(name)
      if (before && before.until > now) return reply(200, await before.text)
      const made: CachedText = {
        until: now + KEPT_MS,
        text: writeAll(deps, caller, { tag, check, part, labels, most }),
        size: 0,
      }
      kept.delete(name)
      kept.set(name, made)
      try {
        const text = await made.text
        made.size = text.length
        forget(kept, now)
        return reply(200, text)
      } catch (error) {
        if (kept.get(name) === made) kept.delete(name)
        throw error
      }
    },
  }
}

const KINDS = ['checks:read', 'heartbeats:read', 'monitors:read']

/** Returns the read scopes of the kinds whose metrics a token may read. With `metrics:read`, returns all. */
function kindsOf({ scopes }: Configurator): string[] {
  return scopes.includes('metrics:read') ? KINDS : KINDS.filter((scope) => allows(scopes, scope))
}

/** Returns the requested part of the metrics, or undefined for all. */
function partOf({ check, part, parts }: { check?: string; part?: number; parts?: number }): Some['part'] {
  if (part === undefined && parts === undefined) return undefined
  if (check !== undefined) throw new FieldError('invalid', 'parts', 'must be omitted if “check” is sent')
  if (parts === undefined) throw new FieldError('invalid', 'parts', 'is required when part is sent')
  if (part === undefined || part > parts) throw new FieldError('invalid', 'part', `must be from 1 to ${parts}`)
  return { part, parts }
}

interface MetricsQuery {
  tag: string | undefined
  check: string | undefined
  part: Some['part']
  labels: 'all' | 'id'
  most: number
}

async function writeAll(
  deps: Deps,
  caller: Configurator,
  { tag, check, part, labels, most }: MetricsQuery,
): Promise<string> {
  const { org_id } = caller
  const kinds = kindsOf(caller)
  const guid = check === undefined ? undefined : await resolveCheck(deps, org_id, check)
  const some = { tag, guid, part }
  const hasHeartbeats = guid === undefined && kinds.includes('heartbeats:read')
  // Comes before all reads, so that refusing too large a response costs only a count.
  await requireFew(deps, org_id, 'checks', some, most)
  if (hasHeartbeats) await requireFew(deps, org_id, 'heartbeats', some, most)
  const checks = await readMeasuredChecks(deps, org_id, some)
  const texts = [await exposition(labels === 'id' ? CHECKS_BY_ID : CHECKS, checks)]
  if (guid !== undefined) return texts.join('')
  if (hasHeartbeats) {
    const heartbeats = await readMeasuredHeartbeats(deps, org_id, { tag, part })
    texts.push(await exposition(labels === 'id' ? HEARTBEATS_BY_ID : HEARTBEATS, heartbeats))
  }
  // Monitors are few, so all of them are in the first part.
  if (kinds.includes('monitors:read') && tag === undefined && (part?.part ?? 1) === 1) {
    texts.push(await exposition(MONITORS, await readMeasuredMonitors(deps, org_id)))
  }
  return texts.join('')
}

async function resolveCheck(deps: Deps, org_id: number, reference: string): Promise<string> {
  const guid = await resolveReference(deps.database.people, org_id, 'check', reference)
  return (await readOneCheck(deps, org_id, guid)).guid
}

async function requireFew(
  deps: Deps,
  org_id: number,
  what: 'checks' | 'heartbeats',
  some: Some,
  most: number,
): Promise<void> {
  const count = await countMeasured(deps, org_id, what, some)
  if (count <= most) return
  const there = `there are ${count} ${what}, and a response holds at most ${most}`
  const more = Math.min(MOST_PARTS, Math.ceil((1.25 * count) / most) * (some.part?.parts ?? 1))
  throw new DomainError(
    'invalid',
    some.part
      ? `parts must be more than ${some.part.parts}, such as ${more}; in this part ${there}`
      : `parts must be given, such as parts=${more} with part=1 to ${more}, unless a tag is given; ${there}`,
  )
}

/** Drops expired responses, and then the oldest ones if the others have too many characters. */
function forget(kept: Map<string, CachedText>, now: number): void {
  let size = Array.from(kept.values(), (one) => one.size).reduce((sum, one) => sum + one, 0)
  for (const [name, one] of kept) {
    if (one.until > now && size <= MOST_KEPT) continue
    kept.delete(name)
    size -= one.size
  }
}
