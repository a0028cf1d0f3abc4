// Declares the columns of the configuration API's own tables.
import type { Generated, JSONColumnType } from 'kysely'

export interface ConfigurationTables {
  configuration_tokens: {
    token_id: Generated<number>
    token_hash: Buffer
    org_id: number
    person_id: number
    name: string
    scopes: string[]
    address_range: string | null
    created_at: string
    expires_at: string | null
    revoked_at: string | null
    last_used_at: string | null
    last_used_from: string | null
  }
  repeatable_answers: {
    org_id: number
    token_id: number
    idempotency_key: string
    request_hash: Buffer
    status: number
    headers: JSONColumnType<Record<string, string>>
    body: string
    created_at: string
  }
}
