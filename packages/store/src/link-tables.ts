// Declares, for Kysely, the tables behind signing in: links, the secret that signs links in alerts, second factors, passkeys and
// accounts at providers.
import type { Generated, JSONColumnType } from 'kysely'

export interface LinkTables {
  server_set_up: {
    is_the_one: Generated<boolean>
    done_at: string | null
    first_org_id: number | null
  }
  link_secret: {
    is_the_one: Generated<boolean>
    secret: Buffer
    created_at: string
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
  totp_secrets: {
    person_id: number
    secret: Buffer
    created_at: string
    confirmed_at: string | null
    last_step: Generated<number>
  }
  recovery_codes: {
    person_id: number
    code_hash: Buffer
    used_at: string | null
  }
  passkeys: {
    credential_id: string
    person_id: number
    name: string
    public_key: Buffer
    counter: number
    transports: string[]
    created_at: string
    last_used_at: string | null
  }
  provider_accounts: {
    issuer: string
    subject: string
    person_id: number
    created_at: string
    last_used_at: string
  }
  pending_sign_ins: {
    token_hash: Buffer
    kind: string
    person_id: number | null
    detail: JSONColumnType<object>
    expires_at: string
  }
}
