// Sees which calls of jobs and agents the server does not take, whatever stands in the way: too many requests, no database, a lock.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LostCalls } from '../domain/lost-calls.ts'
import type { Clock } from '../runtime/clock.ts'
import { isOutOfReach } from '../runtime/database-faults.ts'
import { hashToken, looksLikeToken } from '../runtime/tokens.ts'
import { findBearer } from './bearer.ts'
import { readPingPath } from './pings/path.ts'
import type { Early } from './server.ts'
import { surfaceOf } from './surface.ts'

type Note = (error?: unknown) => void

const notes = new WeakMap<ServerResponse, Note>()

/** Stands in front of everything that answers a ping or an agent, and answers nothing itself. */
export function noticeLost(lost: LostCalls, clock: Pick<Clock, 'monotonicMs'>): Early {
  return (req, res) => {
    const note = noteFor(req, lost, clock)
    if (note) {
      notes.set(res, note)
      // Some refusals pass no handler of errors.
      res.once('close', () => res.statusCode >= 500 && tellLost(res))
    }
    return false
  }
}

/** The call of this answer is lost. Its client may be gone by now, and hear nothing of it. */
export function tellLost(res: ServerResponse, error?: unknown): void {
  const note = notes.get(res)
  notes.delete(res)
  note?.(error)
}

/** The call of this answer may yet be lost, and is noted before anybody knows. */
export function foreseeLost(res: ServerResponse): void {
  notes.get(res)?.()
}

/** Whoever calls has been noted already. */
export function isNoted(res: ServerResponse): void {
  notes.delete(res)
}

function noteFor(req: IncomingMessage, lost: LostCalls, clock: Pick<Clock, 'monotonicMs'>): Note | undefined {
  const { url = '' } = req
  const surface = surfaceOf(url)
  const arrived_ms = clock.monotonicMs()
  if (surface === 'monitor-api') return () => noteRequest(req, arrived_ms, lost)
  if (surface === 'ping') return (error) => notePing(url, arrived_ms, lost, error)
  return undefined
}

const PREFIX = '/ping'

/**
 * A ping moves the deadline when it is refused as it would have when taken: only one that says that the job went well. What
 * was refused for its own sake concerns its heartbeat alone, so that nobody puts off the alerts of others.
 */
function notePing(url: string, arrived_ms: number, lost: LostCalls, error: unknown): void {
  const [path = ''] = url.slice(PREFIX.length).split('?')
  const { token, outcome } = readPingPath(path)
  if (token === undefined || outcome?.kind !== 'beat' || !looksLikeToken('beat', token)) return
  if (isOutOfReach(error)) lost.noteOutage()
  else lost.notePing(token, arrived_ms)
}

/** Whatever an agent asked: it is there. A key that nobody has is left out when this is written. */
function noteRequest(req: IncomingMessage, arrived_ms: number, lost: LostCalls): void {
  const key = findBearer(req)
  if (key !== undefined && looksLikeToken('key', key)) lost.noteRequest(hashToken(key).toString('hex'), arrived_ms)
}
