// Sets up a fresh server, once: the first person becomes its admin and owns the first organisation.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import { updatePerson } from '@dogwatch/store/accounts/people'
import {
  deleteSetUpLinks,
  findSetUpState,
  hasSetUpLink,
  insertSetUpLink,
  updateFirstOrganisation,
  updateSetUpByLink,
} from '@dogwatch/store/accounts/server-set-up'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import type { DefaultPlan } from '../organisations/plans.ts'
import { requireEmail } from './person.ts'
import type { SignedIn } from './sessions.ts'
import { createAccount, type SignUp } from './sign-up.ts'

const OPEN_MS = 86_400_000

export async function isServerSetUp({ database }: Pick<Deps, 'database'>): Promise<boolean> {
  return (await findSetUpState(database.people)).is_done
}

/**
 * Creates a link that lets the first person set the server up within a day. Returns undefined once it is set up. Ends the earlier
 * links of `printed_by`, host and port of the process. Any process accepts the links of all.
 */
export async function createSetUpLink(deps: Deps, printed_by: string): Promise<string | undefined> {
  const token = newToken('setup', deps.random)
  const now = deps.clock.now()
  const expires_at = fromDate(new Date(now.getTime() + OPEN_MS))
  const row = { token_hash: hashToken(token), created_at: fromDate(now), expires_at, printed_by }
  return (await insertSetUpLink(deps.database.people, row)) ? token : undefined
}

/** Refuses a link that is unknown or too old, and every link once the server is set up. All of these look alike. */
export async function requireSetUpLink(deps: Deps, token: string): Promise<void> {
  const now = fromDate(deps.clock.now())
  const isOpen = looksLikeToken('setup', token) && (await hasSetUpLink(deps.database.people, hashToken(token), now))
  if (!isOpen) throw noSuchLink()
}

/** Creates the admin of this server and their organisation, and signs them in. */
export async function setUpServer(deps: Deps, token: string, wanted: SignUp, plan: DefaultPlan): Promise<SignedIn> {
  await requireSetUpLink(deps, token)
  requireEmail('email', wanted.email)
  return createAccount(deps, wanted, plan, {
    taken: addressTaken,
    before: async (trx) => {
      if (!(await updateSetUpByLink(trx, hashToken(token), fromDate(deps.clock.now())))) throw noSuchLink()
      await deleteSetUpLinks(trx)
    },
    after: async (trx, { person_id, org_id }) => {
      await updatePerson(trx, person_id, { is_admin: true })
      await updateFirstOrganisation(trx, org_id)
      deps.log.info({ org_id }, 'the server is set up')
    },
  })
}

function addressTaken(): DomainError {
  return new DomainError(
    'conflict',
    'an account with this address already exists; use another address or delete the existing account first',
  )
}

function noSuchLink(): DomainError {
  return new DomainError(
    'missing',
    'this setup link is invalid or has expired; sign in if the server is already set up, otherwise restart the server to print a new link',
  )
}
