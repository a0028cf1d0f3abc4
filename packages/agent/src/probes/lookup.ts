// Looks names up as the rest of the machine does, and keeps back the addresses that may not be dialled.
//
// getaddrinfo runs on libuv's pool, of which names get half: with the default four threads a few names whose servers hang
// keep all others waiting past their deadlines. UV_THREADPOOL_SIZE has to be in the environment of the process before it
// starts; whoever starts the agent sees to it. A resolver of our own would not know /etc/hosts and mDNS.
import { type LookupAddress, lookup } from 'node:dns'
import { type LookupFunction } from 'node:net'

type Addresses = readonly LookupAddress[]
type Answer = (error: NodeJS.ErrnoException | null, addresses: Addresses) => void

/** Who waits for which name. */
const asked = new Map<string, Answer[]>()

/** Asks once for all who want the same name at the same time. Answers are not kept. */
function lookUp(host: string, answer: Answer): void {
  const waiting = asked.get(host)
  if (waiting) {
    waiting.push(answer)
    return
  }
  asked.set(host, [answer])
  lookup(host, { all: true }, (error, addresses) => {
    const all = asked.get(host) ?? []
    asked.delete(host)
    for (const one of all) one(error, addresses)
  })
}

/** For the `lookup` option of a socket: a name leads to those of its addresses that may be dialled. */
export function lookupOf(mayDial: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    lookUp(host, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const allowed = addresses.filter(({ address }) => mayDial(address))
      const [first] = allowed
      if (!first) return callback(blocked(addresses.length === 0 ? 'ENODATA' : 'ERR_DIAL_BLOCKED'), '', 0)
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
    })
  }
}

function blocked(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error('no address to dial'), { code })
}
