// The URL that a job pings.
import { findPublicUrl } from '../../store/processes/processes.ts'
import type { Deps } from '../deps.ts'

/** What a job calls. */
export function pingUrl(public_url: string, token: string): string {
  return `${public_url.replace(/(?<!\/)\/+$/, '')}/ping/${token}`
}

/** Returns the URL that a command prints: of the configured server, else of the one that runs, else of the default settings. */
export async function pingUrlOf(
  { database }: Pick<Deps, 'database'>,
  { public_url, is_public_url_set }: { public_url: string; is_public_url_set: boolean },
  token: string,
): Promise<string> {
  const running = is_public_url_set ? undefined : await findPublicUrl(database.people)
  return pingUrl(running ?? public_url, token)
}
