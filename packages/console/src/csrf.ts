// Protects forms against cross-site requests: each form contains a text that only our own pages can know.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '@dogwatch/runtime/random'

const BYTES = 32

/**
 * Returns the token of a form. The token is valid only with this session or guest token and this organisation. Its mask changes
 * with each response, because a constant text in compressed pages could be guessed from their sizes.
 */
export function csrfToken(browser_token: string, org_id: number | undefined, random: Random): string {
  const mask = Buffer.from(random(BYTES))
  return Buffer.concat([mask, xor(mask, secretOf(browser_token, org_id))]).toString('base64url')
}

/** Whether a form contains a token of this session and organisation, under any mask. */
export function isCsrfToken(given: string, browser_token: string, org_id: number | undefined): boolean {
  const bytes = Buffer.from(given, 'base64url')
  // A token in any other encoding is not ours.
  if (bytes.toString('base64url') !== given) return false
  if (bytes.length !== 2 * BYTES) return false
  return timingSafeEqual(xor(bytes.subarray(0, BYTES), bytes.subarray(BYTES)), secretOf(browser_token, org_id))
}

function secretOf(browser_token: string, org_id: number | undefined): Buffer {
  return createHmac('sha256', browser_token)
    .update(`csrf:${org_id ?? ''}`)
    .digest()
}

function xor(a: Uint8Array, b: Uint8Array): Buffer {
  return Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)))
}
