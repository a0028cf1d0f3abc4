// Renames or removes a tag in the targets of composite checks.
import { compositeUrl, type MemberName } from '@dogwatch/check-rules/composite'
import { readTarget } from '@dogwatch/check-rules/target'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { type CheckRow, listCheckPlaces, listChecksNamed } from '@dogwatch/store/checks/checks'
import { listComposites } from '@dogwatch/store/checks/judgements'
import type { Trx } from '@dogwatch/store/database'
import { recordAuditEntry } from '../audit/record.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import { replaceChecks } from '../checks/replace-many.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

export interface ChangedComposite {
  check: CheckRow
  url: string
}

/** Lists the composites that name a tag, with their targets after the change. Refuses to remove the last member of one. */
export async function listNamingTag(
  trx: Trx,
  org_id: number,
  tag: string,
  to: string | undefined,
): Promise<ChangedComposite[]> {
  const guids = (await listComposites(trx, org_id)).map(({ guid }) => guid)
  return (await listChecksNamed(trx, org_id, guids)).flatMap((check): ChangedComposite[] => {
    const target = readTarget(check.url)
    if ('fault' in target || target.scheme !== 'composite') return []
    const isTag = ({ by, name }: MemberName): boolean => by === 'tag' && name === tag
    if (!target.members.some(isTag)) return []
    const members = target.members.flatMap((one): MemberName[] => {
      if (!isTag(one)) return [one]
      return to === undefined ? [] : [{ by: 'tag', name: to }]
    })
    if (members.length > 0) return [{ check, url: compositeUrl(members, target.down_at) }]
    throw new DomainError(
      'conflict',
      `the composite check ${JSON.stringify(check.name)} has no other member; change its target first`,
    )
  })
}

/** Stores the new targets. The caller must have ticked the sync clock, and must hold the lock of the organisation. */
export async function retagComposites(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Editor,
  composites: readonly ChangedComposite[],
): Promise<void> {
  const places = await listCheckPlaces(
    trx,
    composites.map(({ check }) => check.guid),
  )
  await lockChecksToJudge(trx, places)
  const placeOf = new Map(places.map((place) => [place.guid, place]))
  const replaced = composites.flatMap(({ check, url }) => {
    const place = placeOf.get(check.guid)
    return place ? [{ place, before: check, content: { ...check, url } }] : []
  })
  await replaceChecks(trx, deps, org_id, replaced)
  for (const { place } of replaced) {
    const about = { org_id, subject: place.name, check_id: place.check_id }
    await recordAuditEntry(trx, deps, actor, { ...about, action: 'check.edit', detail: { changed: ['url'] } })
  }
}
