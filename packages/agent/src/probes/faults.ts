// Translates a platform error into the fault of a target, in words that stay the same and contain no names.
import { OwnTrouble } from '../process/own-trouble.ts'
import type { Fault, Phase } from './observation.ts'

/** Faults of a certificate's dates. */
export const DATED = {
  expired: { kind: 'tls', words: 'the certificate has expired' },
  not_yet: { kind: 'tls', words: 'the certificate is not yet valid' },
} as const satisfies Record<string, Fault>

export const CLOSED: Fault = { kind: 'reset', words: 'the connection was closed before the response was complete' }

const BY_CODE = new Map(
  Object.entries<Fault>({
    ENOTFOUND: { kind: 'dns', words: 'the host name does not exist' },
    ENODATA: { kind: 'dns', words: 'the host name has no address' },
    EAI_AGAIN: { kind: 'dns', words: 'the host name could not be resolved' },
    ECONNREFUSED: { kind: 'refused', words: 'the connection was refused' },
    ECONNRESET: CLOSED,
    EPIPE: CLOSED,
    ECONNABORTED: CLOSED,
    ETIMEDOUT: { kind: 'timeout', words: 'while connecting' },
    ENETUNREACH: { kind: 'unreachable', words: 'no route to the network' },
    EHOSTUNREACH: { kind: 'unreachable', words: 'no route to the host' },
    HPE_HEADER_OVERFLOW: { kind: 'http', words: 'the response headers are too large' },
    ERR_TLS_CERT_ALTNAME_INVALID: { kind: 'tls', words: 'the certificate is for a different host name' },
    CERT_HAS_EXPIRED: { ...DATED.expired, isDated: true },
    CERT_NOT_YET_VALID: { ...DATED.not_yet, isDated: true },
    CERT_REVOKED: { kind: 'tls', words: 'the certificate was revoked' },
    DEPTH_ZERO_SELF_SIGNED_CERT: { kind: 'tls', words: 'the certificate is self-signed' },
    SELF_SIGNED_CERT_IN_CHAIN: { kind: 'tls', words: 'the certificate chain contains a self-signed certificate' },
    UNABLE_TO_GET_ISSUER_CERT: { kind: 'tls', words: 'the issuer of the certificate is unknown' },
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { kind: 'tls', words: 'the issuer of the certificate is unknown' },
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: { kind: 'tls', words: 'the issuer of the certificate is unknown' },
    ERR_SSL_WRONG_VERSION_NUMBER: { kind: 'tls', words: 'the target does not speak TLS' },
    ERR_SSL_PACKET_LENGTH_TOO_LONG: { kind: 'tls', words: 'the target does not speak TLS' },
    ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: {
      kind: 'tls',
      words: 'the target offers only outdated TLS versions',
    },
    ERR_SSL_UNSUPPORTED_PROTOCOL: { kind: 'tls', words: 'the target offers only outdated TLS versions' },
    ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: {
      kind: 'tls',
      words: 'the target does not offer the HTTP version of the check',
    },
    ERR_NO_FAMILY: { kind: 'dns', words: 'the host name has no address of this IP version' },
    ERR_DIAL_BLOCKED: { kind: 'blocked', words: 'the address is not public' },
  }),
)

/**
 * Codes of socket errors that say most about a target with several addresses, in this order. Other codes, such as no route, say
 * less.
 */
const TELLING = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT']

/** Codes of this machine's own errors, which say nothing about the target. */
const OWN = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EPERM', 'EACCES'])

/** Returns the target's fault, or the fault of this machine. */
export function faultOf(error: unknown, phase: Phase | undefined): Fault | OwnTrouble {
  const code = tellingCode(error)
  if (OWN.has(code)) return new OwnTrouble(code, { cause: error })
  return BY_CODE.get(code) ?? bySort(code, phase)
}

function bySort(code: string, phase: Phase | undefined): Fault {
  if (code.startsWith('HPE_')) return { kind: 'http', words: 'the response is not HTTP' }
  if (code.startsWith('EAI_') || phase === 'dns') return { kind: 'dns', words: 'the host name could not be resolved' }
  if (phase === 'tls')
    return { kind: 'tls', words: WORDS_BY_CERTIFICATE.test(code) ? UNTRUSTED : 'the handshake failed' }
  if (phase === 'connect') return { kind: 'unreachable', words: 'the host could not be reached' }
  // Under TLS 1.3, a server may abort a handshake that is already complete on our side.
  if (code.startsWith('ERR_SSL_')) return { kind: 'tls', words: 'the target closed the TLS session' }
  return { kind: 'reset', words: 'the connection was lost' }
}

const WORDS_BY_CERTIFICATE = /CERT|CRL|CHAIN|CA$|PURPOSE|TRUST/
const UNTRUSTED = 'the certificate is not trusted'

function tellingCode(error: unknown): string {
  if (!(error instanceof AggregateError)) return codeOf(error)
  const codes = error.errors.map(codeOf)
  return TELLING.find((code) => codes.includes(code)) ?? codes.find((code) => OWN.has(code)) ?? codes.at(0) ?? ''
}

function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (code === 'EPROTO') return opensslCode(String(message))
  return typeof code === 'string' ? code : ''
}

/**
 * Returns the code of a handshake failure. While a request waits to be written, Node reports the failure as an error of the
 * write, and the reason is only in its text.
 */
function opensslCode(message: string): string {
  const reason = /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? ''
  return `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`
}
