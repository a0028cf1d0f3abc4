// Uploads share what stores them: whoever sends many at once waits for themselves, and syncs and other organisations do not.
import type { Caller } from '../../domain/monitors/monitor.ts'
import { FairQueue } from '../fair-queue.ts'
import type { Connection } from '../implement.ts'
import { Places } from '../places.ts'

export interface UploadBounds {
  /** Uploads under way, those included that wait for others. Organisations have fair shares of them. */
  places: number
  /** Uploads of one monitor under way. */
  of_monitor: number
  /** Uploads that are stored at once: each holds a connection, often while it waits for another of the same check. */
  at_once: number
  /** Those of one organisation. */
  of_org: number
}

/** An agent sends one after the other. One that gave up waiting may still be under way when it comes again. */
const OF_MONITOR = 8
/** Most servers have one organisation, and it has many monitors: alone, it has nearly half of the places. */
const SHARE = 1
/** Uploads under way for each connection to the database. */
const PLACES = 6

/** A quarter of the connections is left for what else agents and jobs ask, and half of them for other organisations. */
export function uploadBoundsFor(pool_size: number): UploadBounds {
  const part = (share: number) => Math.max(1, Math.floor(pool_size * share))
  return { places: PLACES * pool_size, of_monitor: OF_MONITOR, at_once: part(3 / 4), of_org: part(1 / 2) }
}

export class Uploads {
  readonly #places: Places
  readonly #queue: FairQueue

  /** `onExcess`: told of each upload that is refused since its monitor or organisation has its share already. */
  constructor({ places, of_monitor, at_once, of_org }: UploadBounds, onExcess: () => void) {
    this.#places = new Places({ places, of_caller: of_monitor, share: SHARE, onExcess })
    this.#queue = new FairQueue({ at_once, of_client: of_org })
  }

  /** Takes a place until the answer is over, before the body is read. */
  take(caller: Caller, connection: Connection): void {
    this.#places.take({ caller: caller.id, owner: ownerOf(caller) }, connection)
  }

  /** Stores an upload when it is its organisation's turn. */
  store<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const owner = ownerOf(caller)
    return this.#queue.run({ network: owner, client: owner }, work)
  }
}

/** Whose turn it is: the organisation's. The monitors of the shared fleet belong to nobody, and take turns by themselves. */
function ownerOf({ id, org_id }: Caller): string {
  return org_id === null ? `fleet ${id}` : `org ${org_id}`
}
