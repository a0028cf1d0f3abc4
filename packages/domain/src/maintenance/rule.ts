// Reads recurrence rules of RFC 5545 as text. Pure.

export type Frequency = 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'

/** Weekday, 0 (Monday) to 6. `nth`: only the nth of them in a month or year, counted from its end if negative. */
export interface Weekday {
  day: number
  nth?: number
}

/** Recurrence rule as it is written. Lists are empty for parts that the rule lacks. */
export interface Rule {
  frequency: Frequency
  interval: number
  count: number | undefined
  /** Last time in the form of the rule: `20261123`, `20261123T020000` or `20261123T020000Z`. */
  until: string | undefined
  months: number[]
  weeks: number[]
  year_days: number[]
  month_days: number[]
  weekdays: Weekday[]
  hours: number[]
  minutes: number[]
  positions: number[]
  /** First day of the week, 0 (Monday) to 6. */
  week_starts: number
}

const FREQUENCIES: readonly string[] = ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']
const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const DAY = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/
const UNTIL = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/
const MOST_SHOWN = 30
/** Maximum number of an interval or count. Larger numbers have no practical use. */
const MOST = 1_000_000

interface Numbers {
  field: 'months' | 'weeks' | 'year_days' | 'month_days' | 'hours' | 'minutes' | 'positions'
  words: string
  least: number
  most: number
  /** Whether a negative number counts from the end. */
  isSigned: boolean
  /** Frequencies that the part can be combined with. */
  frequencies: readonly string[]
}

/** Parts that are lists of numbers. */
const NUMBERS: Readonly<Record<string, Numbers>> = {
  BYMONTH: { field: 'months', words: 'months', least: 1, most: 12, isSigned: false, frequencies: FREQUENCIES },
  BYWEEKNO: { field: 'weeks', words: 'weeks', least: 1, most: 53, isSigned: true, frequencies: ['YEARLY'] },
  BYYEARDAY: {
    field: 'year_days',
    words: 'days of a year',
    least: 1,
    most: 366,
    isSigned: true,
    frequencies: ['YEARLY', 'HOURLY'],
  },
  BYMONTHDAY: {
    field: 'month_days',
    words: 'days of a month',
    least: 1,
    most: 31,
    isSigned: true,
    frequencies: ['YEARLY', 'MONTHLY', 'DAILY', 'HOURLY'],
  },
  BYHOUR: { field: 'hours', words: 'hours', least: 0, most: 23, isSigned: false, frequencies: FREQUENCIES },
  BYMINUTE: { field: 'minutes', words: 'minutes', least: 0, most: 59, isSigned: false, frequencies: FREQUENCIES },
  BYSETPOS: { field: 'positions', words: 'positions', least: 1, most: 366, isSigned: true, frequencies: FREQUENCIES },
}
const PARTS = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'WKST', ...Object.keys(NUMBERS)]

/**
 * Reads a rule in upper case. `faults` has a phrase to follow "rule" for each fault. Omits faulty values, so that a stored rule
 * that an earlier version accepted goes on as before. Returns no rule if it has no frequency.
 */
export function readRule(text: string): { rule: Rule | undefined; faults: string[] } {
  const faults: string[] = []
  const parts = partsOf(text, faults)
  const frequency = parts.get('FREQ')
  if (frequency === undefined || !FREQUENCIES.includes(frequency)) {
    const given = frequency === undefined ? '' : `, not ${shown(frequency)}`
    if (faults.length === 0) faults.push(`must set FREQ to one of ${FREQUENCIES.join(', ')}${given}`)
    return { rule: undefined, faults }
  }
  const rule: Rule = {
    frequency: frequency as Frequency,
    interval: numberOf(parts, 'INTERVAL', faults) ?? 1,
    count: numberOf(parts, 'COUNT', faults),
    until: untilOf(parts, faults),
    months: [],
    weeks: [],
    year_days: [],
    month_days: [],
    weekdays: weekdaysOf(parts, faults),
    hours: [],
    minutes: [],
    positions: [],
    week_starts: weekStartOf(parts, faults),
  }
  for (const [name, numbers] of Object.entries(NUMBERS)) {
    const list = parts.get(name)
    if (list === undefined) continue
    rule[numbers.field] = listOf(name, list, numbers, faults)
    if (!numbers.frequencies.includes(frequency)) {
      faults.push(
        `must not have ${name} with FREQ=${frequency}; ${name} needs FREQ=${numbers.frequencies.join(' or ')}`,
      )
    }
  }
  findMisfits(rule, parts, faults)
  return { rule, faults }
}

function partsOf(text: string, faults: string[]): Map<string, string> {
  const parts = new Map<string, string>()
  for (const part of text.split(';')) {
    const [name = '', value] = part.split(/=(.*)/s, 2)
    if (value === undefined || value === '' || !/^[A-Z]+$/.test(name)) {
      faults.push(`must consist of parts of the form NAME=VALUE, such as FREQ=WEEKLY;BYDAY=SA, but has ${shown(part)}`)
    } else if (!PARTS.includes(name)) {
      faults.push(`must not have ${shown(name)}; the supported parts are ${PARTS.join(', ')}`)
    } else if (parts.has(name)) {
      faults.push(`must not have ${name} more than once`)
    } else {
      parts.set(name, value)
    }
  }
  return parts
}

