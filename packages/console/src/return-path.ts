// Decides where to go after signing in: one of our own pages, whatever a link says.
import type { Route } from './route.ts'

/**
 * Maximum length of a path. Parsing makes it up to six times as long, and a redirect to the sign-in page encodes it once more. If
 * the headers of a response exceed 4 KiB, nginx refuses it and treats the server as failed.
 */
const MAX_LENGTH = 1024
const MAX_ENCODED = 2048
/** Placeholder for our own origin while {@link returnPath} parses a path. No link can contain it. */
const OWN = 'http://own.invalid'
/** Pattern of a `:name` in a path: ids, guids and the secret of an invitation. */
const PARAM = '[\\w-]{1,128}'
/** The only page without a session that sends people to the sign-in page and back. */
const INVITATION = '/invitations/:secret'

/**
 * Returns the path to return to after signing in, if it is one of our pages that need a session, or that of an invitation.
 * Otherwise returns undefined. Like a browser, it treats `//evil`, `/\evil` and `/<tab>/evil` as other hosts.
 */
export function returnPath(text: string, routes: readonly Route[]): string | undefined {
  if (!text.startsWith('/') || text.length > MAX_LENGTH || !URL.canParse(text, OWN)) return undefined
  const { origin, pathname, search } = new URL(text, OWN)
  if (origin !== OWN) return undefined
  const isKnown = routes.some(
    ({ method, access, path }) =>
      method === 'GET' && (access !== 'anyone' || path === INVITATION) && patternOf(path).test(pathname),
  )
  const path = pathname + search
  return isKnown && path.length <= MAX_LENGTH && encodeURIComponent(path).length <= MAX_ENCODED ? path : undefined
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, PARAM)}$`)
}
