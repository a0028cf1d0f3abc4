// Distinguishes outages of the agent's own network from failures of targets: a transport failure counts only if the agent reached
// some host after the check began.
import { connect } from 'node:net'
import { isInternalName } from '@dogwatch/check-rules/target'
import ipaddr from 'ipaddr.js'
import type { Reference } from '../process/config.ts'
import { codeOf } from '../process/fatal.ts'
import type { ResultKind, RunResult } from '../run/run-result.ts'
import { OwnOutage, type OwnOutageOptions } from './own-outage.ts'

export interface ConnectivityOptions extends Pick<OwnOutageOptions, 'mono' | 'now' | 'timer' | 'hasStalled'> {
  /** Host of the server's API. */
  api: Reference
  /** Hosts on the Internet, independent of each other and of the API. */
  references: readonly Reference[]
  /** Tests whether the host is reachable. Returns its address, if known. */
  dial: (reference: Reference) => Promise<DialResult>
  log?: (event: { event: 'outage_began' } | { event: 'outage_ended'; seconds: number }) => void
}

export interface DialResult {
  isUp: boolean
  address?: string | undefined
}

const DIAL_MS = 1000

/**
 * Kinds of failures that a missing network can cause, even in the middle of a run. A complete response, even a refusal, needs a
 * working network.
 */
const TRANSPORT: ReadonlySet<ResultKind> = new Set(['dns', 'timeout', 'unreachable', 'reset'])

/**
 * Whether an outage of this machine's network may have caused the failure. If not, the target failed, whatever the state of this
 * machine's network.
 */
export function mayBeOurs(result: RunResult, url: string): boolean {
  if (result.success || !TRANSPORT.has(result.kind)) return false
  // The local network does not need the Internet.
  return !isLocal(result.address ?? hostOf(url))
}

/** Detector of outages of this machine's own network. */
export class Connectivity {
  readonly outage: OwnOutage
  readonly #options: ConnectivityOptions
  #wasInternetSeen = false

  constructor(options: ConnectivityOptions) {
    this.#options = options
    this.outage = new OwnOutage({
      ...options,
      look: () => this.#dialAll(),
      onBegin: () => options.log?.({ event: 'outage_began' }),
      onEnd: (seconds) => options.log?.({ event: 'outage_ended', seconds }),
    })
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

  /**
   * Whether a response from the server proves that the Internet is reachable. A response from a local network proves it only if
   * no reference host ever responded.
   */
  #provesInternet(address: string): boolean {
    return !isLocal(address) || !this.#wasInternetSeen
  }
}

/** Tests whether a host accepts or refuses a TCP connection. Either shows that the host is reachable. */
export function dialTcp({ host, port }: Reference): Promise<DialResult> {
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

/** Resolves with true as soon as one of the promises resolves with true, and with false if none does. */
export function firstTrue(promises: readonly Promise<boolean>[]): Promise<boolean> {
  const demanding = promises.map(async (promise) => {
    if (!(await promise)) throw new Error('not this one')
    return true
  })
  return Promise.any(demanding).catch(() => false)
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : ''
}

/** Ranges of addresses that need no Internet. */
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

/**
 * Returns whether a host is on this machine or its own network. An address that is not public, such as one of NAT64, may still
 * need the Internet.
 */
export function isLocal(host: string): boolean {
  const bare = host.replace(/%.*$/s, '')
  if (ipaddr.isValid(bare)) return LOCAL_RANGES.has(ipaddr.process(bare).range())
  return isInternalName(bare)
}

/** Whether the name is one of this machine's own names, which the system resolves without a name server. */
export function isOwnName(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host)
}
