// Decides what plans and language models must not show. The server's rules say which parts of a check are secret.

import { HIDDEN, hideInUrl } from '@dogwatch/check-rules/secrets'

/** Whether any part of the field may be a secret. */
export function isConfidential(field: string): boolean {
  return field === 'headers' || field === 'post_data' || field === 'destination'
}

/** Pattern for the end of a value that the server truncated. */
export const CUT = /… \(\d+ characters\)$/

/** Returns a target without its secrets. Also hides a part at the end of a truncated target that may be a password. */
export function shownUrl(url: string): string {
  const [start] = /^[^:]*:\/\/(?=[^/@]*$)/.exec(url) ?? []
  return start !== undefined && CUT.test(url) ? `${start}${HIDDEN}` : hideInUrl(url)
}
