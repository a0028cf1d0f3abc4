// Finds the certificates by which a target's certificate was verified, because the platform does not say which these were.
import { X509Certificate } from 'node:crypto'
import * as tls from 'node:tls'

/** Targets choose how many they send, and each is compared with each. Paths of more than five are not in use. */
const SENT_MAX = 32
const PATH_MAX = 16

/**
 * Returns when the first certificate ends of the path by which one was verified, the root included. As the platform
 * does, prefers an issuer that this machine trusts to one that was sent, and of several the one that ends last.
 */
export function endOfPath(certificate: X509Certificate): Date | undefined {
  const sent = sentWith(certificate)
  const ends: (Date | undefined)[] = []
  let at: X509Certificate | undefined = certificate
  while (at && ends.length < PATH_MAX) {
    ends.push(endOf(at))
    at = at.checkIssued(at) ? undefined : (latestIssuer(at, trusted().get(at.issuer)) ?? latestIssuer(at, sent))
  }
  return ends.reduce((first, end) => (first && end && first <= end ? first : end))
}

/** Returns undefined for a date that cannot be read: the platform accepts it, and `validToDate` would be some other date. */
export function endOf({ validTo }: X509Certificate): Date | undefined {
  const end = new Date(validTo)
  return Number.isNaN(end.getTime()) ? undefined : end
}

/** The platform links a certificate to the one sent after it, whether that is its issuer or not. */
function sentWith(certificate: X509Certificate): X509Certificate[] {
  const sent: X509Certificate[] = []
  for (let next = certificate.issuerCertificate; next && sent.length < SENT_MAX; next = next.issuerCertificate) {
    sent.push(next)
  }
  return sent
}

function latestIssuer(of: X509Certificate, among: readonly X509Certificate[] = []): X509Certificate | undefined {
  const issuers = among.filter((one) => of.checkIssued(one))
  return issuers.toSorted((a, b) => Number(endOf(b)) - Number(endOf(a)))[0]
}

let roots: Map<string, X509Certificate[]> | undefined

/** Returns the certificates that this machine trusts by their subject. Reading them takes some 30 ms, once. */
function trusted(): ReadonlyMap<string, X509Certificate[]> {
  if (roots) return roots
  roots = new Map()
  for (const text of trustedTexts()) {
    const root = new X509Certificate(text)
    roots.set(root.subject, [...(roots.get(root.subject) ?? []), root])
  }
  return roots
}

/** Node 20 does not say what `NODE_EXTRA_CA_CERTS` adds. Paths to such a root end with its last issuer that was sent. */
function trustedTexts(): readonly string[] {
  const { getCACertificates = () => tls.rootCertificates } = tls as Partial<typeof tls>
  return getCACertificates('default')
}
