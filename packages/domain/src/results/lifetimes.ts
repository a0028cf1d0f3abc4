// Notes the lifetimes of certificates, for checks that warn by the share of it that is left.
import { updateLifetimes } from '@dogwatch/store/checks/lifetimes'
import type { Database } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'

/** Result with the validity of a certificate. Times are RFC 3339. */
interface CertifiedResult {
  check_guid: string
  cert_issued_at?: string | undefined
  cert_expires_at?: string | undefined
}

/** Maximum lifetime that is noted, in seconds. */
const LIFETIME_MAX_SEC = 36_500 * 86_400

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
    const sec = Math.round((Date.parse(cert_expires_at) - Date.parse(cert_issued_at)) / 1000)
    if (sec > 0 && sec <= LIFETIME_MAX_SEC && known.get(`${monitor.id} ${check_guid}`) !== sec)
      changed.set(check_guid, sec)
  }
  if (changed.size === 0) return
  await updateLifetimes(database.machines, monitor.id, changed)
  if (known.size > NOTED_MAX) known.clear()
  for (const [guid, sec] of changed) known.set(`${monitor.id} ${guid}`, sec)
}
