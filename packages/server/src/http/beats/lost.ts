// Sees which pings the server does not take, whatever stands in the way: too many requests, no database, a clock in doubt.
import type { LostPings } from '../../domain/heartbeats/lost-pings.ts'
import type { Early } from '../server.ts'
import { surfaceOf } from '../surface.ts'

/** Stands in front of everything that answers a ping, and answers none itself. */
export function noticeLost(lost: LostPings): Early {
  return (req, res) => {
    if (surfaceOf(req.url ?? '') === 'ping') {
      res.once('close', () => {
        if (res.statusCode >= 500) lost.note()
      })
    }
    return false
  }
}
