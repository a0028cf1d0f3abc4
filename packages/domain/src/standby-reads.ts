// Decides where the account API reads: from a standby while it is close behind, otherwise from the primary.
import { isElsewhere, isUndoneByStandby } from '@dogwatch/runtime/database-faults'
import type { Deps } from './deps.ts'

/** Function that calls `read` with the deps to read from, perhaps twice. So `read` must change nothing. */
export type StandbyReads = <Answer>(read: (deps: Deps) => Promise<Answer>) => Promise<Answer>

/**
 * Opens the reads of one reader. If a read fails at the standby because it is a standby, repeats it at the primary, and reads
 * there from then on, so that no later page knows less than an earlier one.
 */
export function openStandbyReads(deps: Deps): StandbyReads {
  const { standby } = deps.database
  let source = standby ? { ...deps, database: standby.database } : deps
  return async (read) => {
    if (source === deps || !standby) return read(deps)
    if (standby.isClose()) {
      try {
        return await read(source)
      } catch (error) {
        if (!isElsewhere(error)) throw error
        if (!isUndoneByStandby(error)) standby.leave(error)
      }
    }
    source = deps
    return read(deps)
  }
}
