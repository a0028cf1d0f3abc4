// Where the account API reads: from a standby while it is close behind, else from the primary.
import { isElsewhere, isUndoneByStandby } from '../runtime/database-faults.ts'
import type { Deps } from './deps.ts'

/** Calls `read` with the deps to read from, perhaps twice: it must change nothing. */
export type StandbyReads = <Answer>(read: (deps: Deps) => Promise<Answer>) => Promise<Answer>

/**
 * For one reader. When a read fails at the standby because it is a standby, it is repeated at the primary, and so is
 * everything after it, so that no later page knows less than an earlier one.
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
