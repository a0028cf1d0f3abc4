// Expands recurrence rules of RFC 5545 by a clock that is never changed. Pure. docs/decisions/0008-recurrence-rules.md says why no library does.
import type { Rule } from './rule.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const WEEK = 7
/** Weekday of 1970-01-01, a Thursday. */
const EPOCH_WEEKDAY = 3

/** Day of the calendar. */
interface Day {
  /** Days since 1970-01-01. */
  n: number
  year: number
  /** Month of the year, 1 to 12. */
  month: number
  /** Day of the month, 1 to 31. */
  day: number
  month_length: number
  /** Day of the year, 1 to 366. */
  year_day: number
  year_length: number
  /** Day of the week, 0 (Monday) to 6. */
  weekday: number
}

/** A rule with its start. Times are in milliseconds, as if the clock of the rule were that of UTC. */
export class Recurrence {
  readonly #rule: Rule
  readonly #start_ms: number
  readonly #until_ms: number
  readonly #first: Day
  /** Minutes of a day at which the rule occurs. Empty for HOURLY. */
  readonly #times: readonly number[]
  /** Minutes of an hour at which an HOURLY rule occurs. */
  readonly #minutes: readonly number[]
  /** Minutes of a day at which an HOURLY rule occurs, by the hour of its first occurrence on that day. */
  readonly #hourly = new Map<number, readonly number[]>()
  /** Whether positions (BYSETPOS) select from periods that are longer than a day. */
  readonly #hasPositions: boolean
  readonly #isOn: (day: Day) => boolean
  /** Number of days that were examined, as a measure of the cost. */
  steps = 0

  /** Reads the parts of the rule. `until_ms`: last time at which it may occur. */
  constructor(rule: Rule, start_ms: number, until_ms: number) {
    this.#rule = rule
    this.#start_ms = start_ms
    this.#until_ms = until_ms
    this.#first = dayOf(Math.floor(start_ms / DAY_MS))
    const start_minute = Math.floor((start_ms % DAY_MS) / MINUTE_MS)
    const minutes = rule.minutes.length > 0 ? rule.minutes : [start_minute % 60]
    const hours = rule.hours.length > 0 ? rule.hours : [Math.floor(start_minute / 60)]
    const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
    const { frequency, positions } = rule
    this.#minutes = frequency === 'HOURLY' ? atPositions(minutes, positions) : []
    this.#times = frequency === 'DAILY' ? atPositions(times, positions) : times
    this.#hasPositions = positions.length > 0 && frequency !== 'HOURLY' && frequency !== 'DAILY'
    this.#isOn = dayFilter(rule, this.#first)
  }

