// Who a request comes from, before Express looks at it.
import type { IncomingMessage } from 'node:http'
import type { Express } from 'express'

/** Whether an address may say for whom it speaks. `hop`: 0 for the peer itself. */
export type Trust = (address: string, hop: number) => boolean

/** The setting TRUST_PROXY, as Express has compiled it. */
export function trustOf(app: Express): Trust {
  return app.get('trust proxy fn') as Trust
}

/** The address that `req.ip` is in Express: the last one in X-Forwarded-For that no trusted proxy stands for. */
export function clientAddress({ socket, headers }: IncomingMessage, trusts: Trust): string {
  const peer = socket.remoteAddress ?? ''
  if (!trusts(peer, 0)) return peer
  const given = String(headers['x-forwarded-for'] ?? '')
  const forwarded = given.split(',').flatMap((part) => part.trim() || [])
  const addresses = [peer, ...forwarded.reverse()]
  const client = addresses.findIndex((address, hop) => hop === addresses.length - 1 || !trusts(address, hop))
  return addresses[client] ?? peer
}
