// Lists fields of a check that apply to the same schemes.

export const MATCH = ['match_string', 'match_mode'] as const
export const CERTIFICATE = [
  'insecure_skip_verify',
  'cert_expiry_warn_days',
  'cert_warn_days',
  'cert_warn_percent',
] as const
