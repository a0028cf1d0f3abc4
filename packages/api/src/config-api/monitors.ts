// Handles the operations on monitors, and on enrollment tokens.

import { MONITOR } from '@dogwatch/domain/configuration/monitors'
import { DomainError } from '@dogwatch/domain/errors'
import {
  createEnrollmentToken,
  readEnrollmentTokens,
  revokeOwnEnrollmentToken,
} from '@dogwatch/domain/monitors/enrollment-tokens'
import { hashToken } from '@dogwatch/runtime/tokens'
import type { SomeHandlers } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, resourceOf } from './resource.ts'

const MOST_LISTED = 500

export const MONITORS = {
  ...resourceOf(MONITOR, { name: 'Monitor', plural: 'monitors', id: 'id' }),
  async listEnrollmentTokens(deps, { caller, reply }) {
    const tokens = await readEnrollmentTokens(deps, caller.org_id, { limit: MOST_LISTED, offset: 0 })
    return reply(200, { enrollment_tokens: tokens.map(({ token_hash, ...times }) => ({ id: token_hash, ...times })) })
  },
  async createEnrollmentToken(deps, { caller, body, header, reply }) {
    // Encrypted, because the response contains the text of the token, which is stored nowhere else.
    const asked = { caller, header, asks: ['createEnrollmentToken', body], isSealed: true }
    const made = await carryOut(deps, asked, async (inner) => {
      const { org_id, actor } = editorOf(caller)
      const { token, expires_at } = await createEnrollmentToken(inner, org_id, body.ttl_sec ?? undefined, actor)
      return { status: 201, body: { id: hashToken(token).toString('hex'), token, expires_at } }
    })
    return reply(201, made.body)
  },
  async revokeEnrollmentToken(deps, { caller, path, reply }) {
    const { org_id, actor } = editorOf(caller)
    try {
      await revokeOwnEnrollmentToken(deps, org_id, path.id, actor)
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'missing') throw error
      throw new DomainError('missing', 'no enrollment token with that id')
    }
    return reply(200, { id: path.id })
  },
} satisfies SomeHandlers
