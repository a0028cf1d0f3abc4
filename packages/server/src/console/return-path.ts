// Where to go after signing in: one of our own pages, whatever a link says.
import type { Route } from './route.ts'

/**
 * Parsing makes a path up to six times as long, and a redirect to the sign-in page encodes it once more. The headers of
 * an answer must fit into 4 KiB: beyond that, nginx refuses the answer and takes the server for one that has failed.
 */
const MAX_LENGTH = 1024
const MAX_ENCODED = 2048
/** Stands for our own origin while a path is parsed; no link can contain it. */
const OWN = 'http://own.invalid'
/** What a `:name` in a path may be: ids, guids and the secret of an invitation. */
const PARAM = '[\\w-]{1,128}'
/** The only page without a session that sends people to the sign-in page and back. */
const INVITATION = '/invitations/:secret'

/**
 * The path to return to, if it is one of our own pages behind the sign-in, or an invitation's; undefined for everything
 * else. Parsed like a browser does: `//evil`, `/\evil` and `/<tab>/evil` name other hosts.
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
