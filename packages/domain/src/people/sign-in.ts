// Signs people in, and creates further organisations for them.
import { countOwned } from '@dogwatch/store/accounts/organisations'
import { findCredentials, lockCredentials } from '@dogwatch/store/accounts/people'
import type { Actor } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { insertOwned } from '../organisations/organisation.ts'
import { type DefaultPlan, startOn } from '../organisations/plans.ts'
import { isStorable, requireName } from '../text.ts'
import { completeSignIn, type SignInStep } from './complete-sign-in.ts'
import { holds } from './password.ts'
import { isPassword } from './person.ts'
import type { SessionOrigin } from './sessions.ts'

/** Maximum number of organisations on the plan of new organisations that a person can own if they create them themselves. */
const MOST_FOUNDED = 5

/**
 * Signs in a person who knows the password, or requests a code. An unknown address, a wrong password, a disabled account and one
 * without a password get the same refusal.
 */
export async function signIn(
  deps: Deps,
  email: string,
  password: string,
  beginning: SessionOrigin = {},
): Promise<SignInStep> {
  const person =
    email.length <= 254 && isStorable(email) ? await findCredentials(deps.database.people, email) : undefined
  const isRight = await isPassword(person?.password_hash, password)
  if (!person || !isRight) throw wrongCredentials()
  return deps.database.people.transaction().execute(async (trx) => {
    // Changing the password ends all sessions. A session that the old password proved must be among them, or not exist.
    if (!(await holds(trx, person))) throw wrongCredentials()
    return completeSignIn(trx, deps, person.person_id, beginning)
  })
}

function wrongCredentials(): DomainError {
  return new DomainError('unauthenticated', 'incorrect email or password; try again')
}

/** Creates another organisation of the same person, on the plan of new organisations. A person may own a few on this plan. */
export async function foundOrganisation(
  deps: Deps,
  by: Actor,
  org_name: string,
  default_plan: DefaultPlan,
): Promise<number> {
  const name = requireName('org_name', org_name)
  const start = startOn(default_plan)
  return deps.database.people.transaction().execute(async (trx) => {
    // Locked, so that simultaneous requests each see the organisations of earlier ones.
    await lockCredentials(trx, by.person_id)
    if ((await countOwned(trx, by.person_id, start.plan)) >= MOST_FOUNDED) {
      const line = `you already own ${MOST_FOUNDED} organisations on the ${start.plan} plan, which is the maximum`
      throw new DomainError('invalid', line)
    }
    return insertOwned(trx, deps, { name, ...start }, by.person_id, by)
  })
}
