// The guard of forms: each carries a text that only our own pages could know.
import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * What a form must carry: bound to the browser's session (or its guest token) and to the org that was looked at when the
 * form was drawn, so that a form of one org cannot be sent to another.
 */
export function csrfToken(browser_token: string, org_id: number | undefined): string {
  return createHmac('sha256', browser_token)
    .update(`csrf:${org_id ?? ''}`)
    .digest('base64url')
}

export function isCsrfToken(given: string, browser_token: string, org_id: number | undefined): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(csrfToken(browser_token, org_id))]
  return a.length === b.length && timingSafeEqual(a, b)
}
