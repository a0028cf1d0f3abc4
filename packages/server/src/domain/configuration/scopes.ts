// Says what a configuration token may do. `read` and `write` stand for all scopes of that kind except those that are given by themselves; a token that
// may write may also read.

/** What there is to configure. */
export const SUBJECTS = [
  'checks',
  'heartbeats',
  'channels',
  'routes',
  'maintenance',
  'monitors',
  'incidents',
  'status_page',
] as const

export type Subject = (typeof SUBJECTS)[number]

/** Scopes that no other scope contains: the audit log has addresses of people, and definitions of checks have secrets. */
const BY_THEMSELVES = ['audit:read', 'checks:secrets'] as const

/** Scopes beside reading and writing: acknowledging incidents alone, and what a scraper reads. */
const NARROW = ['incidents:ack', 'metrics:read'] as const

export const SCOPES = [
  'read',
  'write',
  ...SUBJECTS.flatMap((name) => [`${name}:read`, `${name}:write`] as const),
  ...NARROW,
  ...BY_THEMSELVES,
] as const

export type Scope = (typeof SCOPES)[number]

export function isScope(text: string): boolean {
  return (SCOPES as readonly string[]).includes(text)
}

/** Scopes that read the metrics as well, because tokens that scrape have them. */
const METRICS_TOO = new Map([['metrics:read', ['checks:read', 'checks:write']]])

/** Whether a token with these scopes may do what needs a scope. `read` alone is what every token may do. */
export function allows(scopes: readonly string[], needed: string): boolean {
  const [subject = '', kind] = needed.split(':')
  if ((BY_THEMSELVES as readonly string[]).includes(needed)) return scopes.includes(needed)
  if (kind === undefined) return needed === 'read' || scopes.includes(needed)
  const sufficient =
    kind === 'read'
      ? ['read', 'write', needed, `${subject}:write`, `${subject}:ack`, ...(METRICS_TOO.get(needed) ?? [])]
      : ['write', needed, ...(kind === 'ack' ? [`${subject}:write`] : [])]
  return sufficient.some((scope) => scopes.includes(scope))
}
