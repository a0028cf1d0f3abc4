// Where the account API reads: at a standby while that is close behind, else at the primary.
import { isElsewhere, isUndoneByStandby } from '../runtime/database-faults.ts'
import type { Deps } from './deps.ts'

/** Reads with the deps that it is given, which may be twice: it changes nothing. */
export type StandbyReads = <Answer>(read: (deps: Deps) => Promise<Answer>) => Promise<Answer>

/**
 * One reader's way: what fails at the standby for the standby's sake is read at the primary, and so is all that comes after, so that no
 * later page knows less than an earlier one.
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
