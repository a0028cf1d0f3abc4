// Writes sealed hours back as rows, for servers of versions that do not read them.

import { UnreachableDatabase } from '@dogwatch/runtime/database-faults'
import { sql, type Transaction } from 'kysely'
import type { CheckKey } from '../../check-keys.ts'
import type { Tables } from '../../tables.ts'
import { type AskNode, forEachOrg } from '../nodes/layout.ts'
import { COLUMNS, constant, idsOf, RUNS, unsealedOf } from './fragments.ts'

/**
 * Writes the results of some checks in the sealed hours of a span into `results`, where some might still be. Returns how many
 * were missing there.
 */
export function insertUnsealed(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  from: string,
  until: string,
): Promise<number> {
  return forAll(trx, keys, async (ask, some, org_id) => {
    const sealed = sql`
      select s.* from sealed_hours s
      where s.org_id = ${constant(org_id)} and s.check_id = any(${idsOf(some)})
        and s.since >= ${from}::timestamptz and s.since < ${until}::timestamptz`
    const { changed } = await ask(sql`
      insert into results (${COLUMNS})
      select ${COLUMNS} from (${unsealedOf(sealed)}) u
      order by org_id, check_id, ran_at, monitor_id
      on conflict do nothing`)
    return changed
  })
}

/**
 * Moves the late results of some checks into `results`, and returns how many. No process adds further ones at this point. The
 * caller must hold the lock of the progress.
 */
export function moveReopened(trx: Transaction<Tables>, keys: readonly CheckKey[]): Promise<number> {
  return forAll(trx, keys, async (ask, some, org_id) => {
    const its = sql`r.org_id = ${constant(org_id)} and r.check_id = any(${idsOf(some)})`
    await ask(sql`
      insert into results (${COLUMNS}) select ${RUNS} from reopened_results r where ${its}
      order by r.org_id, r.check_id, r.ran_at, r.monitor_id on conflict do nothing`)
    return (await ask(sql`delete from reopened_results r where ${its}`)).changed
  })
}

/** Runs work for each organisation, and returns the sum of its results. Throws if a node does not respond. */
async function forAll(
  trx: Transaction<Tables>,
  keys: readonly CheckKey[],
  work: (ask: AskNode, some: readonly CheckKey[], org_id: number) => Promise<number>,
): Promise<number> {
  let done = 0
  const away = await forEachOrg(trx, keys, async (...given) => {
    done += await work(...given)
  })
  if (away.size === 0) return done
  throw new UnreachableDatabase(
    new Error('a database node does not respond; run dogwatch results unseal again when all nodes respond'),
  )
}
