// Reads the delivery log for the configuration API.
import { readOneCheck } from '../checks/read.ts'
import type { Deps } from '../deps.ts'
import {
  type DeliveryPage,
  type LoggedDelivery,
  type LogPlace,
  placeAt,
  readDelivery,
  readDeliveryLog,
} from '../events/delivery-log.ts'
import { CHANNEL } from './channels.ts'
import { resolveReference } from './keys.ts'
import { numberOf, type Page, unknownCursor } from './kind.ts'

export interface DeliveriesWanted extends Pick<Page, 'limit' | 'after'> {
  channel: string | undefined
  check: string | undefined
  incident: string | undefined
  state: LoggedDelivery['state'] | undefined
}

/** Returns a page of the delivery log, newest first. Throws DomainError if a named channel or check does not exist. */
export async function readDeliveries(
  deps: Deps,
  org_id: number,
  { limit, after, channel, check, incident, state }: DeliveriesWanted,
): Promise<DeliveryPage> {
  const before = after === undefined ? undefined : cursorPosition(after)
  const channel_id = channel === undefined ? undefined : (await CHANNEL.read(deps, org_id, channel)).id
  const check_id = check === undefined ? undefined : await checkIdOf(deps, org_id, check)
  return readDeliveryLog(deps, org_id, { channel_id, check_id, incident_id: incident, state, before, limit })
}

/** Returns the position of a cursor. Throws DomainError if the text is no cursor. */
function cursorPosition(cursor: string): LogPlace {
  const position = placeAt(cursor)
  if (!position) throw unknownCursor()
  return position
}

export async function readOneDelivery(deps: Deps, org_id: number, id: string): Promise<LoggedDelivery> {
  return readDelivery(deps, org_id, numberOf(id))
}

async function checkIdOf(deps: Deps, org_id: number, reference: string): Promise<number> {
  const guid = await resolveReference(deps.database.people, org_id, 'check', reference)
  return (await readOneCheck(deps, org_id, guid)).check_id
}
