// Sees which pings the server does not take, whatever stands in the way: too many requests, no database.
import type { ServerResponse } from 'node:http'
import type { LostPings } from '../../domain/heartbeats/lost-pings.ts'
import type { Early } from '../server.ts'
import { surfaceOf } from '../surface.ts'

const known = new WeakSet<ServerResponse>()

/** The ping of this answer is lost to its own heartbeat alone, which has been told so. */
export function concernsOne(res: ServerResponse): void {
  known.add(res)
}

/** Stands in front of everything that answers a ping, and answers none itself. */
export function noticeLost(lost: LostPings): Early {
  return (req, res) => {
    if (surfaceOf(req.url ?? '') === 'ping') {
      res.once('close', () => {
        if (res.statusCode >= 500 && !known.has(res)) lost.note()
      })
    }
    return false
  }
}
