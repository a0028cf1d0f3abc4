// Reads what a client offers in its first message of a TLS handshake.

/** An elliptic-curve key exchange, which nearly every server has. */
export const ECDHE_RSA_AES128_GCM = 0xc02f
/** The cipher suites with a finite-field key exchange (DHE) that OpenSSL knows. */
const FINITE_FIELD = [0x33, 0x39, 0x67, 0x6b, 0x9e, 0x9f, 0xa2, 0xa3, 0xccaa, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3]

export function finiteFieldSuites(hello: Buffer): number[] {
  return suitesIn(hello).filter((suite) => FINITE_FIELD.includes(suite))
}

/** The cipher suites that a ClientHello offers. */
export function suitesIn(hello: Buffer): number[] {
  // Before it are the headers of the record and of the message, the version, and the random bytes.
  const session = 5 + 4 + 2 + 32
  const at = session + 1 + hello.readUInt8(session)
  return Array.from({ length: hello.readUInt16BE(at) / 2 }, (_, n) => hello.readUInt16BE(at + 2 + 2 * n))
}
