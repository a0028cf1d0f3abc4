// Reads the certificate that a target presented, and the first expiry among the certificates that verified it.
import type { X509Certificate } from 'node:crypto'
import { oneLine } from './certificate-facts.ts'
import type { Certificate } from './observation.ts'
import { endOf, endOfPath } from './verified-path.ts'

/**
 * Reads the target's certificate. Every handshake presents it, because the agent resumes no session. Returns undefined if there
 * is none, or its expiry cannot be read.
 */
export function readCertificate(
  certificate: X509Certificate | undefined,
  tls_version: string | null,
  isVerified: boolean,
): Certificate | undefined {
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
  return {
    ...{ summary: summary.join('; '), not_after, path_ends, presented: certificate },
    ...(Number.isNaN(not_before.getTime()) ? {} : { not_before }),
    ...(tls_version === null ? {} : { tls_version }),
  }
}
