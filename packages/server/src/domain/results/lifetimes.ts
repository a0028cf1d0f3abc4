// Notes the lifetimes of certificates, for checks that warn by the share of it that is left.
import { updateLifetimes } from '../../store/checks/lifetimes.ts'
import type { Database } from '../../store/database.ts'
import type { Deps } from '../deps.ts'

/** Result with the validity of a certificate. Times are RFC 3339. */
interface CertifiedResult {
  check_guid: string
  cert_issued_at?: string | undefined
  cert_expires_at?: string | undefined
}

const DAY_MS = 86_400_000
/** Maximum lifetime that is noted, in days. */
const LIFETIME_MAX_DAYS = 36_500

/** Lifetimes that this process has noted, by database, monitor and check. They change only with a certificate. */
const noted = new WeakMap<Database, Map<string, number>>()
const NOTED_MAX = 100_000

/** Stores the lifetimes that are new. Only results of checks with `cert_warn_percent` have one, so most batches cost nothing. */
export async function noteLifetimes(
  { database }: Pick<Deps, 'database'>,
  monitor: { id: string },
  uploads: readonly CertifiedResult[],
): Promise<void> {
  const known = noted.get(database) ?? new Map<string, number>()
  noted.set(database, known)
  const changed = new Map<string, number>()
  for (const { check_guid, cert_issued_at, cert_expires_at } of uploads) {
    if (cert_issued_at === undefined || cert_expires_at === undefined) continue
    const days = Math.round((Date.parse(cert_expires_at) - Date.parse(cert_issued_at)) / DAY_MS)
    if (days > 0 && days <= LIFETIME_MAX_DAYS && known.get(`${monitor.id} ${check_guid}`) !== days)
      changed.set(check_guid, days)
  }
  if (changed.size === 0) return
  await updateLifetimes(database.machines, monitor.id, changed)
  if (known.size > NOTED_MAX) known.clear()
  for (const [guid, days] of changed) known.set(`${monitor.id} ${guid}`, days)
}
