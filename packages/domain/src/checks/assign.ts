// Assigns checks to monitors, and removes assignments.
import { isTargetOfServer } from '@dogwatch/check-rules/schemes'
import { assign, unassign } from '@dogwatch/store/checks/assignments'
import { type CheckPlace, tick, updateChecksAlike } from '@dogwatch/store/checks/checks'
import type { MonitorsOfCheck } from '@dogwatch/store/checks/configured-checks'
import type { Trx } from '@dogwatch/store/database'
import { listMonitorOwners } from '@dogwatch/store/monitors/monitors'
import { recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { FieldError } from '../errors.ts'
import { findLiveCheck } from './pause-delete-wipe.ts'

/** Ids of monitors, `all` monitors including ones added later, or `none`. */
export type MonitorChoice = readonly string[] | 'all' | 'none'

/** Returns the monitors of a check in the form of a choice. */
export function choiceOf({
  all_monitors,
  monitors,
}: Pick<MonitorsOfCheck, 'all_monitors' | 'monitors'>): MonitorChoice {
  if (all_monitors) return 'all'
  return monitors.length === 0 ? 'none' : monitors
}

/** Refuses monitors that are selected for a check that the server judges. */
export function requireNoneSelected(at: string, url: string, monitors: MonitorChoice | undefined): void {
  if (typeof monitors !== 'object' || monitors.length === 0 || !isTargetOfServer(url)) return
  throw new FieldError('invalid', `${at}monitors`, 'must be omitted, because the server judges this check')
}

/** Returns the choice that is stored for a check. A check that the server judges has no monitors, whatever the caller chose. */
export function storedChoice(url: string, monitors: MonitorChoice): MonitorChoice {
  return isTargetOfServer(url) ? 'all' : monitors
}

/** Whether two choices contain the same monitors, in any order. */
export function isSameChoice(one: MonitorChoice, other: MonitorChoice): boolean {
  return nameOfChoice(one) === nameOfChoice(other)
}

/** Returns a text that is the same for equal choices. An empty list counts as `none`. */
export function nameOfChoice(choice: MonitorChoice): string {
  if (typeof choice === 'string') return choice
  return choice.length === 0 ? 'none' : JSON.stringify(choice.toSorted())
}

/** Adds monitors to a check. A private monitor accepts only checks of its own organisation. */
export async function assignMonitors(deps: Deps, guid: string, monitors: readonly string[] | 'all'): Promise<void> {
  await change(deps, guid, monitors, 'check.assign')
}

/** Removes monitors from a check. Each learns with its next sync that it must stop. */
export async function unassignMonitors(deps: Deps, guid: string, monitors: readonly string[] | 'all'): Promise<void> {
  await change(deps, guid, monitors, 'check.unassign')
}

/** Assigns or removes monitors for an operator. Members choose monitors when they edit a check. */
async function change(
  deps: Deps,
  guid: string,
  monitors: readonly string[] | 'all',
  action: 'check.assign' | 'check.unassign',
): Promise<void> {
  const isAdding = action === 'check.assign'
  await deps.database.people.transaction().execute(async (trx) => {
    await tick(trx)
    const check = await findLiveCheck(trx, guid)
    const { org_id, check_id, name } = check
    if (monitors === 'all') await updateChecksAlike(trx, org_id, [check_id], { all_monitors: isAdding })
    else await requireMonitors(trx, org_id, monitors, isAdding ? [check] : [])
    await (isAdding ? assign : unassign)(trx, [check], monitors)
    await recordAuditEntry(trx, deps, undefined, { org_id, action, subject: name, check_id, detail: { monitors } })
  })
}

/** Assigns checks of one organisation to exactly these monitors. */
export async function setMonitors(trx: Trx, checks: readonly CheckPlace[], monitors: MonitorChoice): Promise<void> {
  const [first] = checks
  if (!first) return
  const other = checks.filter(({ all_monitors }) => all_monitors !== (monitors === 'all'))
  await updateChecksAlike(
    trx,
    first.org_id,
    other.map(({ check_id }) => check_id),
    { all_monitors: monitors === 'all' },
  )
  if (monitors === 'none') return unassign(trx, checks, 'all')
  if (monitors === 'all') return assign(trx, checks, 'all')
  await requireMonitors(trx, first.org_id, monitors, checks)
  await unassign(trx, checks, { except: monitors })
  await assign(trx, checks, monitors)
}

/** Refuses ids of monitors that the organisation cannot use, and shared monitors for restricted checks. */
export async function requireMonitors(
  trx: Trx,
  org_id: number,
  monitors: readonly string[],
  checks: readonly CheckPlace[] = [],
): Promise<void> {
  const owners = new Map((await listMonitorOwners(trx, monitors)).map((monitor) => [monitor.id, monitor.org_id]))
  for (const id of monitors) {
    const owner = owners.get(id)
    if (owner === undefined || (owner !== null && owner !== org_id)) {
      throw new FieldError(
        'invalid',
        'monitors',
        `must not include ${id.slice(0, 40)}, which is neither one of your own monitors nor a shared monitor`,
      )
    }
    const restricted = owner === null ? checks.find((check) => check.restricted) : undefined
    if (restricted) {
      throw new FieldError(
        'invalid',
        'monitors',
        `must not include the shared monitor ${id}, because check ${restricted.guid} runs only on your own monitors`,
      )
    }
  }
}
