// Finds the issuers by which the platform verified a target's certificate, because the platform does not report them.
import { X509Certificate } from 'node:crypto'
import * as tls from 'node:tls'

/**
 * Maximum number of certificates to read. Targets choose how many they send, and the agent compares each with every other one.
 * Real paths have at most five.
 */
const SENT_MAX = 32
const PATH_MAX = 16

/**
 * Returns the first expiry in the path that verified a certificate, including the root. Like Node, prefers trusted issuers to
 * those that the target sent, and among several the one that expires last.
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

/**
 * Returns the expiry, or undefined if the date cannot be read. Node accepts a certificate with such a date, but its `validToDate`
 * would be a wrong date.
 */
export function endOf({ validTo }: X509Certificate): Date | undefined {
  const end = new Date(validTo)
  return Number.isNaN(end.getTime()) ? undefined : end
}

/**
 * Returns the certificates that the target sent. Node links each to the next one that was sent, even if that one is not its
 * issuer.
 */
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

/** Returns the certificates that this machine trusts, by subject. Reading them takes some 30 ms, once. */
function trusted(): ReadonlyMap<string, X509Certificate[]> {
  if (roots) return roots
  roots = new Map()
  for (const text of trustedTexts()) {
    const root = new X509Certificate(text)
    roots.set(root.subject, [...(roots.get(root.subject) ?? []), root])
  }
  return roots
}

/**
 * Returns the trusted certificates as texts. On Node 20, they lack those of `NODE_EXTRA_CA_CERTS`, so a path to such a root ends
 * with the last issuer that the target sent.
 */
function trustedTexts(): readonly string[] {
  const { getCACertificates = () => tls.rootCertificates } = tls as Partial<typeof tls>
  return getCACertificates('default')
}
