// Distinguishes a broken resolver of this machine from names that do not exist: a failed lookup counts only if other names could
// be looked up after the check began.
import { lookup } from 'node:dns'
import { isIP } from 'node:net'
import { askDns } from '../probes/ask-dns.ts'
import type { Reference } from '../process/config.ts'
import type { RunResult } from '../run/run-result.ts'
import { firstTrue, isOwnName } from './connectivity.ts'
import { OwnOutage, type OwnOutageOptions } from './own-outage.ts'

/** Outcome of a lookup. `none` means that, according to a name server, the name does not exist or has no address. */
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
 * Wait for a response, in milliseconds. The system queries the second name server after five seconds, so if the first one is
 * dead, every name takes that long.
 */
const ANSWER_MS = 6000
/** Maximum number of names to look up at the same time. Each lookup may block a thread. */
const NAMES_MAX = 4
/** Number of target names to look up if no names are configured. These names resolved before. */
const SEEN_MAX = 3
const SEEN_MIN = 2

/** Whether the check failed because a name could not be looked up. */
export function failedToResolve({ success, kind, failed_in }: RunResult): boolean {
  return !success && failed_in === 'dns' && (kind === 'dns' || kind === 'timeout')
}

/** Detector of outages of this machine's resolver. */
export class Resolver {
  readonly outage: OwnOutage
  readonly #options: ResolverOptions
  readonly #underWay = new Map<string, Promise<LookupOutcome>>()
  /** Names that resolved, by their domain. */
  readonly #seen = new Map<string, string>()
  #hasResolved = false
  #resolvedAt = Number.NEGATIVE_INFINITY

  constructor(options: ResolverOptions) {
    const { log } = options
    this.#options = { ...options, names: options.names.slice(0, NAMES_MAX) }
    this.outage = new OwnOutage({
      ...options,
      look: () => this.#look(),
      onBegin: () => log?.({ event: 'cannot_resolve_names' }),
      onEnd: (seconds) => log?.({ event: 'names_resolve_again', seconds }),
    })
  }

  /** Whether a check that began at `began` or later resolved a name. */
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

  /**
   * Whether one of the names has an address now, or none of them ever had one. The resolver of an isolated network may know none
   * of them.
   */
  async #someResolve(names: readonly string[]): Promise<boolean> {
    const looked = names.map((name) => this.#lookUp(name, name))
    if (await firstTrue(looked.map(async (one) => (await one) === 'address'))) {
      this.#hasResolved = true
      return true
    }
    return !this.#hasResolved && (await Promise.all(looked)).includes('none')
  }

  /**
   * Whether name servers respond about names that no one has looked up before. A cache would return known names even if no name
   * server is reachable.
   */
  #someAnswer(names: readonly string[]): Promise<boolean> {
    const label = `dogwatch-${Math.floor(this.#options.random() * 2 ** 32).toString(36)}`
    const looked = names.map((name) => this.#lookUp(`${label}.${name}`, `*.${name}`))
    return firstTrue(looked.map(async (one) => (await one) !== 'failed'))
  }

  /**
   * Whether name servers still respond about target names that resolved lately. With too few such names, the result proves
   * nothing.
   */
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

/** Names that the agent looks up in place of the addresses of well-known reference hosts, because an address needs no lookup. */
const NAMES_OF_REFERENCES = new Map(
  Object.entries({
    '1.1.1.1': 'one.one.one.one',
    '9.9.9.9': 'dns.quad9.net',
    '8.8.8.8': 'dns.google',
  }),
)

/**
 * Returns the names that this machine must be able to resolve: the server's name, and those of the reference hosts that the agent
 * may contact.
 */
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
