// Reads the target of a domain check: the name whose registration it watches, and the days at which it warns and fails.
import { type Fault, parted, type ShownAddress, toAscii, withoutDots } from './address.ts'
import { type OptionsOf, readOptions } from './options.ts'

export const DOMAIN_OPTIONS = {
  /** Days before the end of the registration at which the check is degraded. */
  warn: {
    kind: 'whole',
    min: 0,
    max: 3650,
    default: 30,
    label: 'Warn',
    unit: 'days before the registration ends',
    hint: 'The check is then degraded. Enter 0 for no warning.',
  },
  /** Days before the end of the registration at which the check is down. */
  fail: {
    kind: 'whole',
    min: 0,
    max: 3650,
    default: 0,
    label: 'Fail',
    unit: 'days before the registration ends',
    hint: 'The check is then down. Enter 0 to fail once the registration has ended.',
  },
} as const

export interface DomainAddress extends ShownAddress, OptionsOf<typeof DOMAIN_OPTIONS> {
  /** Name in ASCII and in lower case, without a final dot. It can be a subdomain of the registered name. */
  name: string
}

const NAME_MAX = 253
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const FORM = { fault: 'must have the form domain:example.com' }

export function readDomain(rest: string): DomainAddress | Fault {
  const { authority: text, query } = parted(rest)
  const name = /[\s/:@#\\%]/.test(text) ? '' : withoutDots(toAscii(text))
  const labels = name.split('.')
  const isNumber = /^\d+$/.test(labels.at(-1) ?? '')
  if (labels.length < 2 || name.length > NAME_MAX || isNumber || !labels.every((label) => LABEL.test(label)))
    return FORM
  const options = readOptions(DOMAIN_OPTIONS, query)
  if ('fault' in options) return options
  if (options.warn > 0 && options.warn <= options.fail)
    return { fault: 'must have more days in the option warn than in the option fail' }
  // No monitor runs a domain check, so it needs no own monitors.
  return { ...options, name, shown: name, needs_own_monitor: false }
}
