// Probes a tls:// target: makes a TLS handshake with one or with every address of the name, and exchanges no data.
import { isIP } from 'node:net'
import type { Attempt } from '../attempt.ts'
import { connectTo, securityOf } from '../dial.ts'
import { findAddresses } from '../lookup.ts'
import type { Probe } from '../probe.ts'

/** Maximum number of addresses of a name to make a handshake with. */
const ADDRESSES_MAX = 16

export const probeTls: Probe<'tls'> = (attempt, { host, port, addresses }, check) => {
  const secure = securityOf(host, check)
  const shake = (address: string, onReady: () => void): void =>
    connectTo(attempt, { host: address, port, answers: false, secure }, (socket) => {
      // Closes the socket before the next handshake, because an attempt manages only one socket at a time.
      if (addresses === 'all') socket.destroy()
      onReady()
    })
  if (addresses === 'first' || isIP(host) !== 0)
    return shake(host, () => attempt.finish(attempt.certificates[0]?.summary))
  findAddresses(attempt, host, (found) => {
    const all = new Set(found.map(({ address }) => address))
    shakeAll(attempt, [...all].toSorted().slice(0, ADDRESSES_MAX), shake)
  })
}

/** Makes a handshake with each address in turn. If one fails, the attempt ends with a fault that names the address. */
function shakeAll(
  attempt: Attempt,
  addresses: readonly string[],
  shake: (address: string, onReady: () => void) => void,
): void {
  const next = (done: number): void => {
    const address = addresses[done]
    if (address === undefined) {
      attempt.via = undefined
      return attempt.finish(addresses.map((one, n) => `${one}: ${attempt.certificates[n]?.summary ?? ''}`).join('\n'))
    }
    attempt.via = address
    shake(address, () => next(done + 1))
  }
  next(0)
}
