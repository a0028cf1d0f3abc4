// Reads the certificate that a target presented, and when the first of those ends that it was verified by.
import type { TLSSocket } from 'node:tls'
import type { Certificate } from './observation.ts'
import { endOf, endOfPath } from './verified-path.ts'

/**
 * No session is ever resumed here, since nothing would be presented then. Undefined when nothing was nevertheless, or
 * nothing that says until when it holds.
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
  return { summary: summary.join('; '), not_after, path_ends: (isVerified && endOfPath(certificate)) || not_after }
}

/** Each part of a name stands on a line of its own. The types say that there is always one; an empty subject has none. */
function oneLine(name: string | undefined): string {
  return (name ?? '').trim().split('\n').join(', ')
}
