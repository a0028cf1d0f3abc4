// Records pings and requests of agents that the server could not accept, for example because of too many requests, no
// database, or a lock.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LostCalls } from '@dogwatch/domain/lost-calls'
import type { Clock } from '@dogwatch/runtime/clock'
import { isOutOfReach } from '@dogwatch/runtime/database-faults'
import { hashToken, looksLikeToken } from '@dogwatch/runtime/tokens'
import { findBearer } from './bearer.ts'
import { readPingPath } from './pings/path.ts'
import type { Early } from './server.ts'
import { surfaceOf } from './surface.ts'

type Note = (error?: unknown) => void

const notes = new WeakMap<ServerResponse, Note>()

/** Returns a middleware that runs before all handlers of pings and agents. It never sends a response itself. */
export function noticeLost(lost: LostCalls, clock: Pick<Clock, 'monotonicMs'>): Early {
  return (req, res) => {
    const note = noteFor(req, lost, clock)
    if (note) {
      notes.set(res, note)
      // Covers refusals that do not pass an error handler.
      res.once('close', () => res.statusCode >= 500 && tellLost(res))
    }
    return false
  }
}

/** Records the request of this response as lost. Its client may have disconnected. */
export function tellLost(res: ServerResponse, error?: unknown): void {
  const note = notes.get(res)
  notes.delete(res)
  note?.(error)
}

/** Records that the request of this response might be lost, before its outcome is known. */
export function recordPossibleLoss(res: ServerResponse): void {
  notes.get(res)?.()
}

/** Forgets the note about the request of this response, because the caller has already been recorded. */
export function forgetNote(res: ServerResponse): void {
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
 * Notes a lost ping that reports success, because it would have postponed the deadline. If the database was reachable, notes it
 * for this heartbeat alone, so that no other alert is delayed.
 */
function notePing(url: string, arrived_ms: number, lost: LostCalls, error: unknown): void {
  const [path = ''] = url.slice(PREFIX.length).split('?')
  const { token, outcome } = readPingPath(path)
  if (token === undefined || outcome?.kind !== 'beat' || !looksLikeToken('beat', token)) return
  if (isOutOfReach(error)) lost.noteOutage()
  else lost.notePing(token, arrived_ms)
}

/** Notes a lost request of an agent, because it shows that the agent runs. Storing the notes drops unknown API keys. */
function noteRequest(req: IncomingMessage, arrived_ms: number, lost: LostCalls): void {
  const key = findBearer(req)
  if (key !== undefined && looksLikeToken('key', key)) lost.noteRequest(hashToken(key).toString('hex'), arrived_ms)
}
