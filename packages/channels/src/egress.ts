// Sends requests to addresses that users typed: checked where the socket is opened, and bounded in time and size.
import { constants } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as overHttp,
  type RequestOptions,
} from 'node:http'
import { request as overHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls'
import { isPublicAddress } from '@dogwatch/check-rules/target'
import { bootMs } from '@dogwatch/runtime/clock'
import ipaddr from 'ipaddr.js'
import { SEND_MS } from './channel.ts'
import { faultWords } from './fault.ts'
import { NoName, OwnTrouble, type Resolve, resolveByDns, resolveBySystem } from './resolve.ts'

export interface Egress {
  /** Addresses or ranges that are allowed although they are not public. */
  egress_allow: readonly string[]
  /** Resolver of names. Default: the hosts file and DNS. */
  resolve?: Resolve
  /** A clock in milliseconds that also advances while this process or machine stands still. Default: the machine's clock. */
  elapsedMs?: () => number
  /** Waits for a number of milliseconds. Default: a timer. */
  wait?: (ms: number) => Promise<void>
}

export type EgressOutcome =
  | {
      kind: 'answered'
      status: number
      retry_after: string | undefined
      body: string
      headers?: IncomingHttpHeaders
    }
  | {
      kind: 'failed'
      reason: string
      for_operator?: string
      /** Whether the fault is in our own machine or name server. */
      is_ours?: true
      /** The host that could not be reached. */
      unreached?: string
    }

/**
 * Sends a request. Never rejects. Credentials in a URL are sent as Basic authentication. No reason contains them, nor any other
 * part of the URL than its host.
 */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  /** HTTP method. Default: POST. */
  method?: string,
) => Promise<EgressOutcome>

/** Maximum length of a response that is read, in bytes. */
const MAX_ANSWER = 4096
const MAX_HEADERS = 16_384
/** Maximum number of interim responses (103 Early Hints, for example), because each costs as much as a response. */
const MAX_INTERIM = 20

/**
 * TLS options for receivers. No finite-field key exchange, because the receiver could choose a size that blocks this process for
 * a second. No renegotiation, because it could request one handshake after another.
 */
export const LIGHT_TLS: SecureContextOptions = {
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
}

/**
 * Opens a sender for public and allowed addresses, or for all with `anywhere`. It sends nothing after the deadline, because another
 * process may have sent this alert and later ones. `max_bytes`: length of the part of a response to read.
 */
export function openPost(egress: Egress | 'anywhere', deadline_ms = SEND_MS, max_bytes = MAX_ANSWER): Post {
  const guard = openGuard(egress)
  const { elapsedMs = bootMs } = egress === 'anywhere' ? {} : egress
  return async (url, headers, body, method = 'POST') => {
    const began_ms = elapsedMs()
    if (!URL.canParse(url)) return { kind: 'failed', reason: 'the URL is not valid' }
    const target = new URL(url)
    if (target.protocol !== 'http:' && target.protocol !== 'https:') {
      return { kind: 'failed', reason: 'the URL must start with http:// or https://' }
    }
    // Literal addresses need no lookup.
    if (guard.blocks(bareHost(target))) return { kind: 'failed', reason: BLOCKED }
    const over = new AbortController()
    const answer = await exchange(target, {
      method,
      headers: { 'user-agent': 'Dogwatch', ...headers, 'content-length': String(Buffer.byteLength(body)) },
      lookup: guard.lookup(over.signal),
      body,
      deadline_ms,
      max_bytes,
      isOver: () => elapsedMs() - began_ms >= deadline_ms,
    })
    over.abort()
    return answer
  }
}

/** Returns the host of a URL, without the brackets of an IPv6 address. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/** Guard between a name or address that a user typed and a socket to it. */
export interface Guard {
  /** Whether a host is a literal address that is not allowed. */
  blocks(host: string): boolean
  /** Returns the lookup of a socket. It resolves a name once, and refuses the name unless every address is allowed. */
  lookup(signal: AbortSignal): LookupFunction
}

