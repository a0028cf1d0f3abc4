// Stores the responses that repeated requests get again.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface AnswerKey {
  org_id: number
  token_id: number
  idempotency_key: string
}

export interface StoredAnswer {
  request_hash: Buffer
  status: number
  headers: Record<string, string>
  /** JSON as it was sent, or base64 for a sealed response. */
  body: string
}

/**
 * Locks an idempotency key until the transaction ends. Otherwise, two requests with the same key would both find no stored
 * response.
 */
export async function lockAnswerKey(db: Db, { org_id, token_id, idempotency_key }: AnswerKey): Promise<void> {
  const name = `${org_id} ${token_id} ${idempotency_key}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 113))`.execute(db)
}

export async function findAnswer(
  db: Db,
  { org_id, token_id, idempotency_key }: AnswerKey,
): Promise<StoredAnswer | undefined> {
  return db
    .selectFrom('repeatable_answers')
    .select(['request_hash', 'status', 'headers', 'body'])
    .where('org_id', '=', org_id)
    .where('token_id', '=', token_id)
    .where('idempotency_key', '=', idempotency_key)
    .executeTakeFirst()
}

export async function insertAnswer(
  db: Db,
  key: AnswerKey,
  { headers, ...answer }: StoredAnswer,
  created_at: string,
): Promise<void> {
  await db
    .insertInto('repeatable_answers')
    .values({ ...key, ...answer, headers: JSON.stringify(headers), created_at })
    .execute()
}

// A response that contains a secret is stored encrypted and is therefore not JSON, so nothing in it can be read here.
const IS_JSON = sql<boolean>`starts_with(body, '{')`

/**
 * Blanks definitions in stored responses about an org's checks. A repeated request still gets its response, so that nothing
 * happens twice. Reads all responses of the org, which is too slow for a request.
 */
export async function updateAnswersWiped(
  db: Db,
  { org_id, guids }: { org_id: number; guids: readonly string[] },
  fields: readonly string[],
): Promise<void> {
  const its = sql`any(${[...guids]}::text[])`
  const gone = sql`${[...fields]}::text[]`
  await sql`
    update repeatable_answers set body = ((body::jsonb - ${gone}) || '{"url": "", "match_string": ""}')::text
    where org_id = ${org_id} and case when ${IS_JSON} then body::jsonb ->> 'guid' = ${its} else false end`.execute(db)
  await sql`
    update repeatable_answers
    set body = jsonb_set(body::jsonb, '{changes}', (
      select jsonb_agg(case when c ->> 'id' = ${its} then jsonb_set(c, '{fields}', (
          select coalesce(jsonb_agg(f), '[]') from jsonb_array_elements(c -> 'fields') f where f ->> 'field' <> all(${gone})
        )) else c end order by place)
      from jsonb_array_elements(body::jsonb -> 'changes') with ordinality as told(c, place)))::text
    where org_id = ${org_id} and case when ${IS_JSON} then jsonb_typeof(body::jsonb -> 'changes') = 'array' and exists (
      select from jsonb_array_elements(body::jsonb -> 'changes') c where c ->> 'id' = ${its}) else false end`.execute(
    db,
  )
}
