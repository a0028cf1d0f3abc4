// Tells the agent's own outages from the targets': a transport failure counts only if somebody could be reached after the
// check began.
import { connect } from 'node:net'
import ipaddr from 'ipaddr.js'
import { codeOf } from './fatal.ts'
import type { Finding, Kind } from './run-check.ts'

export interface Reference {
  host: string
  port: number
}

export interface Outage {
  /** Milliseconds of server time. */
  ended_at: number
  seconds: number
}

export interface ConnectivityOptions {
  /** The API's own host. */
  api: Reference
  /** Hosts on the Internet, independent of each other and of the API. */
  references: readonly Reference[]
  /** True when the host can be reached, at what address if that is known. */
  dial: (reference: Reference) => Promise<Dialled>
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** Milliseconds of server time. */
  now: () => number
  /** Calls `fire` once after `ms` milliseconds, and returns what calls it off. */
  timer: (fire: () => void, ms: number) => () => void
  log?: (event: { event: 'outage_began' } | { event: 'outage_ended'; seconds: number }) => void
}

export interface Dialled {
  isUp: boolean
  address?: string | undefined
}

const DIAL_MS = 1000
const RECOVERY_LOOK_MS = 1000

/** A whole answer, even a refusal, comes over a network that works; these may be for want of one, also halfway through. */
const TRANSPORT: ReadonlySet<Kind> = new Set(['dns', 'timeout', 'unreachable', 'reset'])

/** False when the failure says something of the target whatever the state of the network here. */
export function mayBeOurs(finding: Finding, url: string): boolean {
  if (finding.success || !TRANSPORT.has(finding.kind)) return false
  // What is on the local network does not need the Internet.
  return !isLocal(finding.address ?? hostOf(url))
}

interface Round {
  began: number
  isUp: Promise<boolean>
}

export class Connectivity {
  readonly #options: ConnectivityOptions
  #round: Round | undefined
  /** When the latest round that reached somebody began. */
  #upAt = Number.NEGATIVE_INFINITY
  /** Until when the latest outage lasted, on the clock that only goes forth. */
  #outUntil = Number.NEGATIVE_INFINITY
  #outSince: number | undefined
  #wasInternetSeen = false
  #cancelLook: (() => void) | undefined
  #last: Outage | undefined

  constructor(options: ConnectivityOptions) {
    this.#options = options
  }

  /** Whether there is an outage now. */
  get isOut(): boolean {
    return this.#outSince !== undefined
  }

  /** The last outage that ended. */
  get lastOutage(): Outage | undefined {
    return this.#last
  }

  /** Finds out which references there are to be reached at all. */
  async start(): Promise<void> {
    await this.#reach()
  }

  stop(): void {
    this.#cancelLook?.()
  }

  /** True when a failure of a check that began at `began` is for want of a network here. */
  async wasOut(began: number): Promise<boolean> {
    if (this.#outUntil > began || this.isOut) return true
    if (this.#upAt >= began) return false
    const isUp = await this.#reachSince(began)
    if (!isUp) this.#begin(began)
    return !isUp || this.#outUntil > began
  }

  /** One round serves all that wait for it; one that began before the check tells nothing about it. */
  #reachSince(began: number): Promise<boolean> {
    if (this.#round && this.#round.began >= began) return this.#round.isUp
    return this.#reach()
  }

  #reach(): Promise<boolean> {
    const round: Round = { began: this.#options.mono(), isUp: this.#dialAll() }
    this.#round = round
    void round.isUp.then((isUp) => {
      if (isUp) this.#upAt = Math.max(this.#upAt, round.began)
      if (this.#round === round) this.#round = undefined
    })
    return round.isUp
  }

  async #dialAll(): Promise<boolean> {
    const { api, references, dial } = this.#options
    const away = references.map(async (reference) => {
      const { isUp } = await dial(reference)
      this.#wasInternetSeen ||= isUp
      return isUp
    })
    const server = dial(api).then(({ isUp, address }) => isUp && this.#provesInternet(address ?? api.host))
    return firstTrue([...away, server])
  }

  /** A server next door is reached without the Internet; it speaks for the network only where there is no other. */
  #provesInternet(address: string): boolean {
    return !isLocal(address) || !this.#wasInternetSeen
  }

  #begin(began: number): void {
    if (this.#outSince !== undefined) return
    this.#outSince = began
    this.#options.log?.({ event: 'outage_began' })
    this.#lookAgain()
  }

  #lookAgain(): void {
    this.#cancelLook = this.#options.timer(async () => {
      if (await this.#reach()) this.#end()
      else this.#lookAgain()
    }, RECOVERY_LOOK_MS)
  }

  #end(): void {
    const mono = this.#options.mono()
    const seconds = Math.max(1, Math.round((mono - (this.#outSince ?? mono)) / 1000))
    this.#last = { ended_at: this.#options.now(), seconds }
    this.#outSince = undefined
    this.#outUntil = mono
    this.#options.log?.({ event: 'outage_ended', seconds })
  }
}

/** Takes a TCP connection, or a refusal of one, for a sign of life. */
export function dialTcp({ host, port }: Reference): Promise<Dialled> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, autoSelectFamilyAttemptTimeout: DIAL_MS / 2 })
    const finish = (isUp: boolean): void => {
      clearTimeout(timer)
      const { remoteAddress } = socket
      socket.destroy()
      resolve({ isUp, address: remoteAddress })
    }
    const timer = setTimeout(() => finish(false), DIAL_MS)
    socket.on('connect', () => finish(true))
    socket.on('error', (error) => finish(codeOf(error) === 'ECONNREFUSED' || codeOf(error) === 'ECONNRESET'))
  })
}

/** Resolves with true as soon as one does, with false once none will. */
function firstTrue(promises: readonly Promise<boolean>[]): Promise<boolean> {
  const demanding = promises.map(async (promise) => {
    if (!(await promise)) throw new Error('not this one')
    return true
  })
  return Promise.any(demanding).catch(() => false)
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : ''
}

const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)\.?$/i

const LOCAL_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'linkLocal',
  'carrierGradeNat',
  'unspecified',
  'multicast',
  'broadcast',
])

/** True for addresses and names that lie on this machine or its own network. */
export function isLocal(host: string): boolean {
  const bare = host.replace(/%.*$/s, '')
  if (ipaddr.isValid(bare)) return LOCAL_RANGES.has(ipaddr.process(bare).range())
  return !bare.includes('.') || LOCAL_NAME.test(bare)
}
