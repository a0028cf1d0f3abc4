// Which addresses are public: the shared fleet connects to no others, whoever typed the target.
import ipaddr from 'ipaddr.js'

/** Assigned as a public address, and yet within Azure it is the host of the machine, which reveals secrets. */
const AZURE_HOST = '168.63.129.16'

/** False for anything that is not clearly an address of the public Internet. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  // An IPv4 address embedded in IPv6 counts as the IPv4 address.
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast' || address.toString() === AZURE_HOST) return false
  // Of IPv6, the public addresses are all in 2000::/3; `::127.0.0.1`, for one, is not.
  return address instanceof ipaddr.IPv4 || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}
