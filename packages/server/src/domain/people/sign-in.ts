// Signing in, and founding organisations.
import { countOwned, insertMember, insertOrganisation } from '../../store/accounts/organisations.ts'
import { findCredentials, lockCredentials } from '../../store/accounts/people.ts'
import { type Actor, recordDeed } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable, requireName } from '../text.ts'
import { newDevice } from './device.ts'
import { holds } from './password.ts'
import { isPassword } from './person.ts'
import { openSession, type SignedIn } from './sessions.ts'

/** How many orgs on the free plan a person may own. */
const MOST_FREE = 5

/** A session for whoever knows the password. Unknown, wrong, disabled and without a password are all one refusal. */
export async function signIn(deps: Deps, email: string, password: string): Promise<SignedIn> {
  const person =
    email.length <= 254 && isStorable(email) ? await findCredentials(deps.database.people, email) : undefined
  const isRight = await isPassword(person?.password_hash, password)
  const password_hash = person?.password_hash
  if (!person || !isRight || !password_hash) throw isWrong()
  return deps.database.people.transaction().execute(async (trx) => {
    // Whoever changes the password ends the sessions: one that was proved by the old password must be among them, or none.
    if (!(await holds(trx, person))) throw isWrong()
    const session = await openSession(deps, person.person_id, undefined, trx)
    return { session, device: newDevice(deps.random, password_hash) }
  })
}

function isWrong(): DomainError {
  return new DomainError('unauthenticated', 'the address or the password is wrong')
}

/** Another org of the same person, on the free plan, of which they may own a few. */
export async function foundOrganisation(deps: Deps, by: Actor, org_name: string): Promise<number> {
  const name = requireName('org_name', org_name)
  return deps.database.people.transaction().execute(async (trx) => {
    // Held, so that of many founded at once each sees those before it.
    await lockCredentials(trx, by.person_id)
    if ((await countOwned(trx, by.person_id, 'free')) >= MOST_FREE) {
      const line = `you own ${MOST_FREE} organisations on the free plan, and that is as many as may be`
      throw new DomainError('invalid', line)
    }
    const org_id = await insertOrganisation(trx, { name, plan: 'free' })
    await insertMember(trx, { org_id, person_id: by.person_id, is_owner: true })
    await recordDeed(trx, deps, by, { org_id, action: 'organisation.create', subject: name })
    return org_id
  })
}
