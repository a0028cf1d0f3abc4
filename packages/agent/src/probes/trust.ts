// Whether to trust a target's certificate while this machine's clock is wrong.
//
// The platform verifies dates by the machine's clock, and nothing can tell it another time. So the dates are compared
// with the server's time here, which is the same for all monitors.
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { OwnTrouble } from '../process/own-trouble.ts'
import { DATED, faultOf } from './faults.ts'
import type { Fault } from './observation.ts'

/** The agent knows the server's time to a second, so a smaller difference says nothing. */
const MACHINE_OFF_MS = 1000

export function isMachineOff(server_time: Date): boolean {
  return Math.abs(Date.now() - server_time.getTime()) > MACHINE_OFF_MS
}

/**
 * What is wrong with the certificate that a target presented, by the server's time; undefined when it is trusted. The
 * handshake must have ended without rejecting it.
 *
 * The target's own certificate is judged with certainty: a platform with the right time reports its dates before
 * anything else. An issuer is not: the platform does not say which issuers it used, and may use others at another
 * time. So an issuer whose dates lie between the two clocks leaves the verdict open.
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
  // This is a code, whatever the types say.
  const found = faultOf({ code: String(socket.authorizationError) }, 'tls')
  if (found instanceof OwnTrouble || !found.isDated) return found
  if (differs || !outByServer.includes(true)) return unsure
  return { kind: found.kind, words: found.words }
}

/** From the target's own certificate to the last issuer that is known; the last one may be its own issuer. */
function chainOf(first: DetailedPeerCertificate): Set<DetailedPeerCertificate> {
  const chain = new Set([first])
  for (let next = issuerOf(first); next && !chain.has(next); next = issuerOf(next)) chain.add(next)
  return chain
}

/** Absent when the issuer is not known, whatever the types say. */
function issuerOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate | undefined {
  return certificate.issuerCertificate
}

/** Dates that cannot be read are out of nothing: the platform takes them. */
function outOfDate({ valid_from, valid_to }: DetailedPeerCertificate, at: Date): Fault | undefined {
  if (new Date(valid_to) <= at) return DATED.expired
  return new Date(valid_from) > at ? DATED.not_yet : undefined
}
