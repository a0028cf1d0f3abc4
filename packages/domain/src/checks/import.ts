// Imports a file of checks into an organisation: all or nothing.
import { newGuid } from '@dogwatch/runtime/ids'
import { Pace } from '@dogwatch/runtime/pace'
import { findOrganisation, lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import {
  type CheckPlace,
  countChecks,
  listCheckPlaces,
  listChecksNamed,
  readSyncClock,
  tickAfter,
} from '@dogwatch/store/checks/checks'
import { insertChecks, type NewCheck, reserveCheckIds } from '@dogwatch/store/checks/many-checks'
import type { Trx } from '@dogwatch/store/database'
import { type Actor, type AuditRecord, recordAuditEntry } from '../audit/record.ts'
import { refuseCircles } from '../dependencies/validate.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireMembersOfFile } from '../judged/require-members.ts'
import { wipeSoon } from '../results/wipe.ts'
import { type MonitorChoice, requireMonitors, setMonitors } from './assign.ts'
import { requirePlanAllows, requireRoom } from './check.ts'
import { withinDefinitionSize } from './definition-size.ts'
import { type FileEntry, readEntries, stepsOfEntry } from './file.ts'
import { requireRestored } from './hidden-secrets.ts'
import { requireFewMade } from './made.ts'
import { requirePatterns } from './patterns.ts'
import { foresee, previewToken, requireFewEntries } from './preview.ts'
import { type ReplacedCheck, replaceChecks } from './replace-many.ts'

/** Consent of a member to the import that a preview showed. */
export interface ImportConsent {
  actor: Actor
  /** Token of the preview. */
  preview: string
}

/** Monitors of the imported checks. With `new`, the checks that are new get all monitors and the others keep theirs. */
export type ImportAssignment = MonitorChoice | 'new'

/**
 * Imports all checks of a file or none, and returns their guids in the file's order. A fault names the entry and the field. With
 * `confirmed`, refuses an import that would not do exactly what the preview said.
 */
export async function importChecks(
  deps: Deps,
  org_id: number,
  file: unknown,
  monitors?: ImportAssignment,
  confirmed?: ImportConsent,
): Promise<{ guids: string[] }> {
  await requireFewEntries(deps.database.people, org_id, file)
  const entries = await readEntries(file)
  await requireRoomBefore(deps, org_id, entries)
  await requirePatterns(entries.map(({ content }) => content))
  const imported = await untilUnchanged((isLast) => carryOut(deps, org_id, { entries, monitors, confirmed, isLast }))
  const guids = imported.guids.filter((_, at) => entries[at]?.content.url === '')
  if (guids.length > 0) await wipeSoon(deps, { org_id, guids })
  return imported
}

/** Refuses an import that the plan does not allow, before any lock, because other requests wait while checks are stored. */
async function requireRoomBefore(deps: Deps, org_id: number, entries: readonly FileEntry[]): Promise<void> {
  const { people } = deps.database
  const organisation = await findOrganisation(people, org_id)
  if (!organisation) return
  const given = entries.flatMap(({ guid }) => (guid === undefined ? [] : [guid]))
  const held = (await listCheckPlaces(people, given)).filter((place) => place.org_id === org_id && !place.deleted)
  for (const [index, { content }] of entries.entries()) requirePlanAllows(`[${index}]`, content, organisation)
  const before = await countChecks(people, org_id)
  requireRoom(organisation, before, before + entries.length - held.length)
}

const MOST_TRIES = 3

interface Work {
  entries: readonly FileEntry[]
  monitors: ImportAssignment | undefined
  confirmed: ImportConsent | undefined
  /** Whether to compare while the sync clock is locked, because others have changed checks during each previous attempt. */
  isLast: boolean
}

/** Repeats work that found a check changed after reading it. During the last attempt, no one can change a check. */
async function untilUnchanged<Result>(work: (isLast: boolean) => Promise<Result | undefined>): Promise<Result> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const result = await work(tries === MOST_TRIES)
    if (result !== undefined) return result
  }
  throw new DomainError('conflict', 'the checks were changed during the import; import the file again')
}

/**
 * Stores the entries of a file. Compares them before it holds the sync clock, because everyone who changes a check waits from
 * then until the commit. Returns undefined, with nothing done, if a check of the organisation changed in between.
 */
