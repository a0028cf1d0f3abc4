// What a configuration token may do. `read` and `write` stand for all scopes of that kind but `audit:read`; whoever may write may also read.

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

/** The log of what people changed has their addresses: a token reads it only where somebody meant it to. */
const BY_ITSELF = 'audit:read'

/** Scopes beside reading and writing: acknowledging incidents alone, and the log. */
const NARROW = ['incidents:ack', BY_ITSELF] as const

export const SCOPES = [
  'read',
  'write',
  ...SUBJECTS.flatMap((name) => [`${name}:read`, `${name}:write`] as const),
  ...NARROW,
] as const

export type Scope = (typeof SCOPES)[number]

export function isScope(text: string): boolean {
  return (SCOPES as readonly string[]).includes(text)
}

/** Whether a token with these scopes may do what needs a scope. `read` alone is what every token may do. */
export function allows(scopes: readonly string[], needed: string): boolean {
  const [subject = '', kind] = needed.split(':')
  if (needed === BY_ITSELF) return scopes.includes(needed)
  if (kind === undefined) return needed === 'read' || scopes.includes(needed)
  const sufficient =
    kind === 'read'
      ? ['read', 'write', needed, `${subject}:write`, `${subject}:ack`]
      : ['write', needed, ...(kind === 'ack' ? [`${subject}:write`] : [])]
  return sufficient.some((scope) => scopes.includes(scope))
}
