// The delivery log: what was sent to whom, and what came of it.
import { findOrganisation } from '../../store/accounts/organisations.ts'
import { type DeliveryRow, listDeliveries } from '../../store/alerting/deliveries.ts'
import {
  type LastOutcome,
  listDeliveryLog,
  listLastOutcomes,
  type LoggedDelivery,
} from '../../store/alerting/delivery-log.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

export type { LastOutcome, LoggedDelivery }

export interface DeliveryPage {
  deliveries: LoggedDelivery[]
  /** Where the next page begins; absent on the last. */
  before?: number
}

const PAGE = 50
const NEWEST = 100

/** One page of an org's deliveries, or of those of one channel or about one check, newest first; those before a delivery when one is given. */
export async function readDeliveryLog(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  {
    channel_id,
    check_id,
    before,
  }: { channel_id?: number | undefined; check_id?: number | undefined; before?: number | undefined } = {},
): Promise<DeliveryPage> {
  const found = await listDeliveryLog(database.people, org_id, { channel_id, check_id, before, limit: PAGE + 1 })
  const deliveries = found.slice(0, PAGE)
  const last = found.length > PAGE ? deliveries.at(-1) : undefined
  return { deliveries, ...(last && { before: last.delivery_id }) }
}

/** What became of the newest delivery of each of an org's channels. */
export async function readLastOutcomes(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  channel_ids: readonly number[],
): Promise<Map<number, LastOutcome>> {
  const outcomes = await listLastOutcomes(database.people, org_id, channel_ids)
  return new Map(outcomes.map((outcome) => [outcome.channel_id, outcome]))
}

/** An org's newest hundred deliveries, newest first, for operators. */
export async function readDeliveries({ database }: Pick<Deps, 'database'>, org_id: number): Promise<DeliveryRow[]> {
  if (!(await findOrganisation(database.people, org_id)))
    throw new DomainError('missing', 'no organisation with that id')
  return listDeliveries(database.people, org_id, NEWEST)
}
