// Reads the targets that are contacted with datagrams: UDP, NTP and ICMP.
import { type Fault, type HostAndPort, parted, readHostAndPort, type ShownAddress } from './address.ts'
import { type OptionsOf, readOptions } from './options.ts'

const DATAGRAM_MAX_BYTES = 1024

export const UDP_OPTIONS = {
  /** Content of the datagram, which can be a secret like the body of a request. Empty if the option is absent. */
  send: { kind: 'bytes', max: DATAGRAM_MAX_BYTES, isSecret: true },
  /** Bytes that the response must contain. If absent, no response is needed. */
  expect: { kind: 'bytes', max: DATAGRAM_MAX_BYTES },
} as const

export interface UdpAddress extends HostAndPort, OptionsOf<typeof UDP_OPTIONS> {}

export function readUdp(rest: string, scheme: string): UdpAddress | Fault {
  const { authority, query } = parted(rest)
  const address = readHostAndPort(authority, scheme)
  if ('fault' in address) return address
  const options = readOptions(UDP_OPTIONS, query)
  if ('fault' in options) return options
  return { ...address, ...options, ...(options.send.length > 0 ? { needs_own_monitor: true } : {}) }
}

export const ICMP_OPTIONS = {
  /** Number of echo requests. */
  count: {
    kind: 'whole',
    min: 1,
    max: 10,
    default: 3,
    label: 'Echo requests',
    hint: 'How many each run sends, up to 10.',
  },
} as const

export interface IcmpAddress extends ShownAddress, OptionsOf<typeof ICMP_OPTIONS> {
  host: string
}

export function readIcmp(rest: string, scheme: string): IcmpAddress | Fault {
  const { authority, query } = parted(rest)
  // `readHostAndPort` would accept a port, but an ICMP target must not have one.
  const address =
    /:\d*$/.test(authority) && !authority.endsWith(']') ? undefined : readHostAndPort(authority, scheme, 1)
  if (!address || 'fault' in address) return { fault: `must have the form ${scheme}://host` }
  const options = readOptions(ICMP_OPTIONS, query)
  return 'fault' in options ? options : { ...options, host: address.host, shown: authority }
}