async function carryOut(
  deps: Deps,
  org_id: number,
  { entries, monitors, confirmed, isLast }: Work,
): Promise<{ guids: string[] } | undefined> {
  return deps.database.people.transaction().execute(async (trx) => {
    const since = await readSyncClock(trx)
    if (isLast) await tickAfter(trx, org_id, since)
    const compared = await compare(trx, deps, org_id, entries)
    if (confirmed) await requireAsPreviewed(trx, org_id, entries, confirmed.preview)
    await requireMembersOfFile(trx, org_id, entries)
    if (!isLast && (await tickAfter(trx, org_id, since))) return undefined
    // Another org may have taken a guid that was free.
    if ((await listCheckPlaces(trx, compared.free)).length > 0) return undefined
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    for (const [index, { content }] of entries.entries()) requirePlanAllows(`[${index}]`, content, organisation)
    if (Array.isArray(monitors)) await requireMonitors(trx, org_id, monitors)
    const before = await countChecks(trx, org_id)
    const { places, fresh } = await withinDefinitionSize(trx, organisation, () => store(deps, trx, org_id, compared))
    requireRoom(organisation, before, await countChecks(trx, org_id))
    if (entries.some(({ content }) => content.depends_on !== '')) await refuseCircles(trx, org_id, 'checks')
    // An operator may import whole organisations, without the limit of a day.
    if (confirmed) await requireFewMade(trx, organisation)
    // Without `monitors`, a new check has none and a replaced one keeps its own.
    if (monitors === 'new') await setMonitors(trx, fresh, 'all')
    else if (monitors !== undefined) await setMonitors(trx, places, monitors)
    const deed: AuditRecord = {
      org_id,
      action: 'check.import',
      subject: places.length === 1 ? '1 check' : `${places.length} checks`,
    }
    await recordAuditEntry(trx, deps, confirmed?.actor, deed)
    return { guids: places.map((place) => place.guid) }
  })
}

async function requireAsPreviewed(
  trx: Trx,
  org_id: number,
  entries: readonly FileEntry[],
  preview: string,
): Promise<void> {
  if ((await previewToken(await foresee(trx, org_id, entries))) === preview) return
  throw new DomainError('conflict', 'the checks have changed since this preview; review the changes again')
}

interface ImportPlan {
  replaced: ReplacedCheck[]
  created: NewCheck[]
  /** Guids of the checks, in the order of the file. */
  guids: string[]
  /** Guids of the file that no check had. */
  free: string[]
}

async function compare(
  trx: Trx,
  { random }: Pick<Deps, 'random'>,
  org_id: number,
  entries: readonly FileEntry[],
): Promise<ImportPlan> {
  const given = entries.flatMap(({ guid }) => (guid === undefined ? [] : [guid]))
  const held = new Map((await listCheckPlaces(trx, given)).map((place) => [place.guid, place]))
  const before = new Map((await listChecksNamed(trx, org_id, given)).map((check) => [check.guid, check]))
  // A guid that the organisation has is replaced, and an unused one is kept. Another organisation's guid becomes a new one, as
  // does a missing one.
  const isOwn = ({ guid }: FileEntry) => guid !== undefined && held.get(guid)?.org_id === org_id
  const ids = await reserveCheckIds(trx, entries.filter((entry) => !isOwn(entry)).length)
  const compared: ImportPlan = { replaced: [], created: [], guids: [], free: given.filter((guid) => !held.has(guid)) }
  const pace = new Pace()
  for (const [index, entry] of entries.entries()) {
    const { guid, content: given } = entry
    await pace.spend(stepsOfEntry(entry))
    const place = guid === undefined ? undefined : held.get(guid)
    const own = place?.org_id === org_id ? place : undefined
    const stored = own && before.get(own.guid)
    const content = requireRestored(`[${index}]`, given, stored)
    const its = own?.guid ?? (place || guid === undefined ? newGuid(random) : guid)
    compared.guids.push(its)
    if (own) compared.replaced.push({ place: own, content, before: stored })
    else {
      const check_id = ids[compared.created.length] ?? 0
      compared.created.push({ check_id, guid: its, content, key: null, all_monitors: false })
    }
  }
  return compared
}

async function store(
  deps: Deps,
  trx: Trx,
  org_id: number,
  { replaced, created, guids }: ImportPlan,
): Promise<{ places: CheckPlace[]; fresh: CheckPlace[] }> {
  const replacedPlaces = replaced.map(({ place }) => place)
  await lockChecksToJudge(trx, replacedPlaces)
  const held = await replaceChecks(trx, deps, org_id, replaced)
  const made = await insertChecks(trx, org_id, created)
  const byGuid = new Map([...held, ...made].map((place) => [place.guid, place]))
  // Restored checks lost their monitors when they were deleted.
  const back = held.filter((_, at) => replaced[at]?.place.deleted)
  return { places: guids.flatMap((guid) => byGuid.get(guid) ?? []), fresh: [...back, ...made] }
}
