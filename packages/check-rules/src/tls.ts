// Reads the target of a check of a TLS certificate.
import { type Fault, type HostAndPort, parted, readHostAndPort } from './address.ts'
import { type OptionsOf, readOptions } from './options.ts'

export const TLS_OPTIONS = {
  /** Whether the check connects to the first address of the name that accepts, or to every address. */
  addresses: {
    kind: 'word',
    words: ['first', 'all'],
    said: { first: 'First address that accepts', all: 'All addresses of the name' },
    label: 'Checked addresses',
  },
} as const

export interface TlsAddress extends HostAndPort, OptionsOf<typeof TLS_OPTIONS> {}

export function readTls(rest: string, scheme: string): TlsAddress | Fault {
  const { authority, query } = parted(rest)
  const address = readHostAndPort(authority, scheme)
  if ('fault' in address) return address
  const options = readOptions(TLS_OPTIONS, query)
  return 'fault' in options ? options : { ...address, ...options }
}
