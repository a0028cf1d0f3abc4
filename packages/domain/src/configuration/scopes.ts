// Decides what a configuration token may do. `read` and `write` include all scopes of that kind except those in `BY_THEMSELVES`;
// a token that may write may also read.

/** Subjects that scopes distinguish. */
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

export type ScopeSubject = (typeof SUBJECTS)[number]

/** Scopes that no other scope includes, because the audit log contains addresses of people, and checks contain secrets. */
const BY_THEMSELVES = ['audit:read', 'checks:secrets'] as const

/** Narrow scopes: acknowledging incidents, and reading metrics for a scraper. */
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

/** Further scopes that include `metrics:read`, because some scrapers have tokens with them. */
const METRICS_TOO = new Map([['metrics:read', ['checks:read', 'checks:write']]])

/** Whether a token with these scopes may do what requires `needed`. Every token may do what requires only `read`. */
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
