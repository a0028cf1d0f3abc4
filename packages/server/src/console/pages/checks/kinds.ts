// Decides which fields of a check apply to which kind of target.
import type { FieldName } from '@dogwatch/check-rules/fields'
import { type Scheme, SCHEMES } from '@dogwatch/check-rules/target'

const SOCKETS: readonly Scheme[] = SCHEMES.filter((scheme) => scheme !== 'http' && scheme !== 'https')

/** Kinds that a field does not apply to. A field without an entry applies to every kind. */
const NOT_FOR: Readonly<Partial<Record<FieldName, readonly Scheme[]>>> = {
  status_code_op: SOCKETS,
  status_code_value: SOCKETS,
  disable_redirects: SOCKETS,
  headers: SOCKETS,
  post_data: SOCKETS,
  insecure_skip_verify: ['tcp'],
  cert_expiry_warn_days: ['tcp'],
  cert_warn_days: ['tcp'],
}

export function appliesTo(field: FieldName, scheme: Scheme): boolean {
  return NOT_FOR[field]?.includes(scheme) !== true
}

/** Returns the kinds that a field does not apply to. */
export function notFor(field: FieldName): readonly Scheme[] {
  return NOT_FOR[field] ?? []
}

/** Returns the kind of a target as it was typed, or undefined if it has no known one. */
export function schemeOf(target: string): Scheme | undefined {
  const at = target.indexOf('://')
  const word = target.slice(0, Math.max(0, at)).toLowerCase()
  return SCHEMES.find((scheme) => scheme === word)
}
