// Handles the operations on monitors, and on enrollment tokens.

import { MONITOR } from '@dogwatch/domain/configuration/monitors'
import type { Deps } from '@dogwatch/domain/deps'
import { DomainError } from '@dogwatch/domain/errors'
import {
  createEnrollmentToken as createToken,
  readEnrollmentTokens,
  revokeOwnEnrollmentToken,
} from '@dogwatch/domain/monitors/enrollment-tokens'
import { hashToken } from '@dogwatch/runtime/tokens'
import type { ConfigAnswer, ConfigInput } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, resourceOf } from './resource.ts'

const MOST_LISTED = 500

async function listEnrollmentTokens(
  deps: Deps,
  { caller, reply }: ConfigInput<'listEnrollmentTokens'>,
): ConfigAnswer<'listEnrollmentTokens'> {
  const tokens = await readEnrollmentTokens(deps, caller.org_id, { limit: MOST_LISTED, offset: 0 })
  return reply(200, { enrollment_tokens: tokens.map(({ token_hash, ...times }) => ({ id: token_hash, ...times })) })
}

async function createEnrollmentToken(
  deps: Deps,
  { caller, body, header, reply }: ConfigInput<'createEnrollmentToken'>,
): ConfigAnswer<'createEnrollmentToken'> {
  // Encrypted, because the response contains the text of the token, which is stored nowhere else.
  const asked = { caller, header, asks: ['createEnrollmentToken', body], isSealed: true }
  const made = await carryOut(deps, asked, async (inner) => {
    const { org_id, actor } = editorOf(caller)
    const { token, expires_at } = await createToken(inner, org_id, body.ttl_sec ?? undefined, actor)
    return { status: 201, body: { id: hashToken(token).toString('hex'), token, expires_at } }
  })
  return reply(201, made.body)
}

async function revokeEnrollmentToken(
  deps: Deps,
  { caller, path, reply }: ConfigInput<'revokeEnrollmentToken'>,
): ConfigAnswer<'revokeEnrollmentToken'> {
  const { org_id, actor } = editorOf(caller)
  try {
    await revokeOwnEnrollmentToken(deps, org_id, path.id, actor)
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'missing') throw error
    throw new DomainError('missing', 'no enrollment token with that id')
  }
  return reply(200, { id: path.id })
}

export const MONITORS = {
  ...resourceOf(MONITOR, { name: 'Monitor', plural: 'monitors', id: 'id' }),
  listEnrollmentTokens,
  createEnrollmentToken,
  revokeEnrollmentToken,
}
