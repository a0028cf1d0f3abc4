// Revokes tokens of the account and configuration APIs.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type TokenTable, updateTokenRevoked, type WhichToken } from '@dogwatch/store/accounts/revoked-tokens'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

const KINDS = {
  personal_access_tokens: { name: 'API token', action: 'api_token.revoke' },
  configuration_tokens: { name: 'configuration token', action: 'configuration_token.revoke' },
} as const satisfies Record<TokenTable, object>

/** Revokes a token at once. Revoking it again changes nothing. */
export async function revokeToken(deps: Deps, table: TokenTable, token: WhichToken, by?: Actor): Promise<void> {
  const { name: kind, action } = KINDS[table]
  await deps.database.people.transaction().execute(async (trx) => {
    const found = await updateTokenRevoked(trx, table, token, fromDate(deps.clock.now()))
    if (!found) throw new DomainError('missing', `${kind} not found`)
    const { org_id, token_id, name, is_new } = found
    if (is_new) await recordAuditEntry(trx, deps, by, { org_id, action, subject: name || `number ${token_id}` })
  })
}
