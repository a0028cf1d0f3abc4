// Where to go after signing in: a page of ours, and nothing else that a link might say.
import type { Route } from './route.ts'

const MAX_LENGTH = 1024
/** Stands for our own origin while a path is read; no link can name it. */
const OWN = 'http://own.invalid'
/** What stands for a `:name` in a path: ids, guids and the secret of an invitation. */
const PARAM = '[\\w-]{1,128}'
/** The one page for anyone that sends people through the sign-in and back. */
const INVITATION = '/invitations/:secret'

/**
 * The path that somebody is to return to, as far as it is the path of one of our own pages behind the sign-in, or that of an
 * invitation; undefined for everything else. Read as a browser reads it: `//evil`, `/\evil` and `/<tab>/evil` name other hosts.
 */
export function returnPath(text: string, routes: readonly Route[]): string | undefined {
  if (!text.startsWith('/') || text.length > MAX_LENGTH || !URL.canParse(text, OWN)) return undefined
  const { origin, pathname, search } = new URL(text, OWN)
  if (origin !== OWN) return undefined
  const isKnown = routes.some(
    ({ method, access, path }) =>
      method === 'GET' && (access !== 'anyone' || path === INVITATION) && patternOf(path).test(pathname),
  )
  return isKnown ? pathname + search : undefined
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, PARAM)}$`)
}
