// What the demo's history is written with.
import type { Transaction } from 'kysely'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import type { Tables } from '../../packages/server/dist/store/tables.js'

/** The name of the demo's organisation. */
export const DEMO_NAME = 'Demo'

export interface Filling {
  trx: Transaction<Tables>
  deps: Deps
  /** Milliseconds since the Unix epoch. */
  now: number
  /** When the history begins. */
  began: number
  org_id: number
  channel_id: number
  monitor_ids: readonly string[]
  guids: readonly string[]
  heartbeat_guids: readonly string[]
}