/** Opens a guard that allows public addresses and those in `egress_allow` only, or all addresses with `anywhere`. */
export function openGuard(egress: Egress | 'anywhere'): Guard {
  if (egress === 'anywhere')
    return { blocks: () => false, lookup: (signal) => lookupBy((name) => resolveBySystem(name, signal)) }
  const { egress_allow, resolve = resolveByDns(), elapsedMs = bootMs, wait = sleep } = egress
  const mayDial = addressRule(egress_allow)
  return {
    blocks: (host) => isIP(host) !== 0 && !mayDial(host),
    lookup: (signal) =>
      lookupBy(async (name) => {
        const began_ms = elapsedMs()
        try {
          return judged(name, await resolve(name, signal), mayDial)
        } catch (error) {
          // Our name servers do not respond at all, which says nothing about this name.
          if (error instanceof OwnTrouble) throw error
          await wait(Math.max(0, NAME_FAULT_MS - (elapsedMs() - began_ms)))
          throw new NameFault(name, error)
        }
      }),
  }
}

/** Returns a function that tests whether an address is allowed: it is public, or the operator allows it. */
export function addressRule(allow: readonly string[]): (address: string) => boolean {
  const ranges = allow.map((range) => (range.includes('/') ? ipaddr.parseCIDR(range) : wholeOf(range)))
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const [plain, given] = [ipaddr.process(text), ipaddr.parse(text)]
    const isAllowed = ranges.some((range) =>
      [plain, given].some((address) => address.kind() === range[0].kind() && address.match(range)),
    )
    return isAllowed || isPublicAddress(text)
  }
}

function wholeOf(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.parse(address)
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128]
}

/** Reason for refusing a literal address. */
export const BLOCKED = 'blocked: the address is not public; the operator can allow the address in EGRESS_ALLOW'

const STOOD_STILL = 'this server was too busy to connect'

/** A name that leads to an address that is not allowed. */
class BlockedAddress extends Error {}

/** Minimum time before an unusable name is reported, in milliseconds, because the time must not reveal why it is unusable. */
const NAME_FAULT_MS = 500

/** A name without a public address. Internal, unknown and broken names have the same message. */
export class NameFault extends Error {
  /** Whether the name servers responded, which rules out a fault on our side. */
  readonly isTheirs: boolean

  constructor(name: string, cause: unknown) {
    super(`the name ${name} has no public address`, { cause })
    this.isTheirs = cause instanceof BlockedAddress || cause instanceof NoName
  }

  /** Reason for the log of the operator. */
  get forOperator(): string {
    return faultWords(this.cause)
  }
}

/** Errors of this machine and not of the network path: no files or ports left, or no network at all. */
const OWN_FAULTS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'ENETDOWN', 'ENETUNREACH'])

/** Whether our machine is at fault. Without IPv6 here, a host with only IPv6 addresses is simply unreachable. */
function isOwnFault(error: unknown): boolean {
  if (error instanceof OwnTrouble) return true
  if (error instanceof NameFault) return isOwnFault(error.cause)
  if (error instanceof AggregateError) return error.errors.some(isOwnFault)
  const { code = '', address } = error as NodeJS.ErrnoException & { address?: string }
  return OWN_FAULTS.has(code) && (address === undefined || isIP(address) !== 6)
}

/** Refuses a name that has no address, or has one that is not allowed. */
function judged(
  name: string,
  addresses: readonly LookupAddress[],
  mayDial: (address: string) => boolean,
): readonly LookupAddress[] {
  if (addresses.length === 0) throw new NoName(`${name} has no address`)
  if (!addresses.every(({ address }) => mayDial(address))) throw new BlockedAddress(BLOCKED)
  return addresses
}

/**
 * Returns a lookup for a socket. The socket connects only to the addresses that `resolve` returns, because the name is resolved
 * once.
 */
