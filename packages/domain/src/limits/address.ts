// Decides what counts as one client when limits apply by address.
import ipaddr from 'ipaddr.js'

// Some proxies add the client's port: `192.0.2.1:51234`, `[2001:db8::1]:443`.
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d+)?$/i

/** Returns one client's addresses: an IPv4 address, or the /64 of an IPv6 address, because a client owns all of it. */
export function addressBlock(ip: string): string {
  const bare = ip.replace(WITH_PORT, '$1$2')
  // Anything else counts as one client: a bucket for each made-up name would be no limit at all.
  if (!ipaddr.isValid(bare)) return 'unknown'
  const address = ipaddr.process(bare)
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/**
 * Address of a client, and its network: the same IPv4 address, or the /48 of an IPv6 address, because one client can own that as
 * well.
 */
export interface ClientAddress {
  address: string
  network: string
}

export function clientAt(ip: string): ClientAddress {
  const address = addressBlock(ip)
  const isIPv6 = address.endsWith('::/64')
  return { address, network: isIPv6 ? `${address.split(':').slice(0, 3).join(':')}::/48` : address }
}
