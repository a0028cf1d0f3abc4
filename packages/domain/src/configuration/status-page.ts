// Reads and changes the status page for the configuration API. An organisation has a status page once it has saved one.
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import type { Db } from '@dogwatch/store/database'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { setStatusPage } from '../organisations/organisation.ts'
import {
  type ChosenEntry,
  editStatusPage,
  readStatusPageSettings,
  type StatusPageSettings,
  type SubjectRow,
} from '../status-page/edit.ts'
import { faultOfName } from '../text.ts'
import { resolveReferences } from './keys.ts'
import { type Kind, requireVersion, type VersionedInput, versionFrom } from './kind.ts'
import { together } from './together.ts'

export type ConfiguredStatusPage = Pick<StatusPageSettings, 'page' | 'subjects' | 'is_enabled'>

interface WireEntry {
  check?: string
  heartbeat?: string
  public_name: string
}

const ID = 'status_page'
const MAX_NAME = 100

async function readSaved(deps: Pick<Deps, 'database'>, org_id: number): Promise<ConfiguredStatusPage> {
  const found = await readConfiguredStatusPage(deps, org_id)
  if (!found.page) throw new DomainError('missing', 'no status page has been saved yet')
  return found
}

async function readConfiguredStatusPage(deps: Pick<Deps, 'database'>, org_id: number): Promise<ConfiguredStatusPage> {
  const { page, subjects, is_enabled } = await readStatusPageSettings(deps, org_id)
  return { page, subjects, is_enabled }
}

function put(deps: Deps, by: Editor, { input, expected }: VersionedInput): Promise<ConfiguredStatusPage> {
  const { org_id, actor } = by
  return together(deps, async (inner, trx) => {
    await lockOrganisation(trx, org_id)
    const before = await readConfiguredStatusPage(inner, org_id)
    requireVersion(versionOf(before), expected)
    const { slug, title, description, enabled } = input
    const text = (value: unknown) => (typeof value === 'string' ? value : '')
    const entries = await readEntries(trx, org_id, (input.entries ?? []) as readonly WireEntry[], before.subjects)
    const page = { slug: text(slug), title: text(title), description: text(description) }
    await namingSlug(() => editStatusPage(inner, org_id, { ...page, entries }, actor))
    if (typeof enabled === 'boolean' && enabled !== before.is_enabled) {
      await setStatusPage(inner, org_id, enabled, actor)
    }
    return readConfiguredStatusPage(inner, org_id)
  })
}

async function readEntries(
  db: Db,
  org_id: number,
  entries: readonly WireEntry[],
  subjects: readonly SubjectRow[],
): Promise<ChosenEntry[]> {
  const known = new Set(subjects.map(({ kind, guid }) => `${kind} ${guid}`))
  const guidsOf = async (kind: 'check' | 'heartbeat') => {
    const named = entries.flatMap((entry, at) => (entry[kind] === undefined ? [] : [{ at, reference: entry[kind] }]))
    const references = named.map(({ reference }) => reference)
    const field = (index: number) => `entries[${named[index]?.at}].${kind}`
    const guids = await resolveReferences(db, org_id, kind, references, field)
    return new Map(named.map(({ at }, index) => [at, guids[index] ?? '']))
  }
  const found = { check: await guidsOf('check'), heartbeat: await guidsOf('heartbeat') }
  const seen = new Set<string>()
  return entries.map((entry, order) => {
    const at = `entries[${order}]`
    if ((entry.check === undefined) === (entry.heartbeat === undefined)) {
      throw new FieldError('invalid', at, 'must have either check or heartbeat')
    }
    const kind = entry.check === undefined ? ('heartbeat' as const) : ('check' as const)
    const guid = found[kind].get(order) ?? ''
    const name = `${kind} ${guid}`
    if (!known.has(name)) throw new FieldError('invalid', `${at}.${kind}`, `must name an existing ${kind}`)
    if (seen.has(name)) throw new FieldError('invalid', `${at}.${kind}`, 'must not repeat an earlier entry')
    seen.add(name)
    const fault = faultOfName(entry.public_name, { max: MAX_NAME })
    if (fault !== undefined) throw new FieldError('invalid', `${at}.public_name`, fault)
    return { kind, guid, public_name: entry.public_name }
  })
}

/** Runs `work`, and makes its refusals name the address by its field in the API, `slug`. */
async function namingSlug(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof FieldError) || error.faults[0].field !== 'address') throw error
    throw new FieldError(error.kind, 'slug', error.faults[0].must)
  }
}

function toWire({ page, subjects, is_enabled }: ConfiguredStatusPage) {
  const { slug = '', title = '', description = '' } = page ?? {}
  return {
    slug,
    title,
    ...(description !== '' && { description }),
    enabled: is_enabled,
    // Checks and heartbeats with a position come first, in its order.
    entries: subjects.flatMap(({ kind, guid, public_name, position }) =>
      position === null || public_name === null ? [] : [{ [kind]: guid, public_name }],
    ),
  }
}

function versionOf(configured: ConfiguredStatusPage): string {
  return versionFrom(toWire(configured))
}

/** The status page as a kind of item. There is only one item, always with the same id. */
export const STATUS_PAGE = {
  name: ID,
  derived: [],
  read: readSaved,
  replace: (deps, by, _, wanted) => put(deps, by, wanted),
  toWire,
  idOf: () => ID,
  versionOf,
} satisfies Kind<ConfiguredStatusPage>
