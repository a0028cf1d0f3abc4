// Finds the client of a request before Express has seen it.
import type { IncomingMessage } from 'node:http'
import type { Express } from 'express'

/** Whether an address is a trusted proxy. `hop` is 0 for the other end of the connection. */
export type Trust = (address: string, hop: number) => boolean

/** Returns the function into which Express has compiled the setting TRUST_PROXY. */
export function trustOf(app: Express): Trust {
  return app.get('trust proxy fn') as Trust
}

/** Returns the same address as `req.ip` in Express: the last one in X-Forwarded-For that is not a trusted proxy. */
export function clientAddress({ socket, headers }: IncomingMessage, trusts: Trust): string {
  const peer = socket.remoteAddress ?? ''
  if (!trusts(peer, 0)) return peer
  const given = String(headers['x-forwarded-for'] ?? '')
  const forwarded = given.split(',').flatMap((part) => part.trim() || [])
  const addresses = [peer, ...forwarded.reverse()]
  const client = addresses.findIndex((address, hop) => hop === addresses.length - 1 || !trusts(address, hop))
  return addresses[client] ?? peer
}
