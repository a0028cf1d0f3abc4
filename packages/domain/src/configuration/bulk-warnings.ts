// Builds the warnings about stored checks that some of their monitors cannot run.
import { type AbilitiesRow, listAbilities } from '@dogwatch/store/monitors/monitors'
import { ableWords } from '../checks/able.ts'
import type { Deps } from '../deps.ts'
import type { BulkChange, Outcome } from './bulk-changes.ts'
import type { ConfiguredCheck } from './checks.ts'

/** Returns the warnings of created and replaced checks, by position in the request. */
export async function listWarnings(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  changes: readonly BulkChange[],
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<number, string>> {
  const stored = outcomes.filter(
    ({ index, action, after }) => changes[index]?.kind === 'check' && action !== 'unchanged' && after !== undefined,
  )
  if (stored.length === 0) return new Map()
  const monitors = await listAbilities(database.people, org_id)
  return new Map(
    stored.flatMap(({ index, after }) => {
      const { check, ...choice } = after as ConfiguredCheck
      const its = monitors.filter((monitor) => isIts(monitor, check.restricted, choice))
      const words = ableWords(check, its)
      return words === undefined ? [] : [[index, `monitors: ${words}`] as const]
    }),
  )
}

/** Whether a monitor belongs to the choice of a check. */
function isIts(
  { id, is_shared }: AbilitiesRow,
  is_restricted: boolean,
  { all_monitors, monitors }: Pick<ConfiguredCheck, 'all_monitors' | 'monitors'>,
): boolean {
  return all_monitors ? !(is_shared && is_restricted) : monitors.includes(id)
}
