// Lets pages of the origins in the setting CORS_ORIGINS read the account API in a browser (CORS).
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newRequestId } from '@dogwatch/runtime/ids'
import type { Random } from '@dogwatch/runtime/random'
import type { Early } from './server.ts'
import { surfaceOf } from './surface.ts'

/** Response headers that pages of these origins may read, in addition to those that every page may read. */
const EXPOSED = 'Content-Disposition, Date, Retry-After, X-Request-Id'
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, User-Agent',
  // A day in seconds. No browser reuses the response to a preflight for longer.
  'Access-Control-Max-Age': '86400',
} as const

/**
 * Returns a middleware that runs before all others, so that pages can read refusals as well. `origins` are as browsers send them;
 * a lone `*` means all. Never allows cookies, because a page must have a token.
 */
export function crossOrigin(origins: readonly string[], random: Random): Early {
  const isOpen = origins.includes('*')
  return (req, res) => {
    if (origins.length === 0 || surfaceOf(req.url ?? '') !== 'account-api') return false
    const { origin } = req.headers
    // A cache must not use the response to one origin for another origin.
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

/** Answers a preflight. No limit applies, because a preflight has no credential, and the answer costs less than counting it. */
function answerPreflight(res: ServerResponse, random: Random): void {
  res.writeHead(204, { ...PREFLIGHT, 'X-Request-Id': newRequestId(random) }).end()
}
