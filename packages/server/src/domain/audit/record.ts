// Records who changed what, in the transaction that changed it.
import { fromDate } from '../../runtime/timestamps.ts'
import { insertAuditEntry } from '../../store/accounts/audit.ts'
import type { Db } from '../../store/database.ts'
import type { Deps } from '../deps.ts'

/** A person who does something in a browser. */
export interface Actor {
  person_id: number
  email: string
  /** The admin who impersonates them. */
  impersonator_email: string | null
}

export interface Deed {
  org_id: number
  /** `check.create` */
  action: string
  /** The name of what was changed, as people know it. */
  subject: string
  check_id?: number
  /** Further details; never a secret. */
  detail?: Record<string, unknown>
}

/** How entries name somebody at the command line. No email address looks like it. */
const OPERATOR = 'operator'

/** How entries name the service itself. No email address looks like it, either. */
export const SERVICE = 'dogwatch'

/** Without an actor, an operator did it. */
export async function recordDeed(
  db: Db,
  deps: Pick<Deps, 'clock'>,
  actor: Actor | typeof SERVICE | undefined,
  deed: Deed,
): Promise<void> {
  await insertAuditEntry(db, {
    detail: {},
    ...deed,
    created_at: fromDate(deps.clock.now()),
    ...namesOf(actor),
  })
}

function namesOf(actor: Actor | typeof SERVICE | undefined): { actor: string; impersonator: string | null } {
  if (actor === undefined || actor === SERVICE) return { actor: actor ?? OPERATOR, impersonator: null }
  return { actor: actor.email, impersonator: actor.impersonator_email }
}
