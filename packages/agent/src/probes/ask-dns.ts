// Queries this machine's name servers directly, for IPv4 and IPv6 addresses at once. Resolves only names of the public DNS,
// exactly as written, and needs no thread for each lookup.
import { type LookupAddress, Resolver } from 'node:dns'

export type Addresses = readonly LookupAddress[]
export type Answer = (error: NodeJS.ErrnoException | null, addresses: Addresses) => void

/** Timeout in milliseconds, and number of tries. If a name server is silent, the query goes to the same or the next one again. */
const PATIENCE = { timeout: 2000, tries: 4 }
/** Wait for the other address family after one has responded, in milliseconds. A target may be unreachable by IPv6. */
const WAIT_FOR_IPV6_MS = 50
const WAIT_FOR_IPV4_MS = 1000
/**
 * Minimum age of the resolver object before a failure makes the agent reread the name servers, in milliseconds. The machine may
 * have moved to another network.
 */
const RESOLVER_MAX_AGE_MS = 60_000

let current: { resolver: Resolver; since: number } | undefined

function resolver(): Resolver {
  current ??= { resolver: new Resolver(PATIENCE), since: performance.now() }
  return current.resolver
}

/** Calls back like `dns.lookup`. For names of this machine itself, calls back with the loopback address. */
export function askDns(host: string, answer: Answer): void {
  if (host === 'localhost' || host.endsWith('.localhost')) {
    process.nextTick(answer, null, [{ address: '127.0.0.1', family: 4 }])
    return
  }
  const answers = new Answers(answer)
  resolver().resolve6(host, (error, addresses) => answers.take(6, error, addresses))
  resolver().resolve4(host, (error, addresses) => answers.take(4, error, addresses))
}

class Answers {
  readonly #answer: Answer
  readonly #found: LookupAddress[] = []
  readonly #codes: string[] = []
  #open = 2
  #isOver = false
  #timer: NodeJS.Timeout | undefined

  constructor(answer: Answer) {
    this.#answer = answer
  }

  /** Receives the response for one address family. `addresses` is absent after an error, although Node's types do not say so. */
  take(family: 4 | 6, error: NodeJS.ErrnoException | null, addresses: readonly string[] | undefined): void {
    this.#open -= 1
    if (error) this.#codes.push(error.code ?? '')
    for (const address of addresses ?? []) this.#found.push({ address, family })
    if (this.#open === 0) return this.#finish()
    if (this.#found.length === 0) return
    this.#timer = setTimeout(() => this.#finish(), family === 6 ? WAIT_FOR_IPV4_MS : WAIT_FOR_IPV6_MS)
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    if (this.#found.length > 0) return this.#answer(null, this.#found)
    const code = codeOf(this.#codes)
    if (code === 'EAI_AGAIN' && current && performance.now() - current.since > RESOLVER_MAX_AGE_MS) current = undefined
    this.#answer(Object.assign(new Error('no address'), { code }), [])
  }
}

const NO_NAME = new Set(['ENOTFOUND', 'EBADNAME', 'ENONAME'])

/** Returns a code of getaddrinfo, because a name server that refuses a connection must not look like a target that does. */
function codeOf(codes: readonly string[]): string {
  if (codes.every((code) => NO_NAME.has(code))) return 'ENOTFOUND'
  return codes.every((code) => code === 'ENODATA' || NO_NAME.has(code)) ? 'ENODATA' : 'EAI_AGAIN'
}
