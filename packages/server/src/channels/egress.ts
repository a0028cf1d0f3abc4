// Requests to addresses that people typed: checked where the socket is opened, and bounded in time and size.
import { constants } from 'node:crypto'
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request as overHttp,
} from 'node:http'
import { request as overHttps } from 'node:https'
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_CIPHERS, type SecureContextOptions } from 'node:tls'
import { isPublicAddress } from '@dogwatch/check-rules/target'
import ipaddr from 'ipaddr.js'
import { bootMs } from '../runtime/clock.ts'
import { SEND_MS } from './channel.ts'
import { faultWords } from './fault.ts'
import { NoName, OwnTrouble, type Resolve, resolveByDns, resolveBySystem } from './resolve.ts'

export interface Egress {
  /** Addresses or ranges that may be reached although they are not public. */
  egress_allow: readonly string[]
  /** Left out: by the hosts file and DNS. */
  resolve?: Resolve
  /** A clock in milliseconds that does not stand still when this process or machine does; left out, the machine's. */
  elapsedMs?: () => number
  /** Waits for so many milliseconds. Default: by a timer. */
  wait?: (ms: number) => Promise<void>
}

export type Answer =
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
      /** Our own machine or name server is in trouble. */
      is_ours?: true
      /** The host that could not be connected to. */
      unreached?: string
    }

/**
 * Never rejects. Credentials in a url are sent as basic auth. No reason contains them, nor more of the url than its
 * host.
 */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  /** Left out: POST. */
  method?: string,
) => Promise<Answer>

/** At most this much of an answer is read. */
const MAX_ANSWER = 4096
const MAX_HEADERS = 16_384
/** Interim answers (103 Early Hints, for example) before the answer itself. Each costs as much as an answer. */
const MAX_INTERIM = 20

/**
 * Without finite-field key exchange, in which the receiver chooses the size: 10,000 bits stop this process for a second.
 * And without renegotiation, or a receiver could ask for one handshake after another.
 */
export const LIGHT_TLS: SecureContextOptions = {
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
}

/**
 * A request to public and allowed addresses only; with `anywhere`, to all. Nothing is sent once the deadline has passed,
 * even if this process stood still meanwhile: another one may have sent the message since, and what came after it.
 */
export function openPost(egress: Egress | 'anywhere', deadline_ms = SEND_MS): Post {
  const guard = openGuard(egress)
  const { elapsedMs = bootMs } = egress === 'anywhere' ? {} : egress
  return async (url, headers, body, method = 'POST') => {
    const began_ms = elapsedMs()
    if (!URL.canParse(url)) return { kind: 'failed', reason: 'the URL is not valid' }
    const target = new URL(url)
    if (target.protocol !== 'http:' && target.protocol !== 'https:') {
      return { kind: 'failed', reason: 'the URL must start with http:// or https://' }
    }
    // No lookup is made for a literal address.
    if (guard.blocks(bareHost(target))) return { kind: 'failed', reason: BLOCKED }
    const over = new AbortController()
    const answer = await exchange(target, {
      method,
      headers: { 'user-agent': 'Dogwatch', ...headers, 'content-length': String(Buffer.byteLength(body)) },
      lookup: guard.lookup(over.signal),
      body,
      deadline_ms,
      isOver: () => elapsedMs() - began_ms >= deadline_ms,
    })
    over.abort()
    return answer
  }
}

/** The host of a url; of an IPv6 address, without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/** What stands between a name or address that somebody typed and a socket to it. */
export interface Guard {
  /** Whether it is a literal address that may not be reached. */
  blocks(host: string): boolean
  /** For a socket: resolves a name once, and refuses it unless every address of it may be reached. */
  lookup(signal: AbortSignal): LookupFunction
}

/** Lets through public and allowed addresses only; with `anywhere`, all. */
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
          // Our name servers answer nothing at all, which is no news of this name.
          if (error instanceof OwnTrouble) throw error
          await wait(Math.max(0, NAME_FAULT_MS - (elapsedMs() - began_ms)))
          throw new NameFault(name, error)
        }
      }),
  }
}

/** Whether an address may be reached: it is public, or the operator allows it. */
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

/** Reason for a literal address that is refused. */
export const BLOCKED = 'blocked: the address is not public; the operator can allow the address in EGRESS_ALLOW'

const STOOD_STILL = 'this server was too busy to connect'

/** A name that leads to an address that is not allowed. */
class Blocked extends Error {}

