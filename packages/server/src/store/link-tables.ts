// The columns of the tables of links that let people in, for Kysely.
import type { Generated } from 'kysely'

export interface LinkTables {
  server_set_up: {
    is_the_one: Generated<boolean>
    done_at: string | null
    first_org_id: number | null
  }
  set_up_links: {
    token_hash: Buffer
    created_at: string
    expires_at: string
    printed_by: string | null
  }
  sign_up_links: {
    token_hash: Buffer
    email: string
    expires_at: string
  }
  password_resets: {
    token_hash: Buffer
    person_id: number
    expires_at: string
  }
}
