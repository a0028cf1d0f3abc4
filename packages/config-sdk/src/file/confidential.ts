// What others must not see: for plans, and for what programs are told. What is secret in a check is the rule of the server.

import { hideInUrl, HIDDEN } from '@dogwatch/check-rules/secrets'

/** Fields that may hold a secret anywhere in them. */
export function isConfidential(field: string): boolean {
  return field === 'headers' || field === 'post_data' || field === 'destination'
}

/** How the server ends the text of a value of which it tells the beginning only. */
export const CUT = /… \(\d+ characters\)$/

/** Returns a target without its secrets. What is cut may be a password without its end. */
export function shownUrl(url: string): string {
  const [start] = /^[^:]*:\/\/(?=[^/@]*$)/.exec(url) ?? []
  return start !== undefined && CUT.test(url) ? `${start}${HIDDEN}` : hideInUrl(url)
}
