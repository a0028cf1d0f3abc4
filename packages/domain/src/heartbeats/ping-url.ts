// Builds the URL that a job pings.
import { findPublicUrl } from '@dogwatch/store/processes/processes'
import type { Deps } from '../deps.ts'

/** Returns the URL that a job pings. */
export function pingUrl(public_url: string, token: string): string {
  return `${public_url.replace(/(?<!\/)\/+$/, '')}/ping/${token}`
}

/**
 * Returns the ping URL for a command to print. Its address is that of the configured server, else of the running one, else of the
 * default settings.
 */
export async function pingUrlOf(
  { database }: Pick<Deps, 'database'>,
  { public_url, is_public_url_set }: { public_url: string; is_public_url_set: boolean },
  token: string,
): Promise<string> {
  const running = is_public_url_set ? undefined : await findPublicUrl(database.people)
  return pingUrl(running ?? public_url, token)
}
