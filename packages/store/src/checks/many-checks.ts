// Stores many checks by one statement.
import { needsOf } from '@dogwatch/check-rules/abilities'
import { type CheckFields, FIELD_NAMES, type FieldName, pick } from '@dogwatch/check-rules/fields'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type CheckPlace, PLACE } from './checks.ts'

export interface NewCheck {
  check_id: number
  guid: string
  content: CheckFields
  key: string | null
  /** Whether the check is meant for all monitors. The caller assigns it to them. */
  all_monitors: boolean
}

const OTHERS = ['check_id', 'guid', 'key', 'all_monitors', 'needs'] as const

/** Reserves ids for new checks, in ascending order. Ids that no check gets stay unused. */
export async function reserveCheckIds(db: Db, count: number): Promise<number[]> {
  if (count === 0) return []
  const { rows } = await sql<{ check_id: number }>`
    select nextval(pg_get_serial_sequence('checks', 'check_id')) as check_id from generate_series(1, ${count}::integer)`.execute(
    db,
  )
  return rows.map(({ check_id }) => check_id).toSorted((one, other) => one - other)
}

/** Inserts checks, and returns them in the same order. Their ids must be reserved and ascend. */
export async function insertChecks(db: Db, org_id: number, checks: readonly NewCheck[]): Promise<CheckPlace[]> {
  const [first] = checks
  if (!first) return []
  const { own, shared } = split(checks.map(({ content }) => content))
  const rows = JSON.stringify(
    checks.map(({ content, ...others }) => ({ ...pick(content, own), ...others, needs: needsOf(content) })),
  )
  const same = JSON.stringify(pick(first.content, shared))
  const columns = sql.join([...FIELD_NAMES, ...OTHERS].map((name) => sql.ref(name)))
  const values = sql.join([
    ...FIELD_NAMES.map((name) => sql.ref(`${shared.includes(name) ? 'same' : 'given'}.${name}`)),
    ...OTHERS.map((name) => sql.ref(`given.${name}`)),
  ])
  const { rows: places } = await sql<CheckPlace>`
    with stored as (
      insert into checks (org_id, ${columns}) overriding system value select ${org_id}::bigint, ${values}
      from jsonb_populate_recordset(null::checks, ${rows}::jsonb) given,
        jsonb_populate_record(null::checks, ${same}::jsonb) same
      order by given.check_id
      returning ${sql.raw(PLACE.join())}
    ), named as (
      insert into check_guids (guid, org_id, check_id) select guid, org_id, check_id from stored
    )
    select * from stored order by check_id`.execute(db)
  return places
}

/**
 * Replaces the content of checks. `before` is their present content, or undefined for deleted checks, which this restores. The
 * caller must hold the locks of the checks.
 */
export async function updateChecks(
  db: Db,
  org_id: number,
  checks: readonly { check_id: number; content: CheckFields; before: CheckFields | undefined }[],
): Promise<void> {
  const [first] = checks
  if (!first) return
  // Sends only the changed columns, because Postgres has to read every value from text while others wait.
  const changed = FIELD_NAMES.filter((name) =>
    checks.some(({ content, before }) => !before || !isSame(content[name], before[name])),
  )
  if (changed.length === 0) return
  const { own, shared } = split(checks.map(({ content }) => pick(content, changed)))
  const rows = JSON.stringify(
    checks.map(({ check_id, content }) => ({ ...pick(content, own), check_id, needs: needsOf(content) })),
  )
  const same = JSON.stringify(pick(first.content, shared))
  const columns = sql.join(
    changed.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${shared.includes(name) ? 'same' : 'given'}.${name}`)}`),
  )
  await sql`
    update checks c set deleted = false, needs = given.needs, ${columns}
    from jsonb_populate_recordset(null::checks, ${rows}::jsonb) given,
      jsonb_populate_record(null::checks, ${same}::jsonb) same
    where c.org_id = ${org_id} and c.check_id = given.check_id`.execute(db)
}

/** Separates the fields that differ between contents from those that all contents share. */
function split(contents: readonly Partial<CheckFields>[]): { own: FieldName[]; shared: FieldName[] } {
  const [first = {}] = contents
  const names = FIELD_NAMES.filter((name) => name in first)
  const shared = names.filter((name) => contents.every((content) => isSame(content[name], first[name])))
  return { shared, own: names.filter((name) => !shared.includes(name)) }
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}
