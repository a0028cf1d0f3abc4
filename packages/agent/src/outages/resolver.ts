// Distinguishes a broken resolver of this machine from names that do not exist: a failed lookup counts only if other names could
// be looked up after the check began.
import { lookup } from 'node:dns'
import { isIP } from 'node:net'
import { askDns } from '../probes/ask-dns.ts'
import type { Reference } from '../process/config.ts'
import type { RunResult } from '../run/run-result.ts'
import { firstTrue, isOwnName } from './connectivity.ts'
import { type Outage, OwnOutage, type OwnOutageOptions } from './own-outage.ts'

/** Outcome of a lookup. `none` means that a name server said that the name does not exist or has no address. */
export type LookupOutcome = 'address' | 'none' | 'failed'

export interface ResolverOptions extends Pick<OwnOutageOptions, 'mono' | 'now' | 'timer' | 'hasStalled'> {
  /** Names that this machine must be able to resolve while its resolver works. */
  names: readonly string[]
  /** Looks up a name. Does not reject, and may take any time. */
  lookUp: (name: string) => Promise<LookupOutcome>
  /** Returns a random number from 0 up to 1. */
  random: () => number
  log?: (event: { event: 'cannot_resolve_names' } | { event: 'names_resolve_again'; seconds: number }) => void
}

/**
 * Wait for a response, in milliseconds. The second name server is queried after five seconds, so with a dead first one all names
 * take that long.
 */
const ANSWER_MS = 6000
/** Maximum number of names. Each of them may block a thread. */
const NAMES_MAX = 4
/** Number of target names to test if no names are configured. They have resolved before. */
const SEEN_MAX = 3
const SEEN_MIN = 2

/** Whether the check failed because a name could not be looked up. */
export function failedToResolve({ success, kind, failed_in }: RunResult): boolean {
  return !success && failed_in === 'dns' && (kind === 'dns' || kind === 'timeout')
}

export class Resolver {
  readonly #options: ResolverOptions
  readonly #outage: OwnOutage
  readonly #underWay = new Map<string, Promise<LookupOutcome>>()
  /** Names that resolved, by their domain. */
  readonly #seen = new Map<string, string>()
  #hasResolved = false
  #resolvedAt = Number.NEGATIVE_INFINITY

  constructor(options: ResolverOptions) {
    const { log } = options
    this.#options = { ...options, names: options.names.slice(0, NAMES_MAX) }
    this.#outage = new OwnOutage({
      ...options,
      look: () => this.#look(),
      onBegin: () => log?.({ event: 'cannot_resolve_names' }),
      onEnd: (seconds) => log?.({ event: 'names_resolve_again', seconds }),
    })
  }

  /** Whether this machine cannot resolve names now. */
  get isOut(): boolean {
    return this.#outage.isOut
  }

  get lastOutage(): Outage | undefined {
    return this.#outage.last
  }

  /** Finds out whether the names can be resolved at all. */
  start(): Promise<void> {
    return this.#outage.look()
  }

  stop(): void {
    this.#outage.stop()
  }

  /** Whether a failed lookup in a check that began at `began` is due to the resolver here. */
  couldNotResolve(began: number): Promise<boolean> {
    return this.#outage.covers(began)
  }

  /** Whether a check that began at `began` or later got the address of a name. */
  hasResolvedSince(began: number): boolean {
    return this.#resolvedAt >= began
  }

  /** Records that a check that began at `ranAt` got an address for this name. */
  noteResolved(name: string, ranAt: number): void {
    if (isIP(name) !== 0 || isOwnName(name)) return
    this.#resolvedAt = Math.max(this.#resolvedAt, ranAt)
    const domain = name.split('.').slice(-2).join('.')
    this.#seen.delete(domain)
    this.#seen.set(domain, name)
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= SEEN_MAX) break
      this.#seen.delete(oldest)
    }
  }

  async #look(): Promise<boolean> {
    const { names } = this.#options
    if (names.length === 0) return this.#lookAtSeen()
    const [resolves, answers] = await Promise.all([this.#someResolve(names), this.#someAnswer(names)])
    return resolves && answers
  }

  /** Tests whether one of the names has an address, or none ever had. A machine on an isolated network may not know them. */
  async #someResolve(names: readonly string[]): Promise<boolean> {
    const looked = names.map((name) => this.#lookUp(name, name))
    if (await firstTrue(looked.map(async (one) => (await one) === 'address'))) {
      this.#hasResolved = true
      return true
    }
    return !this.#hasResolved && (await Promise.all(looked)).includes('none')
  }

  /** Tests whether new names get a response. A cache would still return known names while no server is reachable. */
  #someAnswer(names: readonly string[]): Promise<boolean> {
    const label = `dogwatch-${Math.floor(this.#options.random() * 2 ** 32).toString(36)}`
    const looked = names.map((name) => this.#lookUp(`${label}.${name}`, `*.${name}`))
    return firstTrue(looked.map(async (one) => (await one) !== 'failed'))
  }

  /** Tests whether recently resolved target names still get a response. With too few names, proves nothing. */
  #lookAtSeen(): Promise<boolean> {
    const names = [...this.#seen.values()]
    if (names.length < SEEN_MIN) return Promise.resolve(true)
    return firstTrue(names.map(async (name) => (await this.#lookUp(name, name)) !== 'failed'))
  }

  /** Looks up a name, one lookup at a time for each key, so that a lookup that hangs blocks only one thread. */
  #lookUp(name: string, key: string): Promise<LookupOutcome> {
    const underWay = this.#underWay.get(key) ?? this.#options.lookUp(name).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, underWay)
    return new Promise((resolve) => {
      const cancel = this.#options.timer(() => resolve('failed'), ANSWER_MS)
      void underWay.then((looked) => {
        cancel()
        resolve(looked)
      })
    })
  }
}

/** Names of well-known references that are addresses. Their operators also serve these names. */
const NAMES_OF_REFERENCES = new Map(
  Object.entries({
    '1.1.1.1': 'one.one.one.one',
    '9.9.9.9': 'dns.quad9.net',
    '8.8.8.8': 'dns.google',
  }),
)

/** Returns the names that a resolver of this machine must know: its server's, and those of the references it may query. */
export function witnessNames(server: string, references: readonly Reference[]): string[] {
  const hosts = [server, ...references.map(({ host }) => NAMES_OF_REFERENCES.get(host) ?? host)]
  return [...new Set(hosts)].filter((host) => host !== '' && isIP(host) === 0 && !isOwnName(host))
}

const NO_NAME = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME', 'EBADNAME'])

/** Looks up a name like checks do: with the system's resolver, or with `isPublic` in the public DNS only. */
export function lookUpName(name: string, isPublic: boolean): Promise<LookupOutcome> {
  return new Promise((resolve) => {
    const answer = (error: NodeJS.ErrnoException | null): void =>
      resolve(error === null ? 'address' : NO_NAME.has(error.code ?? '') ? 'none' : 'failed')
    if (isPublic) askDns(name, answer)
    else lookup(name, { all: true }, answer)
  })
}