/** Shortest time after which an unusable name is reported, in milliseconds: the time must not tell why it is unusable. */
const NAME_FAULT_MS = 500

/** A name that leads nowhere public: the same words for names inside of our network, unknown ones and broken ones. */
export class NameFault extends Error {
  /** Whether the name servers answered, so that trouble on our side is ruled out. */
  readonly isTheirs: boolean

  constructor(name: string, cause: unknown) {
    super(`the name ${name} has no public address`, { cause })
    this.isTheirs = cause instanceof Blocked || cause instanceof NoName
  }

  /** Why, for the log of the operator. */
  get forOperator(): string {
    return faultWords(this.cause)
  }
}

/** Errors of this machine, not of the way to a host: no files or ports left, or no network at all. */
const OWN_FAULTS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'ENETDOWN', 'ENETUNREACH'])

/** Whether our machine is to blame. Without IPv6 here, a host that has nothing else is simply unreachable. */
function isOwnFault(error: unknown): boolean {
  if (error instanceof OwnTrouble) return true
  if (error instanceof NameFault) return isOwnFault(error.cause)
  if (error instanceof AggregateError) return error.errors.some(isOwnFault)
  const { code = '', address } = error as NodeJS.ErrnoException & { address?: string }
  return OWN_FAULTS.has(code) && (address === undefined || isIP(address) !== 6)
}

/** Refuses a name without an address, or with one that may not be reached. */
function judged(
  name: string,
  addresses: readonly LookupAddress[],
  mayDial: (address: string) => boolean,
): readonly LookupAddress[] {
  if (addresses.length === 0) throw new NoName(`${name} has no address`)
  if (!addresses.every(({ address }) => mayDial(address))) throw new Blocked(BLOCKED)
  return addresses
}

/** Makes a lookup for a socket, which connects to exactly these addresses: the name is resolved once. */
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

/** Describes an error before or after a connection: in words, and whether the host could not be reached, or our machine is to blame. */
export function connectionFault(
  error: unknown,
  host: string,
  isConnected: boolean,
): Pick<Extract<Answer, { kind: 'failed' }>, 'reason' | 'for_operator' | 'is_ours' | 'unreached'> {
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
  /** Whether the deadline has passed, also when the timer could not fire. */
  isOver: () => boolean
}

function exchange(target: URL, { method, headers, lookup, body, deadline_ms, isOver }: Exchange): Promise<Answer> {
  const options: RequestOptions & SecureContextOptions = {
    method,
    headers,
    lookup,
    // A connection of its own: not one that was checked under another rule, and no proxy from the environment.
    agent: false,
    maxHeaderSize: MAX_HEADERS,
    ...LIGHT_TLS,
  }
  return new Promise((resolve) => {
    let sent: ClientRequest | undefined
    let answered: (() => void) | undefined
    let isConnected = false
    const finish = (answer: Answer): void => {
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
        answered = take(answer, finish)
      })
      let interim = 0
      sent.on('information', () => {
        interim++
        if (interim > MAX_INTERIM) fail(new Error(`more than ${MAX_INTERIM} interim responses`))
      })
      // A server that answers 101 switches to a protocol that nobody asked for, and would never end.
      sent.on('upgrade', ({ statusCode = 101 }) =>
        finish({ kind: 'answered', status: statusCode, retry_after: undefined, body: '' }),
      )
      sent.on('socket', (socket) => {
        // These come before the request is written, and destroying the socket keeps it from being written.
        socket.prependListener('connect', unlessOver).prependListener('secureConnect', unlessOver)
        socket.once('connect', () => (isConnected = true))
      })
      sent.on('error', fail).end(body)
    } catch (error) {
      // The request itself could not be made, for example because of an invalid header.
      isConnected = true
      fail(error)
    }
  })
}

/**
 * The status decides. As much of the body as comes in time and fits may explain it. The returned function stops
 * waiting.
 */
function take(answer: IncomingMessage, finish: (answer: Answer) => void): () => void {
  const chunks: Buffer[] = []
  let size = 0
  const done = (): void =>
    finish({
      kind: 'answered',
      status: answer.statusCode ?? 0,
      retry_after: answer.headers['retry-after'],
      body: Buffer.concat(chunks).subarray(0, MAX_ANSWER).toString('utf8'),
      headers: answer.headers,
    })
  answer
    .on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_ANSWER) done()
    })
    .on('end', done)
    .on('error', done)
  return done
}
