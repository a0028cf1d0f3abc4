// Reads the certificate that a target presented, and the first expiry among the certificates that verified it.
import type { TLSSocket } from 'node:tls'
import { oneLine } from './certificate-facts.ts'
import type { Certificate } from './observation.ts'
import { endOf, endOfPath } from './verified-path.ts'

/**
 * Reads the certificate, which is always presented because no session is resumed here. Returns undefined if there is none, or
 * none with a readable expiry.
 */
export function readCertificate(socket: TLSSocket, isVerified: boolean): Certificate | undefined {
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return undefined
  const not_after = endOf(certificate)
  if (!not_after) return undefined
  const parts = {
    subject: oneLine(certificate.subject),
    san: certificate.subjectAltName ?? '',
    issuer: oneLine(certificate.issuer),
    not_after: `${not_after.toISOString().slice(0, 19)}Z`,
  }
  const summary = Object.entries(parts).map(([name, value]) => `${name}=${value}`)
  const path_ends = (isVerified && endOfPath(certificate)) || not_after
  const not_before = new Date(certificate.validFrom)
  const tls_version = socket.getProtocol()
  return {
    ...{ summary: summary.join('; '), not_after, path_ends, presented: certificate },
    ...(Number.isNaN(not_before.getTime()) ? {} : { not_before }),
    ...(tls_version === null ? {} : { tls_version }),
  }
}
