// Reads cron expressions exactly as Debian's cron does, including what cron ignores.
import { isStorable } from '../text.ts'

/** Times that an expression names, independent of any zone. */
export interface Cron {
  /** Minutes of the hour, in ascending order. */
  minutes: readonly number[]
  /** Hours of the day, in ascending order. */
  hours: readonly number[]
  /** Days of the month as bits: bit n is day n. */
  days: number
  /** Months as bits: bit n is month n. */
  months: number
  /** Days of the week as bits: bit n is day n, and Sunday is day 0. */
  weekdays: number
  /** Whether a day must match both day fields, because one of them begins with `*`. Otherwise one of them is enough. */
  needsBothDays: boolean
  /** Whether the job follows the clock through its changes, because its minute or its hour begins with `*`. */
  followsClock: boolean
}

interface FieldRule {
  name: string
  low: number
  high: number
  /** Names of the values from `low` on. */
  names?: readonly string[]
}

const MINUTE: FieldRule = { name: 'minute', low: 0, high: 59 }
const HOUR: FieldRule = { name: 'hour', low: 0, high: 23 }
const DAY: FieldRule = { name: 'day of month', low: 1, high: 31 }
const MONTH: FieldRule = {
  name: 'month',
  low: 1,
  high: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
}
const WEEKDAY: FieldRule = {
  name: 'day of week',
  low: 0,
  high: 7,
  names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
}

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

/** Maximum length of an expression, in UTF-16 units. */
const MOST_CHARS = 120
/** Maximum number in an expression. Larger numbers overflow in C, where the result is undefined. */
const MOST_NUMBER = 2 ** 31 - 1

class CronFault extends Error {}

const FIVE_FIELDS = 'must have five fields: minute, hour, day of month, month, day of week'

/** Reads an expression. `fault` says what is wrong, beginning with a verb. */
export function parseCron(text: string): Cron | { fault: string } {
  if (text.length > MOST_CHARS) return { fault: `must be ${MOST_CHARS} characters or fewer` }
  const [minute, hour, day, month, weekday, ...others] = fieldsOf(NICKNAMES.get(trimBlanks(text)) ?? text)
  if (minute === undefined || hour === undefined || day === undefined || month === undefined) {
    return { fault: FIVE_FIELDS }
  }
  if (weekday === undefined || others.length > 0) return { fault: FIVE_FIELDS }
  try {
    // A line of a crontab whose first word contains `=` sets a variable.
    if (minute.includes('=')) throw new CronFault(`has a wrong minute: ${minute} must not contain =`)
    const weekdays = bitsOf(readField(weekday, WEEKDAY))
    return {
      minutes: readField(minute, MINUTE),
      hours: readField(hour, HOUR),
      days: bitsOf(readField(day, DAY)),
      months: bitsOf(readField(month, MONTH)),
      weekdays: (weekdays | (weekdays >> 7)) & 0x7f,
      needsBothDays: day.startsWith('*') || weekday.startsWith('*'),
      followsClock: minute.startsWith('*') || hour.startsWith('*'),
    }
  } catch (error) {
    if (error instanceof CronFault) return { fault: error.message }
    throw error
  }
}

/**
 * Splits at spaces and tabs alone, as cron does. Returns no fields for a text with a line break, which would end the line of a
 * crontab.
 */
function fieldsOf(text: string): string[] {
  return text.includes('\n') || !isStorable(text) ? [] : text.split(/[ \t]/).filter(Boolean)
}

function trimBlanks(text: string): string {
  return fieldsOf(text).join(' ')
}

/** Reads `list = range {"," range}`. Cron ignores what follows the last range that it understands. */
function readField(text: string, rule: FieldRule): number[] {
  const reader = new FieldReader(text, rule)
  const values = new Set<number>()
  do for (const value of reader.readRange()) values.add(value)
  while (reader.skip(','))
  return [...values].toSorted((a, b) => a - b)
}

function bitsOf(values: readonly number[]): number {
  return values.reduce((bits, value) => bits | (1 << value), 0)
}

class FieldReader {
  readonly #text: string
  readonly #rule: FieldRule
  #at = 0

  constructor(text: string, rule: FieldRule) {
    this.#text = text
    this.#rule = rule
  }

  /** Reads `* [/step]`, `number` or `number-number [/step]`. A range that runs backwards is accepted, and empty. */
  readRange(): number[] {
    const { low, high } = this.#rule
    const start = this.#at
    let [first, last] = [low, high]
    if (!this.skip('*')) {
      first = last = this.#readValue()
      if (!this.skip('-')) {
        if (this.#text[this.#at] === '/')
          throw this.#fault(`${this.#text.slice(start)} needs * or a range before the slash`)
        return [this.#within(first)]
      }
      last = this.#readValue()
    }
    const step = this.skip('/') ? this.#readNumber(this.#readWord()) : 1
    if (step < 1) throw this.#fault(`the step of ${this.#text.slice(start)} must be at least 1`)
    this.#within(first)
    this.#within(last)
    const values: number[] = []
    for (let value = first; value <= last; value += step) values.push(value)
    return values
  }

  /** Moves past a character if it is next. */
  skip(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #readValue(): number {
    const word = this.#readWord()
    const named = this.#rule.names?.indexOf(word.toLowerCase()) ?? -1
    return named >= 0 ? named + this.#rule.low : this.#readNumber(word)
  }

  #readNumber(word: string): number {
    if (!/^\d+$/.test(word)) throw this.#fault(`${word} is not a number`)
    const number = Number(word)
    if (number > MOST_NUMBER) throw this.#fault(`${word} is too large`)
    return number
  }

  #readWord(): string {
    const [word] = /^[0-9A-Za-z]*/.exec(this.#text.slice(this.#at)) ?? ['']
    if (word === '') throw this.#fault(`${this.#text} is missing a number`)
    this.#at += word.length
    return word
  }

  #within(value: number): number {
    const { low, high } = this.#rule
    if (value < low || value > high) throw this.#fault(`${value} is not between ${low} and ${high}`)
    return value
  }

  #fault(reason: string): CronFault {
    return new CronFault(`has a wrong ${this.#rule.name}: ${reason}`)
  }
}
