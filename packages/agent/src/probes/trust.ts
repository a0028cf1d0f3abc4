// Decides whether to trust a target's certificate while this machine's clock is wrong.
//
// The platform verifies dates by the machine's clock, and cannot use another time. So the dates are compared here with the
// server's time, which is the same for all monitors. The target's own certificate is judged with certainty, because a platform
// with the right time reports its dates before anything else. Issuers are not, because the platform does not report which issuers
// it used, and may use others at another time.
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { OwnTrouble } from '../process/own-trouble.ts'
import { DATED, faultOf } from './faults.ts'
import type { Fault } from './observation.ts'

/**
 * Maximum difference between this machine's clock and the server time that is ignored, in milliseconds. The agent knows the
 * server time to a second.
 */
const MACHINE_OFF_MS = 1000

export function isMachineOff(server_time: Date): boolean {
  return Math.abs(Date.now() - server_time.getTime()) > MACHINE_OFF_MS
}

/**
 * Returns the fault of the certificate by the server time, or undefined if it can be trusted. The handshake must have ended
 * without a rejection. If only an issuer's dates depend on the clock, returns OwnTrouble.
 */
export function untrustedBy(socket: TLSSocket, server_time: Date): Fault | OwnTrouble | undefined {
  const machine_time = new Date()
  const [own, ...issuers] = chainOf(socket.getPeerCertificate(true))
  const fault = own && outOfDate(own, server_time)
  if (fault) return fault
  const [outByServer, outByMachine] = [server_time, machine_time].map((time) =>
    issuers.map((issuer) => outOfDate(issuer, time) !== undefined),
  ) as [boolean[], boolean[]]
  const differs = outByServer.some((isOut, n) => isOut !== outByMachine[n])
  const unsure = new OwnTrouble('machine_clock')
  if (socket.authorized) return differs ? unsure : undefined
  // `authorizationError` is a code, although Node's types say that it is an error.
  const found = faultOf({ code: String(socket.authorizationError) }, 'tls')
  if (found instanceof OwnTrouble || !found.isDated) return found
  if (differs || !outByServer.includes(true)) return unsure
  return { kind: found.kind, words: found.words }
}

/** Returns the target's certificate and its issuers, up to the last known issuer, which may have issued itself. */
function chainOf(first: DetailedPeerCertificate): Set<DetailedPeerCertificate> {
  const chain = new Set([first])
  for (let next = issuerOf(first); next && !chain.has(next); next = issuerOf(next)) chain.add(next)
  return chain
}

/** Returns the issuer of a certificate, or undefined if it is unknown. Node's types do not say that it can be unknown. */
function issuerOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate | undefined {
  return certificate.issuerCertificate
}

/** Returns the fault of a certificate's dates. Dates that cannot be read are no fault, because the platform accepts them. */
function outOfDate({ valid_from, valid_to }: DetailedPeerCertificate, at: Date): Fault | undefined {
  if (new Date(valid_to) <= at) return DATED.expired
  return new Date(valid_from) > at ? DATED.not_yet : undefined
}
