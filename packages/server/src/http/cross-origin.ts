// CORS for the account API: lets pages of the origins that the operator named read it in a browser.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newRequestId } from '../runtime/ids.ts'
import type { Random } from '../runtime/random.ts'
import type { Early } from './server.ts'
import { surfaceOf } from './surface.ts'

/** Response headers that a client may read, besides those that every page may. */
const EXPOSED = 'Content-Disposition, Date, Retry-After, X-Request-Id'
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, User-Agent',
  // A day, in seconds: the longest that any browser keeps the answer to a preflight.
  'Access-Control-Max-Age': '86400',
} as const

/**
 * Stands in front of everything that may answer, so that a page can read refusals as well. `origins`: as browsers write
 * them; a lone `*` allows all. Cookies are never allowed: the credential is a token that the page must have.
 */
export function crossOrigin(origins: readonly string[], random: Random): Early {
  const isOpen = origins.includes('*')
  return (req, res) => {
    if (origins.length === 0 || surfaceOf(req.url ?? '') !== 'account-api') return false
    const { origin } = req.headers
    // A cache must not serve the answer for one origin to another.
    if (!isOpen) res.setHeader('Vary', 'Origin')
    if (origin === undefined || !(isOpen || origins.includes(origin))) return false
    res.setHeader('Access-Control-Allow-Origin', isOpen ? '*' : origin)
    if (isPreflight(req)) {
      answerPreflight(res, random)
      return true
    }
    res.setHeader('Access-Control-Expose-Headers', EXPOSED)
    return false
  }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

/** A preflight carries no credential, and costs less than a place in a limit. */
function answerPreflight(res: ServerResponse, random: Random): void {
  res.writeHead(204, { ...PREFLIGHT, 'X-Request-Id': newRequestId(random) }).end()
}
