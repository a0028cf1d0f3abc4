// Reads an organisation's checks and their results for the account API and pages.
import { hideSecrets } from '@dogwatch/check-rules/secrets'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import { type CheckRow, findCheck, listChecks } from '@dogwatch/store/checks/checks'
import { listResults, type Position, type ResultRow, START } from '@dogwatch/store/results/result-pages'
import { listNamed } from '@dogwatch/store/routing/subjects'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { toStorable } from '../text.ts'
import { readCheckStates } from './overview.ts'
import { type StateSince, stateWithResult } from './state.ts'

export type { CheckRow }

export const PAGE_SIZE = 500

/** Reads an organisation's checks with their secrets, oldest first. */
export async function readChecks({ database }: Pick<Deps, 'database'>, org_id: number): Promise<CheckRow[]> {
  return listChecks(database.people, org_id)
}

/** Reads the same as {@link readChecks} for an operator. Throws DomainError if the organisation does not exist. */
export async function exportChecks({ database }: Pick<Deps, 'database'>, org_id: number): Promise<CheckRow[]> {
  if (!(await findOrganisation(database.people, org_id)))
    throw new DomainError('missing', 'no organisation with that id')
  return listChecks(database.people, org_id)
}

/**
 * Reads a check of the organisation without its secrets. A check of another organisation is as unknown as one that does not
 * exist.
 */
export async function readOneCheck(deps: Pick<Deps, 'database'>, org_id: number, guid: string): Promise<CheckRow> {
  return hideSecrets(await readWholeCheck(deps, org_id, guid))
}

/** Reads the same as {@link readOneCheck}, with the secrets of the check. */
export async function readWholeCheck(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  guid: string,
): Promise<CheckRow> {
  // No check has a guid that the database cannot store.
  const check = toStorable(guid) === guid ? await findCheck(database.people, org_id, guid) : undefined
  if (!check) throw new DomainError('missing', 'no check with that guid')
  return check
}

/** Reads the guids and names of an organisation's other checks, by name. */
export async function readOtherChecks(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  own: string | undefined,
): Promise<{ guid: string; name: string }[]> {
  const named = await listNamed(database.people, org_id)
  return named.filter(({ kind, guid }) => kind === 'check' && guid !== own)
}

export interface CheckWithState {
  check: CheckRow
  /** State of the check. Undefined for a check that was created while the states were read. */
  state: StateSince | undefined
}

/** Reads an organisation's checks with their secrets, oldest first, and the state of each. */
export async function readChecksWithStates(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
): Promise<CheckWithState[]> {
  const [checks, states] = await Promise.all([readChecks(deps, org_id), readStates(deps, org_id)])
  return checks.map((check) => ({ check, state: states.get(check.check_id) }))
}

/** Reads the same as {@link readChecksWithStates} for one check. */
export async function readCheckWithState(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  guid: string,
): Promise<CheckWithState> {
  const check = await readWholeCheck(deps, org_id, guid)
  return { check, state: (await readStates(deps, org_id, check.check_id)).get(check.check_id) }
}

async function readStates(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  check_id?: number,
): Promise<Map<number, StateSince>> {
  const states = await readCheckStates(database, org_id, clock.now(), check_id === undefined ? undefined : [check_id])
  return new Map(states.map((row) => [row.check_id, stateWithResult(row)]))
}

/** Cursor from a request. `after` is an RFC 3339 date-time, and inclusive if `after_monitor` is absent. */
export interface Cursor {
  after?: string
  after_monitor?: string
}

/** Reads one page of a check's results, oldest first. */
export async function readResults(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  guid: string,
  cursor: Cursor,
): Promise<ResultRow[]> {
  const { check_id, result_detail_max_chars } = await readOneCheck(deps, org_id, guid)
  return listResults(deps.database, { org_id, check_id, result_detail_max_chars }, toPosition(cursor), PAGE_SIZE)
}

function toPosition({ after, after_monitor = '' }: Cursor): Position {
  if (after === undefined) return START
  return { ran_at: toMicroseconds(after), monitor_id: toStorable(after_monitor) }
}
