// Shares the slots for storing uploads. A monitor or organisation that sends many at once waits for itself, while syncs
// and other organisations do not wait for it.
import type { Caller } from '../../domain/monitors/monitor.ts'
import { FairQueue, type Origin } from '../../runtime/fair-queue.ts'
import type { Connection } from '../implement.ts'
import { Places } from '../places.ts'
import { type Place, SMALL_BYTES } from '../shares.ts'

export interface UploadBounds {
  /**
   * Maximum number of uploads in progress, including those that wait for others. Four small ones count as one. Organisations get
   * fair shares.
   */
  places: number
  /** Maximum number of uploads of one monitor in progress. */
  of_monitor: number
  /**
   * Maximum number of uploads that are stored at once. Each has a connection, often while it waits for another upload of the same
   * check.
   */
  at_once: number
  /** Maximum number of uploads of one organisation that are stored at once. */
  of_org: number
}

/**
 * Maximum number of uploads of one monitor. An agent sends one after the other, but one that it gave up can still be in progress
 * when it retries.
 */
const OF_MONITOR = 8
/**
 * Share of the free slots for one organisation. Most servers have one organisation with many monitors, so alone it gets nearly
 * half.
 */
const SHARE = 1
/** Uploads in progress for each connection to the database. */
const PLACES = 6
/**
 * Returns the limits for a pool size. A quarter of the connections stays free for other requests of agents and jobs, and half of
 * them for other organisations.
 */
export function uploadBoundsFor(pool_size: number): UploadBounds {
  const part = (share: number) => Math.max(1, Math.floor(pool_size * share))
  return { places: PLACES * pool_size, of_monitor: OF_MONITOR, at_once: part(3 / 4), of_org: part(1 / 2) }
}

export class Uploads {
  readonly #places: Places
  readonly #taken = new WeakMap<Connection, Place>()
  readonly #queue: FairQueue

  /**
   * Creates the slots. `onExcess` runs for each upload that is refused because its monitor or organisation has its share already.
   */
  constructor({ places, of_monitor, at_once, of_org }: UploadBounds, onExcess: () => void) {
    this.#places = new Places({ places, of_caller: of_monitor, share: SHARE, onExcess })
    this.#queue = new FairQueue({ at_once, of_client: of_org })
  }

  /**
   * Occupies a slot until the response is complete, before the body is read. A whole slot at first, because a compressed body can
   * unpack to a megabyte, and that many are unpacked at once.
   */
  take(caller: Caller, connection: Connection): void {
    this.#taken.set(connection, this.#places.take({ caller: caller.id, owner: ownerOf(caller) }, connection))
  }

  /** Stores an upload when it is the turn of its organisation. An agent that gives up before sends it again. */
  store<T>(caller: Caller, connection: Connection, work: () => Promise<T>): Promise<T> {
    const isSmall = connection.bodySize() <= SMALL_BYTES
    if (isSmall) this.#taken.get(connection)?.shrink()
    connection.lineUp(isSmall)
    return this.#queue.run(turnOf(caller), work, { given_up: connection.closed() })
  }
}

/** Returns the origin of a monitor's request in a queue. */
export function turnOf(caller: Caller): Origin {
  const owner = ownerOf(caller)
  return { group: owner, client: owner }
}

/** Returns the organisation of a monitor. Each monitor of the shared fleet takes turns by itself. */
export function ownerOf({ id, org_id }: Pick<Caller, 'id' | 'org_id'>): string {
  return org_id === null ? `fleet ${id}` : `org ${org_id}`
}
