// What counts as one client when limits are by address.
import ipaddr from 'ipaddr.js'

// Some proxies add the client's port: `192.0.2.1:51234`, `[2001:db8::1]:443`.
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d+)?$/i

/** One client: an IPv4 address, or the /64 of an IPv6 one, since a client has all of that. */
export function addressBlock(ip: string): string {
  const bare = ip.replace(WITH_PORT, '$1$2')
  // Whatever calls itself something else is one client: each name a bucket of its own would be no limit at all.
  if (!ipaddr.isValid(bare)) return 'unknown'
  const address = ipaddr.process(bare)
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** The /48 of an IPv6 address, which one client may have as well; the address itself for IPv4. */
export function addressNetwork(ip: string): string {
  const block = addressBlock(ip)
  return block.endsWith('::/64') ? `${block.split(':').slice(0, 3).join(':')}::/48` : block
}
