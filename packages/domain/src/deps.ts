// Lists the dependencies of all use cases. Nothing else comes from outside.
import type { Clock } from '@dogwatch/runtime/clock'
import type { Log } from '@dogwatch/runtime/log'
import type { Random } from '@dogwatch/runtime/random'
import type { Database } from '@dogwatch/store/database'
import type { Bounds } from './limits/bounds.ts'
import type { HoldSource } from './routing/hold.ts'

export interface Deps {
  database: Database
  clock: Clock
  random: Random
  log: Log
  /** Bounds of the installation. Default: those of `limits/bounds.ts`. */
  bounds?: Bounds
  /** Minimum number of results that a batch stores by COPY. Default: the number at which COPY costs less (results/store-batch.ts). */
  copies_from?: number
  /** Sources of holds on alerts. Default: all of them. */
  hold_sources?: readonly HoldSource[]
  /** Whether this server has no mail server. In that case, the configuration API refuses to create channels that send email. */
  lacks_mail?: boolean
}
