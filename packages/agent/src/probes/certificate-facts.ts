// Reads the properties of a certificate that rules can compare.
import type { X509Certificate } from 'node:crypto'
import type { Certificate } from './observation.ts'

const DAY_MS = 86_400_000

/** Returns a property of a certificate. Returns undefined if it has no such property. */
export function certificateFact(certificate: Certificate, property: string, now: Date): unknown {
  const { presented, not_after, not_before, tls_version } = certificate
  const left_ms = not_after.getTime() - now.getTime()
  switch (property) {
    case 'days_left':
      return rounded(left_ms / DAY_MS)
    case 'lifetime_left_percent':
      return not_before && not_after > not_before
        ? rounded((100 * left_ms) / (not_after.getTime() - not_before.getTime()))
        : undefined
    case 'tls_version':
      return tls_version
  }
  return presented && propertyOf(presented, property)
}

/** Rounds down to two digits after the point. */
function rounded(number: number): number {
  return Math.floor(number * 100) / 100
}

function propertyOf(certificate: X509Certificate, property: string): unknown {
  switch (property) {
    case 'issuer':
      return oneLine(certificate.issuer)
    case 'subject':
      return oneLine(certificate.subject)
    case 'names':
      return namesIn(certificate.subjectAltName)
    case 'key':
      return keyOf(certificate)
    case 'signature':
      return signatureOf(certificate.raw)
    case 'fingerprint':
      return certificate.fingerprint256
    default:
      return undefined
  }
}

/**
 * Joins the parts of a certificate's name, which have a line each, into one line. `name` is absent for an empty subject, although
 * Node's types do not say so.
 */
export function oneLine(name: string | undefined): string {
  return (name ?? '').trim().split('\n').join(', ')
}

/** Returns the DNS names and IP addresses of a list such as `DNS:a.example, IP Address:192.0.2.1`. */
function namesIn(list = ''): string[] {
  return [...list.matchAll(/(?:^|, )(?:DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(([, name = '']) => name)
}

const CURVES = new Map([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
])

function keyOf({ publicKey }: X509Certificate): string | undefined {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: { modulusLength, namedCurve = '' } = {} } = publicKey
  if (modulusLength !== undefined) return `${type.startsWith('rsa') ? 'RSA' : type.toUpperCase()} ${modulusLength}`
  if (type === 'ec') return `EC ${CURVES.get(namedCurve) ?? namedCurve}`
  return type === '' ? undefined : `${type[0]?.toUpperCase() ?? ''}${type.slice(1)}`
}

/** Names of signature algorithms, by the bytes of their object identifiers. */
const SIGNATURES = new Map([
  ['2a864886f70d010104', 'md5WithRSAEncryption'],
  ['2a864886f70d010105', 'sha1WithRSAEncryption'],
  ['2a864886f70d01010a', 'rsassaPss'],
  ['2a864886f70d01010b', 'sha256WithRSAEncryption'],
  ['2a864886f70d01010c', 'sha384WithRSAEncryption'],
  ['2a864886f70d01010d', 'sha512WithRSAEncryption'],
  ['2a8648ce3d0401', 'ecdsa-with-SHA1'],
  ['2a8648ce3d040302', 'ecdsa-with-SHA256'],
  ['2a8648ce3d040303', 'ecdsa-with-SHA384'],
  ['2a8648ce3d040304', 'ecdsa-with-SHA512'],
  ['2b6570', 'Ed25519'],
  ['2b6571', 'Ed448'],
])

/**
 * Returns the name of the signature algorithm, or its object identifier in hexadecimal. Reads it from the bytes, because Node 20
 * does not report it.
 */
function signatureOf(der: Buffer): string | undefined {
  // In DER, a certificate is a sequence of three elements: the content, the signature algorithm and the signature.
  const content = elementAt(der, elementAt(der, 0)?.start)
  const algorithm = elementAt(der, content?.end)
  const identifier = elementAt(der, algorithm?.start)
  if (!identifier) return undefined
  const bytes = der.subarray(identifier.start, identifier.end).toString('hex')
  return SIGNATURES.get(bytes) ?? bytes
}

/** Returns where the content of an element of DER starts and ends. */
function elementAt(der: Buffer, at: number | undefined): { start: number; end: number } | undefined {
  const first = at === undefined ? undefined : der[at + 1]
  if (at === undefined || first === undefined) return undefined
  const more = first < 0x80 ? 0 : first & 0x7f
  if (more > 4 || at + 2 + more > der.length) return undefined
  const length = more === 0 ? first : der.readUIntBE(at + 2, more)
  const start = at + 2 + more
  return { start, end: start + length }
}
