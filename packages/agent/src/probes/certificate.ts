// Reads the certificate that a target presented: its own one, not those of its issuers.
import type { TLSSocket } from 'node:tls'
import type { Certificate } from './probe.ts'

/** No session is ever resumed here, since nothing would be presented then; undefined when nothing was nevertheless. */
export function readCertificate(socket: TLSSocket): Certificate | undefined {
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return undefined
  const not_after = certificate.validToDate
  const parts = {
    subject: oneLine(certificate.subject),
    san: certificate.subjectAltName ?? '',
    issuer: oneLine(certificate.issuer),
    not_after: `${not_after.toISOString().slice(0, 19)}Z`,
  }
  const summary = Object.entries(parts).map(([name, value]) => `${name}=${value}`)
  return { summary: summary.join('; '), not_after }
}

/** Each part of a name stands on a line of its own. The types say that there is always one; an empty subject has none. */
function oneLine(name: string | undefined): string {
  return (name ?? '').trim().split('\n').join(', ')
}
