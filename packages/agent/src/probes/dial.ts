// Opens a new connection for each request to a target, and records how long each phase of connecting takes.
import { constants, type X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import * as tls from 'node:tls'
import type { ProxyAddress } from '@dogwatch/check-rules/request'
import type { Check } from '@dogwatch/monitor-sdk'
import { OwnTrouble } from '../process/own-trouble.ts'
import type { Attempt } from './attempt.ts'
import { readCertificate } from './certificate.ts'
import { connectFirst } from './connect-first.ts'
import { faultOfAddress, findAddresses } from './lookup.ts'
import type { Phase } from './observation.ts'
import { openTunnel } from './proxy.ts'
import { isMachineOff, untrustedBy } from './trust.ts'

export interface Endpoint {
  host: string
  port: number
  /** Whether the attempt waits for a response after the connection is open. */
  answers: boolean
  secure?: Security
  /**
   * Proxy to connect to instead of the host, and whether the proxy opens a tunnel to the host. Absent if the probe connects to
   * the host itself.
   */
  proxy?: ProxyAddress & { tunnels: boolean }
}

export interface Security {
  /**
   * Name that the certificate must be valid for. The TLS handshake also sends the name to the target, unless it is an IP address.
   */
  name: string
  may_be_anyone: boolean
  /** Whether the attempt reports the target's certificate. */
  shows_certificate: boolean
  protocols?: string[]
}

/** Returns the security of a connection to a target whose certificate must be valid for `name`, unless the check accepts any. */
export function securityOf(name: string, { insecure_skip_verify = false }: Check): Security {
  return { name, may_be_anyone: insecure_skip_verify, shows_certificate: true }
}

/** Calls `onOpen` with a connection, even while its TLS handshake is still in progress. The attempt ends if it cannot connect. */
export function dial(attempt: Attempt, endpoint: Endpoint, onOpen: (socket: Socket) => void): void {
  const { host, port, answers, secure, proxy } = endpoint
  const next = answers ? 'first_byte' : undefined
  const goOn = (socket: Socket): void => {
    attempt.enter(secure ? 'tls' : next)
    onOpen(secure ? secured(attempt, socket, secure, next) : socket)
  }
  if (!proxy) return connectHost(attempt, { host, port, isAcceptEnough: !answers && !secure }, goOn)
  attempt.via = 'the proxy'
  connectHost(attempt, { host: proxy.host, port: proxy.port, isAcceptEnough: false }, (socket) => {
    const onTunnel = (): void => {
      attempt.via = undefined
      goOn(socket)
    }
    if (proxy.tunnels) openTunnel(attempt, socket, { proxy, host, port }, onTunnel)
    else onTunnel()
  })
}

type ConnectEnd = Pick<Endpoint, 'host' | 'port'> & { isAcceptEnough: boolean }

function connectHost(
  attempt: Attempt,
  { host, port, isAcceptEnough }: ConnectEnd,
  onOpen: (socket: Socket) => void,
): void {
  const onConnect = (socket: Socket): void => {
    attempt.hold(socket)
    onOpen(socket)
  }
  const family = isIP(host)
  if (family !== 0) {
    attempt.enter('connect')
    // A literal address needs no lookup.
    const fault = faultOfAddress(attempt, host)
    if (fault) return attempt.fail(fault)
    return connectFirst(attempt, { addresses: [{ address: host, family }], port, isAcceptEnough, onConnect })
  }
  findAddresses(attempt, host, (addresses) => {
    attempt.enter('connect')
    connectFirst(attempt, { addresses, port, isAcceptEnough, onConnect })
  })
}

/** Dials like {@link dial}, and calls `onReady` once the TLS handshake is complete. Errors of the connection end the attempt. */
export function connectTo(attempt: Attempt, endpoint: Endpoint, onReady: (socket: Socket) => void): void {
  dial(attempt, endpoint, (socket) => {
    if (endpoint.secure) return onSecured(attempt, socket, onReady)
    attempt.failOnErrorOf(socket)
    onReady(socket)
  })
}

/** Starts TLS on an open connection. Resolves once the handshake is complete and the certificate is accepted. */
export function startTls(attempt: Attempt, raw: Socket, secure: Security, next: Phase): Promise<Socket> {
  attempt.enter('tls')
  return new Promise((resolve) => onSecured(attempt, secured(attempt, raw, secure, next), resolve))
}

function onSecured(attempt: Attempt, socket: Socket, onReady: (socket: Socket) => void): void {
  attempt.failOnErrorOf(socket)
  const onSecureConnect = (): void => {
    if (!attempt.isOver) onReady(socket)
  }
  socket.on('secureConnect', attempt.guarded(onSecureConnect))
}

/** Phase of the attempt that follows the TLS handshake. Undefined if no phase follows. */
type Next = Phase | undefined

/** Makes a TLS handshake on a connection, and judges the certificate. Then the attempt enters the phase `next`. */
function secured(attempt: Attempt, raw: Socket, secure: Security, next: Next): Socket {
  // If this machine's clock is wrong, Node must not reject certificates by it. `untrustedBy` judges the certificate by the server
  // time before anything is sent.
  const server_time = secure.may_be_anyone ? undefined : timeIfOff(attempt)
  // Node returns the certificate only once, so this variable keeps it.
  let presented: X509Certificate | undefined
  const certificateOf = (): X509Certificate | undefined => (presented ??= socket.getPeerX509Certificate())
  const socket: tls.TLSSocket = tls.connect({
    ...{ socket: raw, ...securely(secure), ...(server_time && { rejectUnauthorized: false }) },
    checkServerIdentity: (_host, whole) =>
      server_time ? tls.checkServerIdentity(secure.name, whole) : identityFault(certificateOf(), secure.name),
  })
  // To check the name, Node would read all certificates of the path, which costs as much as the rest of the handshake.
  if (!server_time) socket.getPeerCertificate = () => ({}) as tls.DetailedPeerCertificate
  raw.on('error', (error) => socket.destroy(error))
  attempt.hold(socket)
  const onSecureConnect = (): void => {
    const untrusted = server_time && untrustedBy(socket, server_time)
    if (untrusted instanceof OwnTrouble) return attempt.crash(untrusted)
    if (untrusted) return attempt.fail(untrusted)
    if (secure.shows_certificate) {
      const certificate = readCertificate(certificateOf(), socket.getProtocol(), !secure.may_be_anyone)
      const { via } = attempt
      attempt.certificates.push(certificate && via !== undefined ? { ...certificate, address: via } : certificate)
    }
    attempt.enter(next)
  }
  socket.on('secureConnect', attempt.guarded(onSecureConnect))
  return socket
}

/** Returns an error if the certificate is for other names. */
function identityFault(certificate: X509Certificate | undefined, name: string): Error | undefined {
  const subjectaltname = certificate?.subjectAltName ?? ''
  if (!tls.checkServerIdentity(name, { subjectaltname } as tls.PeerCertificate)) return undefined
  // If a certificate has no alternative names, its subject contains the name.
  return tls.checkServerIdentity(name, certificate?.toLegacyObject() ?? ({} as tls.PeerCertificate))
}

/** Returns the server's time if this machine's clock is wrong. */
function timeIfOff({ bounds }: Attempt): Date | undefined {
  const time = bounds.server_time?.()
  return time && isMachineOff(time) ? time : undefined
}

/**
 * TLS context that all connections share. Creating one costs as much as half a handshake, and only the garbage collector frees
 * its memory.
 */
let context: tls.SecureContext | undefined

function securely({ name, may_be_anyone, protocols }: Security): tls.ConnectionOptions {
  context ??= tls.createSecureContext({
    // With finite-field key exchange, the target chooses the size of the numbers. 10,000 bits would block this thread for a
    // second. Browsers do not support it either.
    ciphers: `${tls.DEFAULT_CIPHERS}:!DHE`,
    // Otherwise, a target could request one handshake after another until the timeout.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })
  return {
    secureContext: context,
    rejectUnauthorized: !may_be_anyone,
    ...(isIP(name) ? {} : { servername: name }),
    ...(protocols ? { ALPNProtocols: protocols } : {}),
  }
}
