// Looks up names, and withholds addresses that may not be dialled. Resolves names like the rest of the machine, with /etc/hosts
// and mDNS, by getaddrinfo in libuv's pool, half of which is for lookups; or in the public DNS only, which needs no thread.
import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { lookupThreads } from '../process/lookup-threads.ts'
import { type Answer, askDns } from './ask-dns.ts'
import type { Attempt } from './attempt.ts'
import { LookupQueue } from './lookup-queue.ts'
import type { Fault } from './observation.ts'

interface Asker {
  attempt: Attempt
  answer: Answer
}

/** Lookups in progress. Attempts that look up the same name at the same time share one. Nothing is cached after its end. */
class Lookups {
  readonly #asking = new Map<string, { askers: Asker[]; startedAt: number | undefined }>()
  readonly #ask: (host: string, answer: Answer) => void
  readonly #queue: Pick<LookupQueue, 'add'>

  constructor(ask: (host: string, answer: Answer) => void, queue: Pick<LookupQueue, 'add'>) {
    this.#ask = ask
    this.#queue = queue
  }

  lookUp(name: string, asker: Asker): void {
    const asking = this.#asking.get(name)
    if (asking?.startedAt === undefined) asker.attempt.waits()
    else asker.attempt.asksSince(asking.startedAt)
    if (asking) {
      asking.askers.push(asker)
      return
    }
    const { askers } = this.#begin(name, asker)
    this.#queue.add({
      name,
      isWanted: () => askers.some(({ attempt }) => !attempt.isOver),
      onDropped: () => this.#asking.delete(name),
      start: (done) => this.#start(name, done),
    })
  }

  #begin(name: string, asker: Asker) {
    const asking = { askers: [asker], startedAt: undefined }
    this.#asking.set(name, asking)
    return asking
  }

  #start(name: string, done: () => void): void {
    const asking = this.#asking.get(name)
    if (!asking) return done()
    asking.startedAt = performance.now()
    for (const { attempt } of asking.askers) attempt.goesOn()
    const answered: Answer = (error, addresses) => {
      done()
      this.#asking.delete(name)
      // If one callback throws, the other callbacks still run.
      for (const { attempt, answer } of asking.askers) attempt.guard(() => answer(error, addresses))
    }
    try {
      this.#ask(name, answered)
    } catch (error) {
      answered(error as NodeJS.ErrnoException, [])
    }
  }
}

const bySystem = new Lookups(
  (host, answer) => lookup(host, { all: true }, answer),
  new LookupQueue(lookupThreads(process.env)),
)
const byDns = new Lookups(askDns, { add: ({ start }) => start(() => undefined) })

/** Returns a function for the `lookup` option of a socket. It returns only addresses that may be dialled. */
export function lookupOf(attempt: Attempt): LookupFunction {
  const { mayDial, publicNamesOnly = false, family } = attempt.bounds
  const lookups = publicNamesOnly ? byDns : bySystem
  return (host, options, callback) => {
    const answer: Answer = (error, addresses) => {
      if (error) return callback(error, '', 0)
      const usable = addresses.filter((one) => family === undefined || one.family === family)
      const allowed = usable.filter(({ address }) => mayDial(address))
      const [first] = allowed
      if (!first) return callback(blocked(codeOf(addresses.length, usable.length)), '', 0)
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
    }
    lookups.lookUp(host, { attempt, answer })
  }
}

/** Looks up a name, and calls back with the addresses that may be dialled. The attempt ends if there are none. */
export function findAddresses(attempt: Attempt, host: string, onFound: (addresses: LookupAddress[]) => void): void {
  attempt.enter('dns')
  lookupOf(attempt)(host, { all: true }, (error, addresses) => {
    if (attempt.isOver) return
    if (error || typeof addresses === 'string') return attempt.failBy(error)
    onFound(addresses)
  })
}

/** Returns why the probe may not connect to an address, or undefined if it may. */
export function faultOfAddress({ bounds: { mayDial, family } }: Attempt, address: string): Fault | undefined {
  if (family !== undefined && isIP(address) !== family)
    return { kind: 'dns', words: 'the target is an address of another IP version' }
  return mayDial(address) ? undefined : { kind: 'blocked', words: 'the address is not public' }
}

function codeOf(addresses: number, usable: number): string {
  if (addresses === 0) return 'ENODATA'
  return usable === 0 ? 'ERR_NO_FAMILY' : 'ERR_DIAL_BLOCKED'
}

function blocked(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error('no address to connect to'), { code })
}
