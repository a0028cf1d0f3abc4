// Alerts of the demo's invented history: events, and deliveries that arrived.
import { randomUUID } from 'node:crypto'
import { fromDate } from '../../packages/server/dist/runtime/timestamps.js'
import { insertEvents } from '../../packages/server/dist/store/alerting/events.js'
import type { Filling } from './filling.ts'
import type { Letter } from './inbox.ts'

export interface PastAlert {
  type: string
  /** When it was raised, in milliseconds since the Unix epoch. */
  at: number
  subject: string
  check_id?: number
  incident_id: string
  data: Record<string, unknown>
}

const ARRIVED_AFTER_MS = 40

/** Writes them, and returns what the inbox got of them. */
export async function writeAlerts(
  { trx, org_id, channel_id }: Filling,
  alerts: readonly PastAlert[],
): Promise<Letter[]> {
  if (alerts.length === 0) return []
  const events = alerts.map(({ at, ...rest }) => ({
    ...rest,
    org_id,
    event_id: randomUUID(),
    created_at: wire(at),
    at,
  }))
  await insertEvents(
    trx,
    events.map(({ at: _, ...event }) => event),
  )
  await trx
    .insertInto('deliveries')
    .values(
      events.map(({ event_id, subject, created_at, at }) => ({
        org_id,
        event_id,
        channel_id,
        subject,
        state: 'delivered',
        attempts: 1,
        created_at,
        last_attempt_at: wire(at + ARRIVED_AFTER_MS),
        last_status: 204,
        last_latency_ms: ARRIVED_AFTER_MS,
        is_charged: true,
      })),
    )
    .execute()
  return events.map(({ event_id, type, created_at, data }) => ({ id: event_id, type, timestamp: created_at, data }))
}

function wire(ms: number): string {
  return fromDate(new Date(ms))
}
