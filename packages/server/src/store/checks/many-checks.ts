// Many checks stored by one statement.
import { type CheckFields, FIELD_NAMES } from '@dogwatch/check-rules/fields'
import { sql } from 'kysely'
import type { CheckPlace } from './checks.ts'
import type { Db } from '../database.ts'

export interface NewCheck {
  guid: string
  content: CheckFields
  key: string | null
}

/** Inserts checks in this order and returns them in it. */
export async function insertChecks(db: Db, org_id: number, checks: readonly NewCheck[]): Promise<CheckPlace[]> {
  if (checks.length === 0) return []
  const rows = JSON.stringify(checks.map(({ guid, content, key }) => ({ ...content, guid, key })))
  const columns = sql.join([...FIELD_NAMES, 'guid', 'key'].map((name) => sql.ref(name)))
  const { rows: places } = await sql<CheckPlace>`
    with given as (
      select * from rows from (jsonb_populate_recordset(null::checks, ${rows}::jsonb)) with ordinality
    ), stored as (
      insert into checks (org_id, ${columns}) select ${org_id}::bigint, ${columns} from given order by ordinality
      returning org_id, check_id, guid, name, deleted, restricted, all_monitors, result_detail_max_chars
    ), named as (
      insert into check_guids (guid, org_id, check_id) select guid, org_id, check_id from stored
    )
    select * from stored order by check_id`.execute(db)
  return places
}

/** Replaces the content of checks. The caller holds their locks. */
export async function updateChecks(
  db: Db,
  org_id: number,
  checks: readonly { check_id: number; content: CheckFields }[],
): Promise<void> {
  if (checks.length === 0) return
  const rows = JSON.stringify(checks.map(({ check_id, content }) => ({ ...content, check_id })))
  const columns = sql.join(FIELD_NAMES.map((name) => sql`${sql.ref(name)} = ${sql.ref(`given.${name}`)}`))
  await sql`
    update checks c set ${columns} from jsonb_populate_recordset(null::checks, ${rows}::jsonb) as given
    where c.org_id = ${org_id} and c.check_id = given.check_id`.execute(db)
}
