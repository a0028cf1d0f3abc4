// Handles pings: the requests that a customer's jobs send to /ping/{token}, followed by their report.
import { setTimeout as sleep } from 'node:timers/promises'
import { putOff } from '@dogwatch/domain/availability'
import type { Deps } from '@dogwatch/domain/deps'
import { isSamePing, type Ping } from '@dogwatch/domain/heartbeats/heartbeat'
import { takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { clientAt } from '@dogwatch/domain/limits/address'
import { FairQueue, type Origin } from '@dogwatch/runtime/fair-queue'
import type { Request, RequestHandler } from 'express'
import type { Admission } from '../admission.ts'
import { HttpError } from '../errors.ts'
import { PING_WRITES } from '../lanes.ts'
import { sendLine } from '../linger.ts'
import { forgetNote, recordPossibleLoss } from '../lost.ts'
import { Bodies, KEPT_BYTES } from './body.ts'
import { KnownTokens } from './known.ts'
import { readPingPath } from './path.ts'
import { Turns } from './turns.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT']
/**
 * Refusal while this process does not trust the time, because a ping with a wrong time would make its heartbeat overdue too early
 * or too late.
 */
const IN_DOUBT = 'the clock of this server may be wrong; try again later'
const RETRY_SEC = '5'
/** Maximum length of a run id in characters. Longer ones are cut. */
const MAX_RID = 200

interface TimedPing {
  ping: Ping
  at: Date
}

/**
 * Handles all pings. Accepts every ping with a known token and a valid suffix, unless this process does not trust the time, or a
 * hundred different pings of the heartbeat are waiting. Pings of one address beyond its rate limit wait.
 */
export function pings(deps: Deps, admission: Admission): RequestHandler {
  const limit = admission.limitOfAddress('ping')
  const known = new KnownTokens(deps)
  const bodies = new Bodies()
  const writes = new FairQueue(PING_WRITES)
  // Joins equal pings, because storing the second one after the first would drop it as a repeat.
  const turns = new Turns<TimedPing>((ping, waiting) => isSamePing(ping, waiting))
  return async (req, res) => {
    const [at, told_at] = [deps.clock.now(), deps.clock.asTold()]
    const { token, outcome } = readPath(req)
    const origin = originOf(req)
    const wait_ms = limit ? admission.limiter.reserve(limit, origin.client) : 0
    if (wait_ms > 0) await sleep(wait_ms)
    const place = await known.find(token, origin)
    if (!deps.clock.isTrusted()) {
      if (outcome.kind === 'beat')
        await writes.run(origin, () => putOff(deps, [{ caller: token, at: told_at.getTime() }]))
      forgetNote(res)
      throw new HttpError(503, IN_DOUBT, { 'Retry-After': RETRY_SEC })
    }
    const body = await bodies.read(req, origin.client)
    const ping = { ...outcome, rid: readRid(req), body }
    const take = () => takePing(deps, place, ping, at, { onCrossed: () => recordPossibleLoss(res) })
    await turns.take(token, { ping, at }, () => writes.run(origin, take))
    res.set({ 'Cache-Control': 'no-store', 'Ping-Body-Limit': String(KEPT_BYTES) })
    res.status(200).type('text/plain')
    sendLine(req, res, 'OK')
  }
}

function originOf({ ip = '' }: Request): Origin {
  const { address, network } = clientAt(ip)
  return { group: network, client: address }
}

function readPath(req: Request): { token: string; outcome: Pick<Ping, 'kind' | 'exit_code'> } {
  const { token, outcome } = readPingPath(req.path)
  if (token === undefined) throw new HttpError(404, 'no such path')
  if (!METHODS.includes(req.method)) throw new HttpError(405, 'method not allowed', { Allow: METHODS.join(', ') })
  if (!outcome) {
    throw new HttpError(
      400,
      'the path must end with the token, or with the token and /start, /fail, /log or an exit code from 0 to 255',
    )
  }
  return { token, outcome }
}

function readRid(req: Request): string | null {
  const [given] = [req.query.rid].flat()
  const rid = typeof given === 'string' ? given.replaceAll('\0', '').slice(0, MAX_RID).toWellFormed() : ''
  return rid === '' ? null : rid
}
