// Finds the value of an observation that a rule judges.
import type { Assertion } from '@dogwatch/check-rules/assertions'
import { certificateFact } from '../probes/certificate-facts.ts'
import type { Certificate, Observation } from '../probes/observation.ts'

type Certificates = Observation['certificates']

/** Value that a rule judges: a scalar, a list or an object. Undefined if the response has no such value. */
export type SeenValue = unknown

/** Returns the value of a rule on anything but JSON. */
export function valueSeen({ on, at = '' }: Assertion, observation: Observation, now: Date): SeenValue {
  const { facts, certificates, redirects = [] } = observation
  switch (on) {
    case 'header':
      return headerSeen(observation, at)
    case 'body':
      return observation.content
    // If the target sent nothing, there is no banner.
    case 'banner':
      return observation.content === '' ? undefined : observation.content
    case 'redirects':
      return redirects.length
    case 'timing':
      return timingSeen(observation, at)
    case 'certificate': {
      const judged = judgedOf(certificates)
      return judged && certificateFact(judged, at, now)
    }
    case 'json':
      return undefined
    default:
      return facts[on]
  }
}

/** Returns the certificate that rules judge: that of the last redirect or, of several addresses, the first to expire. */
function judgedOf(certificates: Certificates): Certificate | undefined {
  const isOfAll = certificates.some((one) => one?.address !== undefined)
  return isOfAll ? firstToExpire(certificates) : certificates.at(-1)
}

/** Returns the certificate whose verified path expires first. */
export function firstToExpire(certificates: Certificates): Certificate | undefined {
  const presented = certificates.filter((certificate) => certificate !== undefined)
  return presented.toSorted((one, other) => one.path_ends.getTime() - other.path_ends.getTime())[0]
}

function headerSeen({ facts: { headers = {} } }: Observation, name: string): string | undefined {
  const lower = name.toLowerCase()
  const value = Object.hasOwn(headers, lower) ? headers[lower] : undefined
  return typeof value === 'object' ? value.join(', ') : value
}

function timingSeen({ phases, latency_ms }: Observation, phase: string): number | undefined {
  if (phase === 'total') return latency_ms
  const ms = Object.entries<number>({ ...phases }).find(([name]) => name === phase)?.[1]
  return ms === undefined ? undefined : Math.round(ms * 10) / 10
}

const SHOWN_MAX_CHARS = 100

/** Describes a value in one short line. */
export function shownValue(value: SeenValue): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return listShown(value)
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value)
}

function listShown(list: readonly unknown[]): string {
  const shown: string[] = []
  let chars = 0
  for (const one of list) {
    const text = Array.isArray(one) ? 'a list' : shownValue(one)
    chars += text.length + 2
    if (chars > SHOWN_MAX_CHARS) return `[${[...shown, `… ${list.length} in all`].join(', ')}]`
    shown.push(text)
  }
  return `[${shown.join(', ')}]`
}

function quoted(text: string): string {
  const chars = Array.from(text.slice(0, 2 * SHOWN_MAX_CHARS + 2))
  const isCut = chars.length > SHOWN_MAX_CHARS
  return `${JSON.stringify(isCut ? chars.slice(0, SHOWN_MAX_CHARS).join('') : text)}${isCut ? '…' : ''}`
}
