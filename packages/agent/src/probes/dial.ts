// Opens a connection of its own for each look at a target, and notes on its way what takes how long.
import { connect, isIP, type Socket } from 'node:net'
import * as tls from 'node:tls'
import type { Attempt, Phase } from './attempt.ts'
import { readCertificate } from './certificate.ts'
import { lookupOf } from './lookup.ts'

export interface Endpoint {
  host: string
  port: number
  /** Whether an answer is waited for once there is a connection. */
  answers: boolean
  secure?: Security
}

export interface Security {
  /** Whom the certificate must be for, and who is asked for when it is a name. */
  name: string
  may_be_anyone: boolean
  /** Whether the certificate is looked at. */
  shows_certificate: boolean
  protocols?: string[]
}

/** Undefined when the address may not be dialled; the attempt has then ended. */
export function dial(attempt: Attempt, { host, port, answers, secure }: Endpoint): Socket | undefined {
  const isLiteral = isIP(host) !== 0
  attempt.enter(isLiteral ? 'connect' : 'dns')
  // No lookup is made for a literal address.
  if (isLiteral && !attempt.bounds.mayDial(host)) {
    attempt.fail({ kind: 'blocked', words: 'the address is not a public one' })
    return undefined
  }
  const { timeout_ms } = attempt.bounds
  // One lost packet takes a second to be sent again: the default of 250 ms gives up on a family that is alive.
  const autoSelectFamilyAttemptTimeout = Math.max(10, Math.min(2500, timeout_ms / 4))
  const options = { host, port, lookup: lookupOf(attempt), autoSelectFamilyAttemptTimeout }
  const next = answers ? 'first_byte' : undefined
  if (!secure) return watched(attempt, connect(options), next)
  const socket = tls.connect({ ...options, ...securely(secure) })
  watchHandshake(attempt, socket, secure, next)
  return watched(attempt, socket, 'tls')
}

/** What follows a connection, when there is something to follow it. */
type Next = Phase | undefined

function watched(attempt: Attempt, socket: Socket, next: Next): Socket {
  attempt.hold(socket)
  const onLookup = (error: Error | null): void => {
    if (!error && attempt.phase === 'dns') attempt.enter('connect')
  }
  const onConnectionAttempt = (address: string): void => {
    attempt.address = address
  }
  const onConnect = (): void => {
    if (socket.remoteAddress) attempt.address = socket.remoteAddress
    attempt.enter(next)
  }
  socket.on('lookup', attempt.guarded(onLookup))
  socket.on('connectionAttempt', attempt.guarded(onConnectionAttempt))
  socket.on('connect', attempt.guarded(onConnect))
  return socket
}

function watchHandshake(attempt: Attempt, socket: tls.TLSSocket, { shows_certificate }: Security, next: Next): void {
  const onSecureConnect = (): void => {
    if (shows_certificate) attempt.certificates.push(readCertificate(socket))
    attempt.enter(next)
  }
  socket.on('secureConnect', attempt.guarded(onSecureConnect))
}

/** One for all connections: making one costs as much as half a handshake, and its memory goes only with the collector. */
let context: tls.SecureContext | undefined

function securely({ name, may_be_anyone, protocols }: Security): tls.ConnectionOptions {
  context ??= tls.createSecureContext()
  return {
    secureContext: context,
    rejectUnauthorized: !may_be_anyone,
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(name, certificate),
    ...(isIP(name) ? {} : { servername: name }),
    ...(protocols ? { ALPNProtocols: protocols } : {}),
  }
}
