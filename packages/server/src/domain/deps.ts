// Lists the dependencies of all use cases. Nothing else comes from outside.
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Database } from '../store/database.ts'
import type { TriedDestinations } from './channels/tried.ts'
import type { Bounds } from './limits/bounds.ts'
import type { HoldSource } from './routing/hold.ts'

export interface Deps {
  database: Database
  clock: Clock
  random: Random
  log: Log
  /** Bounds of the installation. Default: those of `limits/bounds.ts`. */
  bounds?: Bounds
  /**
   * Whether this process seals hours of results that are over. Default: true if the installation began with a version that can.
   */
  seals_hours?: boolean | 'by default'
  /** Minimum number of results that a batch stores by COPY. Default: the number at which COPY costs less (results/ingest.ts). */
  copies_from?: number
  /** Sources of holds on alerts. Default: all of them. */
  hold_sources?: readonly HoldSource[]
  /** Whether the use case runs inside a larger transaction, which is not yet committed when the use case returns. */
  is_joined?: boolean
  /** Functions to run once each after the larger transaction is committed. The caller does not learn of their failures. */
  after_commit?: Set<(deps: Deps) => Promise<unknown>>
  /** Whether this server has no mail server. Scripts cannot create channels that send email then. */
  lacks_mail?: boolean
  /**
   * Whether to hide from the caller that a given secret equals the stored one. `is_change`: each secret of a check that the
   * caller spells out counts as a change, so that a plan shows what its execution can do.
   */
  hides_secrets?: { channels: boolean; checks: boolean; is_change: boolean }
  /** Outcomes of trying channels before anything was locked. If present, no other destination is tried. */
  tried?: Pick<TriedDestinations, keyof TriedDestinations>
}
