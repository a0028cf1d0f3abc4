// Reads the Authorization header.
import type { IncomingMessage } from 'node:http'
import { DomainError } from '@dogwatch/domain/errors'

const BEARER = /^Bearer +(\S+) *$/i

/** Returns the credential of a request, or undefined if the request has none. */
export function findBearer(req: IncomingMessage): string | undefined {
  return BEARER.exec(req.headers.authorization ?? '')?.[1]
}

/** Returns the credential of a request. Refuses a request without one, or with a malformed one. */
export function readBearer(req: IncomingMessage): string {
  const credential = findBearer(req)
  if (credential === undefined) throw new DomainError('unauthenticated', 'missing or malformed authorization header')
  return credential
}