function lookupBy(resolve: (name: string) => ReturnType<Resolve>): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses
        if (all || !first) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}

/** Describes a connection error in words, and says whether the host was unreachable or our machine is at fault. */
export function connectionFault(
  error: unknown,
  host: string,
  isConnected: boolean,
): Pick<Extract<EgressOutcome, { kind: 'failed' }>, 'reason' | 'for_operator' | 'is_ours' | 'unreached'> {
  const named = error instanceof NameFault ? error : undefined
  return {
    reason: faultWords(error),
    ...(named && { for_operator: named.forOperator }),
    ...(!isConnected && isOwnFault(error) && { is_ours: true }),
    ...(!isConnected && named?.isTheirs !== true && { unreached: host }),
  }
}

interface Exchange {
  method: string
  headers: Record<string, string>
  lookup: LookupFunction
  body: string
  deadline_ms: number
  max_bytes: number
  /** Whether the deadline has passed, even if the timer could not fire. */
  isOver: () => boolean
}

function exchange(
  target: URL,
  { method, headers, lookup, body, deadline_ms, max_bytes, isOver }: Exchange,
): Promise<EgressOutcome> {
  const options: RequestOptions & SecureContextOptions = {
    method,
    headers,
    lookup,
    // Opens a new connection for each request, because an older one may have been checked under another rule. Uses no proxy from
    // the environment.
    agent: false,
    maxHeaderSize: MAX_HEADERS,
    ...LIGHT_TLS,
  }
  return new Promise((resolve) => {
    let sent: ClientRequest | undefined
    let answered: (() => void) | undefined
    let isConnected = false
    const finish = (answer: EgressOutcome): void => {
      clearTimeout(timer)
      sent?.destroy()
      resolve(answer)
    }
    const fail = (error: unknown): void => {
      finish({ kind: 'failed', ...connectionFault(error, bareHost(target), isConnected) })
    }
    const unlessOver = (): void => {
      if (isOver()) finish({ kind: 'failed', reason: STOOD_STILL, is_ours: true })
    }
    const timer = setTimeout(() => {
      if (answered) answered()
      else fail(new Error(`no response within ${deadline_ms / 1000} s`))
    }, deadline_ms)
    try {
      sent = (target.protocol === 'https:' ? overHttps : overHttp)(target, options, (answer) => {
        answered = take(answer, finish, max_bytes)
      })
      let interim = 0
      sent.on('information', () => {
        interim++
        if (interim > MAX_INTERIM) fail(new Error(`more than ${MAX_INTERIM} interim responses`))
      })
      // A server that responds with 101 switches to a protocol that we did not request. Its response would never end.
      sent.on('upgrade', ({ statusCode = 101 }) =>
        finish({ kind: 'answered', status: statusCode, retry_after: undefined, body: '' }),
      )
      sent.on('socket', (socket) => {
        // These events come before the request is written. Destroying the socket prevents the write.
        socket.prependListener('connect', unlessOver).prependListener('secureConnect', unlessOver)
        socket.once('connect', () => (isConnected = true))
      })
      sent.on('error', fail).end(body)
    } catch (error) {
      // The request itself is invalid, for example because of a header, so the host must not count as unreachable.
      isConnected = true
      fail(error)
    }
  })
}

/**
 * Reads a response. The status decides, and the part of the body that arrives in time and fits can explain it. Returns a function
 * that stops the wait.
 */
function take(answer: IncomingMessage, finish: (answer: EgressOutcome) => void, max_bytes: number): () => void {
  const chunks: Buffer[] = []
  let size = 0
  const done = (): void =>
    finish({
      kind: 'answered',
      status: answer.statusCode ?? 0,
      retry_after: answer.headers['retry-after'],
      body: Buffer.concat(chunks).subarray(0, max_bytes).toString('utf8'),
      headers: answer.headers,
    })
  answer
    .on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size >= max_bytes) done()
    })
    .on('end', done)
    .on('error', done)
  return done
}