/** Returns user text for a message: short, and in quotes unless it is plain. */
function shown(text: string): string {
  const short = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  return /^[A-Z0-9+-]+$/.test(short) ? short : JSON.stringify(short)
}

function numberOf(parts: ReadonlyMap<string, string>, name: string, faults: string[]): number | undefined {
  const text = parts.get(name)
  if (text === undefined) return undefined
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= MOST) return number
  faults.push(`must set ${name} to a number from 1 to ${MOST}, not ${shown(text)}`)
  return undefined
}

function listOf(name: string, text: string, { words, least, most, isSigned }: Numbers, faults: string[]): number[] {
  const numbers = new Set<number>()
  for (const one of text.split(',')) {
    const number = (isSigned ? /^[+-]?\d{1,3}$/ : /^\d{1,2}$/).test(one) ? Number(one) : Number.NaN
    const size = Math.abs(number)
    if (size >= least && size <= most) numbers.add(number)
    else {
      const range = isSigned ? `from ${least} to ${most} or -${most} to -${least}` : `from ${least} to ${most}`
      faults.push(`must set ${name} to ${words} ${range}, not ${shown(one)}`)
    }
  }
  return [...numbers].toSorted((one, other) => one - other)
}

function weekdaysOf(parts: ReadonlyMap<string, string>, faults: string[]): Weekday[] {
  const weekdays = new Map<string, Weekday>()
  for (const one of parts.get('BYDAY')?.split(',') ?? []) {
    const [, nth, name = ''] = DAY.exec(one) ?? []
    const number = nth === undefined ? undefined : Number(nth)
    if (name === '' || (number !== undefined && (number === 0 || Math.abs(number) > 53))) {
      faults.push(`must set BYDAY to weekdays such as MO, 2TU or -1FR, not ${shown(one)}`)
      continue
    }
    const day = DAYS.indexOf(name)
    weekdays.set(`${number ?? ''}${name}`, number === undefined ? { day } : { day, nth: number })
  }
  return [...weekdays.values()]
}

function weekStartOf(parts: ReadonlyMap<string, string>, faults: string[]): number {
  const text = parts.get('WKST') ?? 'MO'
  const day = DAYS.indexOf(text)
  if (day === -1) faults.push(`must set WKST to a weekday such as MO, not ${shown(text)}`)
  return Math.max(0, day)
}

function untilOf(parts: ReadonlyMap<string, string>, faults: string[]): string | undefined {
  const text = parts.get('UNTIL')
  if (text === undefined || untilParts(text)) return text
  faults.push(`must set UNTIL to a time such as 20261231T235959Z, not ${shown(text)}`)
  return undefined
}

/**
 * Returns the time of an UNTIL in milliseconds, as if in UTC, and whether it is in UTC. Returns undefined if it is no time. A day
 * counts to its end.
 */
export function untilParts(text: string): { ms: number; isUtc: boolean } | undefined {
  const match = UNTIL.exec(text)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 23, minute = 59, second = 59] = match
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)))
  const ms = Date.UTC(year, month - 1, day, hour, minute, second)
  const isReal = new Date(ms).getUTCMonth() === month - 1 && hour < 24 && minute < 60 && second <= 60
  return isReal ? { ms, isUtc: text.endsWith('Z') } : undefined
}

/** Finds parts that must not be combined. */
function findMisfits(rule: Rule, parts: ReadonlyMap<string, string>, faults: string[]): void {
  const { frequency, weekdays, weeks, months, positions } = rule
  if (parts.has('COUNT') && parts.has('UNTIL')) faults.push('must not have both COUNT and UNTIL')
  const numbered = weekdays.find(({ nth }) => nth !== undefined)
  if (numbered) {
    const words = `BYDAY to ${numbered.nth ?? ''}${DAYS[numbered.day] ?? ''}`
    if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') {
      faults.push(`must not set ${words} with FREQ=${frequency}; numbered weekdays need FREQ=MONTHLY or YEARLY`)
    } else if (weeks.length > 0) {
      faults.push(`must not set ${words} with BYWEEKNO`)
    }
  }
  const isOfMonth = frequency === 'MONTHLY' || months.length > 0
  const beyond = weekdays.find(({ nth = 0 }) => isOfMonth && Math.abs(nth) > 5)
  if (beyond)
    faults.push(
      `must not set BYDAY to ${beyond.nth}${DAYS[beyond.day] ?? ''}; a weekday occurs at most five times in a month`,
    )
  const others = [...parts.keys()].filter((name) => name.startsWith('BY') && name !== 'BYSETPOS')
  if (positions.length > 0 && others.length === 0)
    faults.push('must have another BY part, such as BYDAY, to use BYSETPOS')
}
