// Finds the resolvers that this machine is configured to use.
import { Resolver } from 'node:dns'
import type { Peer } from '../datagram.ts'

const PORT = 53

/** Returns the resolvers as configured now, because the machine may have moved to another network. */
export function ownResolvers(): Peer[] {
  return new Resolver().getServers().map(readServer)
}

/** Reads a resolver in the form of `getServers`: an address, or an address and a port such as `[::1]:54`. */
export function readServer(text: string): Peer {
  const [, bracketed, v4 = '', port] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::(\d+))?$/.exec(text) ?? []
  return { address: bracketed ?? (v4 || text), port: Number(port ?? PORT) }
}
