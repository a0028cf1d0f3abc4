// Asks this machine's name servers directly, for both address families at once: public names only, as written, and
// without a thread for each.
import { type LookupAddress, Resolver } from 'node:dns'

export type Addresses = readonly LookupAddress[]
export type Answer = (error: NodeJS.ErrnoException | null, addresses: Addresses) => void

/** A silent server is asked again, or the next one is. */
const PATIENCE = { timeout: 2000, tries: 4 }
/** How long to wait for the other family once one has answered: IPv6 alone may be a dead end. */
const WAIT_FOR_IPV6_MS = 50
const WAIT_FOR_IPV4_MS = 1000
/** The machine may have moved to another network: its name servers are reread when they fail, but not all the time. */
const RESOLVER_MAX_AGE_MS = 60_000

let current: { resolver: Resolver; since: number } | undefined

function resolver(): Resolver {
  current ??= { resolver: new Resolver(PATIENCE), since: performance.now() }
  return current.resolver
}

/** As `dns.lookup` answers; names of this machine itself are known to be that. */
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

  /** The types do not say that there are no addresses when there is an error. */
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

/** With the codes of getaddrinfo: a name server that refuses a connection must not look like a target that does. */
function codeOf(codes: readonly string[]): string {
  if (codes.every((code) => NO_NAME.has(code))) return 'ENOTFOUND'
  return codes.every((code) => code === 'ENODATA' || NO_NAME.has(code)) ? 'ENODATA' : 'EAI_AGAIN'
}
