// Decides which dependencies a check may have.
import { isDependable, listDependencies } from '@dogwatch/store/checks/dependencies'
import type { Trx } from '@dogwatch/store/database'
import { FieldError } from '../errors.ts'

/** Refuses a dependency that is neither a check of the organisation nor a monitor. */
export async function requireDependable(trx: Trx, org_id: number, at: string, named: string): Promise<void> {
  if (named === '' || (await isDependable(trx, org_id, named))) return
  throw new FieldError(
    'invalid',
    `${at}.depends_on`,
    'must be the guid of an existing check or the id of an existing monitor',
  )
}

/**
 * Refuses checks that depend on themselves, directly or through others. The caller has locked the organisation and stored the
 * checks.
 */
export async function refuseCircles(trx: Trx, org_id: number, at: string): Promise<void> {
  const on = new Map((await listDependencies(trx, org_id)).map(({ guid, depends_on }) => [guid, depends_on]))
  if (isCircular(on)) throw new FieldError('invalid', `${at}.depends_on`, 'must not create a circular dependency')
}

/** Whether any chain of dependencies contains a circle. */
export function isCircular(on: ReadonlyMap<string, string>): boolean {
  const done = new Set<string>()
  for (const start of on.keys()) {
    const path = new Set<string>()
    let at: string | undefined = start
    while (at !== undefined && !done.has(at)) {
      if (path.has(at)) return true
      path.add(at)
      at = on.get(at)
    }
    for (const guid of path) done.add(guid)
  }
  return false
}
