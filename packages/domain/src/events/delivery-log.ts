// Reads the delivery log: which alerts were sent to which channels, and with which outcome.
import { isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import {
  findLastLookedAt,
  type LastOutcome,
  type LogFilter,
  type LoggedDelivery,
  type LogPlace,
  listDeliveryLog,
  listLastOutcomes,
} from '@dogwatch/store/alerting/delivery-log'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable } from '../text.ts'

export type { LastOutcome, LogFilter, LoggedDelivery, LogPlace }

export interface DeliveryPage {
  deliveries: LoggedDelivery[]
  /** Position at which the next page begins. Absent on the last page. */
  before?: LogPlace
  /** Time that a search by state has reached, going back in time. Absent if the search is complete. */
  searched_to?: string
}

export const DELIVERY_STATES = ['delivered', 'pending', 'failed', 'superseded', 'summarised', 'unconfirmed'] as const

const PAGE = 50
const ID = /^[1-9]\d{0,14}$/
const NEWEST = 100

/** Returns one page of the matching deliveries of an organisation, newest first. `before`: starts after this delivery. */
export async function readDeliveryLog(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  { before, limit = PAGE, ...filter }: LogFilter & { before?: LogPlace | undefined; limit?: number } = {},
): Promise<DeliveryPage> {
  if (!isStorable(filter.incident_id ?? '')) return { deliveries: [] }
  const page = { ...filter, before }
  const found = await listDeliveryLog(database.people, org_id, { ...page, limit: limit + 1 })
  const deliveries = found.slice(0, limit)
  const last = deliveries.at(-1)
  if (last && found.length > limit) return { deliveries, before: placeOf(last) }
  const end = filter.state === undefined ? undefined : await findLastLookedAt(database.people, org_id, page)
  return { deliveries, ...(end && { before: placeOf(end), searched_to: end.created_at }) }
}

function placeOf({ created_at, delivery_id }: LogPlace): LogPlace {
  return { created_at, delivery_id }
}

/**
 * Returns the time and id of a page's last delivery as `2026-11-20T10~00~00.000000Z_31`. Tildes replace colons, which must be
 * encoded in URLs.
 */
export function cursorOf({ created_at, delivery_id }: LogPlace): string {
  return `${created_at.replaceAll(':', '~')}_${delivery_id}`
}

/** Parses a cursor, whether its delivery still exists or not. Returns undefined if the text is no cursor. */
export function placeAt(cursor: string): LogPlace | undefined {
  const at = cursor.indexOf('_')
  const [created_at, id] = [cursor.slice(0, at).replaceAll('~', ':'), cursor.slice(at + 1)]
  if (at < 0 || !isDateTime(created_at) || !ID.test(id)) return undefined
  return { created_at: toMicroseconds(created_at), delivery_id: Number(id) }
}

/** Returns one delivery. Throws DomainError if the organisation does not have it. */
export async function readDelivery(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  delivery_id: number,
): Promise<LoggedDelivery> {
  const [found] = await listDeliveryLog(database.people, org_id, { delivery_id, limit: 1 })
  if (!found) throw new DomainError('missing', 'no delivery with that id')
  return found
}

/** Returns the outcome of the newest delivery of each channel. */
export async function readLastOutcomes(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  channel_ids: readonly number[],
): Promise<Map<number, LastOutcome>> {
  const outcomes = await listLastOutcomes(database.people, org_id, channel_ids)
  return new Map(outcomes.map((outcome) => [outcome.channel_id, outcome]))
}

/** Returns the newest hundred deliveries of an organisation, newest first, for operators. */
export async function readDeliveries(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
): Promise<Omit<LoggedDelivery, 'names' | 'incident_id'>[]> {
  if (!(await findOrganisation(database.people, org_id)))
    throw new DomainError('missing', 'no organisation with that id')
  const newest = await listDeliveryLog(database.people, org_id, { limit: NEWEST })
  return newest.map(({ names: _, incident_id: __, ...delivery }) => delivery)
}
