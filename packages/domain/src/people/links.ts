// Finds what a link leads to in another organisation of the person who opens it.
import { findOrgOfTarget, type LinkTarget } from '@dogwatch/store/accounts/link-targets'
import type { Membership } from '@dogwatch/store/accounts/sessions'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'
import type { Viewer } from './sessions.ts'

const KINDS: readonly LinkTarget[] = ['check', 'heartbeat', 'incident', 'monitor', 'channel']

/**
 * Finds another organisation of the viewer that owns what these path parameters name. Returns undefined if there is none, because
 * what belongs to others must look as if it did not exist.
 */
export async function findOtherOrg(
  deps: Pick<Deps, 'database'>,
  viewer: Viewer,
  params: Readonly<Record<string, string>>,
): Promise<Membership | undefined> {
  const others = viewer.orgs.filter(({ org_id }) => org_id !== viewer.org?.org_id)
  const kind = KINDS.find((one) => params[one] !== undefined)
  const name = kind && params[kind]
  if (others.length === 0 || kind === undefined || name === undefined || !isStorable(name)) return undefined
  const org_ids = others.map(({ org_id }) => org_id)
  const found = await findOrgOfTarget(deps.database.people, { kind, name }, org_ids)
  return others.find(({ org_id }) => org_id === found)
}
