// Judges domain checks by the registration of their name. Pure.
import type { JudgedVerdict } from './composite.ts'

const DAY_MS = 86_400_000
/** Age of the last answer after which the registration counts as unknown. */
const KNOWN_MS = 7 * DAY_MS

/** Last answer of a registry about a name. */
export interface KnownRegistration {
  name: string
  asked_at: string | null
  answered_at: string | null
  fault: string | null
  expires_at: string | null
}

/** Rules of a domain check, in days before the registration ends. */
export interface RegistrationRules {
  warn: number
  fail: number
}

/** Judges a registration: down if it has ended or is about to, degraded before that. Not monitored if the end is unknown. */
export function judgeRegistration(
  known: KnownRegistration | undefined,
  { warn, fail }: RegistrationRules,
  now: Date,
): JudgedVerdict {
  const unmonitored = (reason: string): JudgedVerdict => ({ state: 'unmonitored', reason })
  if (!known || (known.answered_at === null && known.fault === null))
    return unmonitored(known?.asked_at ? 'the registry has not answered yet' : 'the registry is asked within a minute')
  const { name, answered_at, fault, expires_at } = known
  if (expires_at === null) return unmonitored(fault ?? 'the registry does not say when registrations end')
  if (fault === MISSING) return { state: 'down', reason: `${name} is no longer registered` }
  if (now.getTime() - Date.parse(answered_at ?? '') > KNOWN_MS)
    return unmonitored('the registry has not answered for 7 days')
  const left_ms = Date.parse(expires_at) - now.getTime()
  const day = expires_at.slice(0, 10)
  if (left_ms <= 0) return { state: 'down', reason: `the registration of ${name} ended on ${day}` }
  const days = daysText(left_ms)
  const reason = `the registration of ${name} ends ${days}, on ${day}`
  if (left_ms <= fail * DAY_MS) return { state: 'down', reason }
  return left_ms <= warn * DAY_MS ? { state: 'degraded', reason } : { state: 'up', reason: '' }
}

/** Fault of a name that its registry does not know. */
export const MISSING = 'the registry does not know the name'

function daysText(left_ms: number): string {
  const days = Math.floor(left_ms / DAY_MS)
  if (days === 0) return 'within 1 day'
  return `in ${days} ${days === 1 ? 'day' : 'days'}`
}
