// Writing down who changed what, in the transaction that changed it.
import { fromDate } from '../../runtime/timestamps.ts'
import { insertAuditEntry } from '../../store/accounts/audit.ts'
import type { Db } from '../../store/database.ts'
import type { Deps } from '../deps.ts'

/** Who does something in a browser. */
export interface Actor {
  person_id: number
  email: string
  /** The admin behind the actor's face. */
  impersonator_email: string | null
}

export interface Deed {
  org_id: number
  /** `check.create` */
  action: string
  /** What it is done to, as people name it. */
  subject: string
  check_id?: number
  /** What else is worth knowing; never a secret. */
  detail?: Record<string, unknown>
}

/** As entries name whoever does something at the command line. No address is like it. */
const OPERATOR = 'operator'

/** What the service does by itself. No address is like it, either. */
export const SERVICE = 'dogwatch'

/** Without an actor it is an operator who does it. */
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
