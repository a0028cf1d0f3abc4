// Allows pages of the origins that the operator listed to read the account API in a browser (CORS).
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newRequestId } from '@dogwatch/runtime/ids'
import type { Random } from '@dogwatch/runtime/random'
import type { Early } from './server.ts'
import { surfaceOf } from './surface.ts'

/** Response headers that a client may read, in addition to those that every page may. */
const EXPOSED = 'Content-Disposition, Date, Retry-After, X-Request-Id'
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, User-Agent',
  // A day, in seconds: the longest time that any browser keeps the response to a preflight.
  'Access-Control-Max-Age': '86400',
} as const

/**
 * Returns a middleware that runs before all others, so that a page can also read refusals. `origins` are as browsers write them,
 * and a lone `*` allows all. Cookies are never allowed, because the page must have a token.
 */
export function crossOrigin(origins: readonly string[], random: Random): Early {
  const isOpen = origins.includes('*')
  return (req, res) => {
    if (origins.length === 0 || surfaceOf(req.url ?? '') !== 'account-api') return false
    const { origin } = req.headers
    // A cache must not serve the response for one origin to another.
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

/** Answers a preflight. It has no credential, and costs less than a slot in a limit. */
function answerPreflight(res: ServerResponse, random: Random): void {
  res.writeHead(204, { ...PREFLIGHT, 'X-Request-Id': newRequestId(random) }).end()
}