  /** Returns the times from one instant to before another, at most `most` of them. */
  between(from_ms: number, until_ms: number, most = Infinity): number[] {
    const found: number[] = []
    let left = this.#rule.count ?? Infinity
    for (const { n, times } of this.#days(from_ms, until_ms)) {
      const at = n * DAY_MS
      // A day before `from_ms` is only counted, without a step for each of its times.
      const isCounted = n > this.#first.n && at + DAY_MS <= from_ms
      if (isCounted) left -= times.length
      for (const minute of isCounted ? [] : times) {
        const time = at + minute * MINUTE_MS
        if (time < this.#start_ms) continue
        if (time > this.#until_ms || time >= until_ms || found.length >= most || left <= 0) return found
        left--
        if (time >= from_ms) found.push(time)
      }
      if (left <= 0) return found
    }
    return found
  }

  /** Yields each day when the rule occurs, as days since the start, with the number of occurrences. */
  *perDay(days: number): Generator<{ day: number; count: number }> {
    let left = this.#rule.count ?? Infinity
    for (const { n, times } of this.#days(this.#start_ms, this.#start_ms + (days - 1) * DAY_MS)) {
      const at = n * DAY_MS
      const isFirst = n === this.#first.n
      const all = isFirst ? times.filter((minute) => at + minute * MINUTE_MS >= this.#start_ms).length : times.length
      const count = Math.min(all, left)
      left -= count
      if (count > 0) yield { day: n - this.#first.n, count }
      if (left === 0) return
    }
  }

  /**
   * Walks through the days when the rule occurs: from the start if it has a count, otherwise only those in the requested span.
   */
  *#days(from_ms: number, until_ms: number): Generator<{ n: number; times: readonly number[] }> {
    const end = Math.floor(Math.min(until_ms - 1, this.#until_ms) / DAY_MS)
    const wanted = Math.floor(from_ms / DAY_MS)
    const begin = this.#rule.count === undefined ? Math.max(this.#first.n, wanted) : this.#first.n
    if (this.#hasPositions) {
      yield* this.#positioned(begin, end)
      return
    }
    for (const day = dayOf(begin); day.n <= end; toNext(day)) {
      this.steps++
      if (!this.#isPeriod(day) || !this.#isOn(day)) continue
      const times = this.#timesOn(day.n)
      if (times.length > 0) yield { n: day.n, times }
    }
  }

  /** Walks through whole periods, and selects the times at the positions (BYSETPOS) in each. */
  *#positioned(begin: number, end: number): Generator<{ n: number; times: readonly number[] }> {
    const each = this.#times.length
    const day = dayOf(begin)
    while (!this.#isPeriodStart(day)) toPrevious(day)
    while (day.n <= end) {
      const days: number[] = []
      const isPeriod = this.#isPeriod(day)
      do {
        this.steps++
        if (isPeriod && this.#isOn(day)) days.push(day.n)
        toNext(day)
      } while (!this.#isPeriodStart(day))
      const chosen = new Map<number, number[]>()
      for (const at of atPositions(days.length * each, this.#rule.positions)) {
        const n = days[Math.floor(at / each)] ?? 0
        const times = chosen.get(n) ?? []
        times.push(this.#times[at % each] ?? 0)
        chosen.set(n, times)
      }
      for (const [n, times] of chosen) if (n >= begin && n <= end) yield { n, times }
    }
  }

  #isPeriodStart({ day, month, weekday }: Day): boolean {
    const { frequency, week_starts } = this.#rule
    if (frequency === 'WEEKLY') return weekday === week_starts
    return day === 1 && (frequency === 'MONTHLY' || month === 1)
  }

  /** Whether the day is in one of the periods that the interval does not skip. */
  #isPeriod({ n, year, month, weekday }: Day): boolean {
    const { frequency, interval, week_starts } = this.#rule
    if (interval === 1 || frequency === 'HOURLY') return true
    const first = this.#first
    if (frequency === 'DAILY') return (n - first.n) % interval === 0
    if (frequency === 'MONTHLY') return ((year - first.year) * 12 + month - first.month) % interval === 0
    if (frequency === 'YEARLY') return (year - first.year) % interval === 0
    const start = n - ((weekday - week_starts + WEEK) % WEEK)
    const first_start = first.n - ((first.weekday - week_starts + WEEK) % WEEK)
    return ((start - first_start) / WEEK) % interval === 0
  }

  #timesOn(n: number): readonly number[] {
    const { frequency, interval } = this.#rule
    if (frequency !== 'HOURLY') return this.#times
    const start_hour = Math.floor((this.#start_ms % DAY_MS) / MINUTE_MS / 60)
    const passed = (n - this.#first.n) * 24 - start_hour
    // First hour of the day that is a whole number of intervals after the start.
    const first = (interval - (((passed % interval) + interval) % interval)) % interval
    const times = this.#hourly.get(first) ?? this.#hoursFrom(first)
    if (first < 24) this.#hourly.set(first, times)
    return times
  }

  #hoursFrom(first: number): number[] {
    const { interval, hours } = this.#rule
    const times: number[] = []
    for (let hour = first; hour < 24; hour += interval) {
      if (hours.length > 0 && !hours.includes(hour)) continue
      for (const minute of this.#minutes) times.push(hour * 60 + minute)
    }
    return times
  }
}

/** Returns the items at these positions, counted from the end if negative. Returns indexes if `list` is only a length. */
function atPositions(list: readonly number[] | number, positions: readonly number[]): number[] {
  const length = typeof list === 'number' ? list : list.length
  if (positions.length === 0) return typeof list === 'number' ? [] : [...list]
  const indexes = positions.map((position) => (position > 0 ? position - 1 : length + position))
  const chosen = [...new Set(indexes)].filter((index) => index >= 0 && index < length)
  const sorted = chosen.toSorted((one, other) => one - other)
  return typeof list === 'number' ? sorted : sorted.map((index) => list[index] ?? 0)
}

/**
 * Returns a function that says whether a rule occurs on a day, apart from its interval. Parts that the rule lacks come from its
 * start.
 */
function dayFilter(rule: Rule, first: Day): (day: Day) => boolean {
  const { frequency, week_starts } = rule
  const { months, month_days, weekdays } = withStart(rule, first)
  const month = setOf(months)
  const month_day = setOf(month_days)
  const year_day = setOf(rule.year_days)
  const week = setOf(rule.weeks)
  const isOfMonth = frequency === 'MONTHLY' || rule.months.length > 0
  const isWeekday = weekdayFilter(weekdays, frequency === 'MONTHLY' || frequency === 'YEARLY', isOfMonth)
  return (day) => {
    if (month && !month.has(day.month)) return false
    if (month_day && !month_day.has(day.day) && !month_day.has(day.day - day.month_length - 1)) return false
    if (isWeekday && !isWeekday(day)) return false
    if (year_day && !year_day.has(day.year_day) && !year_day.has(day.year_day - day.year_length - 1)) return false
    return !week || isInWeek(day, week, week_starts)
  }
}

function setOf(list: readonly number[]): ReadonlySet<number> | undefined {
  return list.length === 0 ? undefined : new Set(list)
}

function withStart(rule: Rule, first: Day): Pick<Rule, 'months' | 'month_days' | 'weekdays'> {
  const { frequency, months, month_days, weekdays, weeks, year_days } = rule
  const isBare = month_days.length === 0 && weekdays.length === 0 && year_days.length === 0
  if (isBare && (frequency === 'WEEKLY' || weeks.length > 0)) {
    return { months, month_days, weekdays: [{ day: first.weekday }] }
  }
  if (isBare && frequency === 'MONTHLY') return { months, month_days: [first.day], weekdays }
  if (isBare && frequency === 'YEARLY') {
    return { months: months.length > 0 ? months : [first.month], month_days: [first.day], weekdays }
  }
  return { months, month_days, weekdays }
}

function weekdayFilter(
  weekdays: Rule['weekdays'],
  areNumbered: boolean,
  isOfMonth: boolean,
): ((day: Day) => boolean) | undefined {
  if (weekdays.length === 0) return undefined
  const every = new Set<number>()
  const numbered = new Map<number, Set<number>>()
  for (const { day, nth } of weekdays) {
    if (nth === undefined || !areNumbered) every.add(day)
    else numbered.set(day, (numbered.get(day) ?? new Set()).add(nth))
  }
  return (day) => {
    if (every.has(day.weekday)) return true
    const its = numbered.get(day.weekday)
    if (!its) return false
    const [at, length] = isOfMonth ? [day.day, day.month_length] : [day.year_day, day.year_length]
    return its.has(Math.floor((at - 1) / WEEK) + 1) || its.has(-Math.floor((length - at) / WEEK) - 1)
  }
}

/** Whether the day is in one of these weeks of its year. The year of a day is the year of the fourth day of its week. */
function isInWeek({ n, weekday }: Day, weeks: ReadonlySet<number>, week_starts: number): boolean {
  const start = n - ((weekday - week_starts + WEEK) % WEEK)
  const fourth = dayOf(start + 3)
  const week = Math.floor((fourth.year_day - 1) / WEEK) + 1
  const rest = Math.floor((fourth.year_length - fourth.year_day) / WEEK)
  return weeks.has(week) || weeks.has(-rest - 1)
}

function dayOf(n: number): Day {
  const date = new Date(n * DAY_MS)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  return {
    n,
    year,
    month,
    day,
    month_length: lengthOf(year, month),
    year_day: n - Math.floor(Date.UTC(year, 0, 1) / DAY_MS) + 1,
    year_length: isLeap(year) ? 366 : 365,
    weekday: (((n + EPOCH_WEEKDAY) % WEEK) + WEEK) % WEEK,
  }
}

function toNext(day: Day): void {
  if (day.day === day.month_length) {
    Object.assign(day, dayOf(day.n + 1))
    return
  }
  day.n++
  day.day++
  day.year_day++
  day.weekday = (day.weekday + 1) % WEEK
}

function toPrevious(day: Day): void {
  Object.assign(day, dayOf(day.n - 1))
}

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function lengthOf(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (LENGTHS[month - 1] ?? 31)
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}
