// Timelines of checks that may be degraded: what runs, and what is told and recorded of it.
import { readCheckWithState } from '@dogwatch/domain/checks/read'
import { type Monitor, type Org, result, type World } from '../support/world.ts'

export const DAY_MS = 86_400_000

/** `80` is a success of 80 ms, `F` a failure. `30d`: the certificate has 30 days left. */
export type Outcome = number | 'F' | `${number}d`

export interface Story {
  org: Org
  monitor: Monitor
  guid: string
  entry: Record<string, unknown>
  /** Results a minute apart; the last of them runs now. */
  run(outcomes: readonly Outcome[], by?: Monitor): Promise<void>
  /** One result of `ago` seconds ago, by whichever clock. */
  upload(outcome: Outcome, ago: number, by?: Monitor): Promise<void>
  /** A success of now that came to a certificate. */
  see(cert_expires_at: string): Promise<void>
  told(): Promise<string[]>
  events(): Promise<{ type: string; data: Record<string, unknown> }[]>
  state(): Promise<string | undefined>
  rows(): Promise<Row[]>
}

export interface Row {
  kind: string
  began_at: string
  ended_at: string | null
  end_reason: string | null
  reason: string
  warn_days: number | null
}

export function resultOf(guid: string, outcome: Outcome, ran_ms: number) {
  const ran_at = new Date(ran_ms).toISOString()
  if (outcome === 'F')
    return result(guid, { ran_at, success: false, http_status: 0, latency_ms: 9000, error: 'refused: no' })
  if (typeof outcome === 'number') return result(guid, { ran_at, latency_ms: outcome })
  // Certificates end on the hour, so that the same one is seen by many results.
  const ends = Math.floor((ran_ms + Number(outcome.slice(0, -1)) * DAY_MS) / 3_600_000) * 3_600_000
  return result(guid, { ran_at, cert_expires_at: new Date(ends).toISOString() })
}

export async function story(w: World, given: Record<string, unknown> = {}): Promise<Story> {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const entry = { name: 'shop', url: 'https://shop.example/', interval_sec: 60, ...given }
  const [guid = ''] = await w.checks(org, [entry], 'all')
  const events = async () =>
    (await w.rows('select type, data from events where org_id = $1 order by created_at, type', org.org_id)) as {
      type: string
      data: Record<string, unknown>
    }[]
  const upload = async (outcome: Outcome, ago: number, by = monitor) => {
    const found = resultOf(guid, outcome, w.clock.now().getTime() - ago * 1000)
    await by.client.upload([found] as Parameters<typeof by.client.upload>[0])
  }
  return {
    org,
    monitor,
    guid,
    entry,
    upload,
    run: async (outcomes, by) => {
      for (const outcome of outcomes) {
        w.clock.forward(60)
        await upload(outcome, 0, by)
      }
    },
    see: async (cert_expires_at) => {
      const found = result(guid, { ran_at: w.clock.now().toISOString(), cert_expires_at })
      await monitor.client.upload([found] as Parameters<typeof monitor.client.upload>[0])
    },
    told: async () => (await events()).map(({ type }) => type),
    events,
    state: async () => (await readCheckWithState(w.deps, org.org_id, guid)).state?.state,
    rows: async () =>
      (await w.rows(
        `select kind, wire_time(began_at) as began_at, wire_time(ended_at) as ended_at, end_reason, reason, warn_days
         from degradations where org_id = $1 order by began_at, kind`,
        org.org_id,
      )) as unknown as Row[],
  }
}
