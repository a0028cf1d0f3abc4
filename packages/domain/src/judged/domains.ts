// Reads the registrations that domain checks watch.
import { readTarget, type TargetOf } from '@dogwatch/check-rules/target'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { JudgedCheck } from '@dogwatch/store/checks/judgements'
import { listRegistrations, putWanted, type RegistrationRow } from '@dogwatch/store/checks/registrations'
import type { Db } from '@dogwatch/store/database'
import { getDomain } from 'tldts'
import type { Deps } from '../deps.ts'
import type { FoundVerdict } from './record.ts'
import { judgeRegistration } from './registration.ts'

export type ShownRegistration = RegistrationRow

/** Returns the name that is registered, such as `example.co.uk` for `www.example.co.uk`. Returns undefined if there is none. */
export function registeredName(name: string): string | undefined {
  // Owners of names such as github.io register them like any other name.
  return getDomain(name, { allowPrivateDomains: false }) ?? undefined
}

interface DomainCase {
  check: JudgedCheck
  target: TargetOf<'domain'>
}

/** Judges domain checks, and records that their names are watched. */
export async function judgeDomains(db: Db, deps: Deps, cases: readonly DomainCase[]): Promise<FoundVerdict[]> {
  if (cases.length === 0) return []
  const now = deps.clock.now()
  const names = new Set(cases.flatMap(({ target }) => registeredName(target.name) ?? []))
  await putWanted(
    db,
    [...names].map((name) => ({ name, tld: name.slice(name.lastIndexOf('.') + 1) })),
    fromDate(now),
  )
  const known = new Map((await listRegistrations(db, [...names])).map((row) => [row.name, row]))
  return cases.map(({ check, target }): FoundVerdict => {
    const name = registeredName(target.name)
    const verdict =
      name === undefined
        ? { state: 'unmonitored' as const, reason: `${target.name} is not a name that can be registered` }
        : judgeRegistration(known.get(name), target, now)
    return { check, verdict, kind: 'registration' }
  })
}

/** Reads the registration that a domain check watches. Returns undefined for other checks, and before it is known. */
export async function readRegistration(
  { database }: Pick<Deps, 'database'>,
  url: string,
): Promise<RegistrationRow | undefined> {
  const target = readTarget(url)
  if ('fault' in target || target.scheme !== 'domain') return undefined
  const [row] = await listRegistrations(database.people, [registeredName(target.name) ?? ''])
  return row
}
