// The dependencies of every use case: nothing else comes from outside.
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
  /** Left out: the defaults. */
  bounds?: Bounds
  /** Whether this process seals hours of results that are over. By default: if the installation began with a build that can. */
  seals_hours?: boolean | 'by default'
  /** From how many results on a batch is stored by COPY. Left out: from where that costs less (results/ingest.ts). */
  copies_from?: number
  /** What may hold alerts back. Left out: all that there is. */
  hold_sources?: readonly HoldSource[]
  /** Inside a larger transaction: nothing is committed when a use case returns. */
  is_joined?: boolean
  /** Inside a larger transaction: what is done once it is committed, each of them once. Nobody is told when it fails. */
  after_commit?: Set<(deps: Deps) => Promise<unknown>>
  /** This server has no mail server: channels that send mail cannot be created by scripts. */
  lacks_mail?: boolean
  /**
   * Whether the caller may not learn if a secret that it gives is the one that is stored. `is_change`: each secret of a check that is spelled out
   * counts as a change, so that a plan says what carrying it out may do.
   */
  hides_secrets?: { channels: boolean; checks: boolean; is_change: boolean }
  /** What was tried of channels before anything was locked. Given, nothing else is tried. */
  tried?: Pick<TriedDestinations, keyof TriedDestinations>
}
