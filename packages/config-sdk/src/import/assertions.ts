// Converts rules of other tools to assertions of a check.
import { ASSERTIONS_MAX, faultsOfAssertions, patternsOf } from '@dogwatch/check-rules/assertions'
import { faultOfPattern } from '@dogwatch/check-rules/pattern'
import type { FileCheck } from '../file/format.ts'
import { carried, differently, impossible, type Said } from './audit.ts'

export type Assertion = NonNullable<FileCheck['assertions']>[number]
export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'

/** Comparisons by their usual signs. */
export const SIGNS: ReadonlyMap<string, Comparison> = new Map([
  ['==', 'eq'],
  ['!=', 'ne'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['>', 'gt'],
  ['>=', 'gte'],
])

/** Adds assertions to a check. If one of them cannot be added, adds none. */
export function addAssertions(check: FileCheck, added: readonly Assertion[]): Said {
  const [fault] = added.flatMap(faultsOf)
  if (fault !== undefined) return impossible(fault)
  const all = [...(check.assertions ?? []), ...added]
  if (all.length > ASSERTIONS_MAX)
    return impossible(`a check has at most ${ASSERTIONS_MAX} assertions; create a second check for the others`)
  check.assertions = all
  return carried
}

function faultsOf(assertion: Assertion): string[] {
  const faults = faultsOfAssertions([assertion]).map(({ part, must }) => `${part.replace(/^\[0\]\.?/, '')} ${must}`)
  if (faults.length > 0) return faults
  return patternsOf([assertion]).flatMap(({ pattern }) => {
    const must = faultOfPattern(pattern)
    return must === undefined ? [] : [`value ${must}`]
  })
}

/** Pattern of one step of a path: a name, which is in quotes if it contains special characters, or an index. */
const STEP = /\.?(?:([^.[\]`"'\s]+)|`([^`]+)`|\[(-?\d{1,9})\]|\["([^"\\]*)"\]|\['([^'\\]*)'\])/y
const SHORT_NAME = /^[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*$/u

/**
 * Converts a path of another tool, such as `data.users[0].id`, to JSONPath. `isName` decides which names need no quotes in that
 * tool. Returns undefined if the path does not consist of names and indexes.
 */
export function jsonPathOf(text: string, isName: (name: string) => boolean = () => true): string | undefined {
  const rest = text.replace(/^\$/, '')
  let path = '$'
  let end = 0
  STEP.lastIndex = 0
  for (let found = STEP.exec(rest); found; found = STEP.exec(rest)) {
    const [, plain, ...others] = found
    const [ticked, index, double, single] = others
    if (plain !== undefined && !isName(plain)) return undefined
    const name = plain ?? ticked ?? double ?? single
    path += name === undefined ? `[${index}]` : SHORT_NAME.test(name) ? `.${name}` : `['${escaped(name)}']`
    end = STEP.lastIndex
  }
  return end === rest.length ? path : undefined
}

function escaped(name: string): string {
  return name.replaceAll(/['\\]/g, (character) => `\\${character}`)
}

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

/** Reads a text of another tool as a JSON value: a number, true or false, or else a text. */
function valueIn(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return NUMBER.test(text) ? Number(text) : text
}

/** Adds an assertion about a JSON value, for a tool that compares texts. */
export function compareJson(
  check: FileCheck,
  at: string,
  is: Comparison | 'contains' | 'not_contains',
  text: string,
): Said {
  const isOrder = ['lt', 'lte', 'gt', 'gte'].includes(is)
  const value = is === 'contains' || is === 'not_contains' ? text : valueIn(text)
  if (isOrder && typeof value !== 'number') return impossible('only numbers have an order')
  const said = addAssertions(check, [{ on: 'json', at, is, value }])
  if (said.list !== 'carried') return said
  if (is === 'ne') return differently('the check also fails if the path is missing')
  return typeof value === 'string' ? said : differently(`compares with the JSON ${typeof value}, not with its text`)
}

/** Adds an assertion that a JSON text matches a pattern. */
export function matchJson(check: FileCheck, at: string, is: 'regex' | 'not_regex', value: string): Said {
  const said = addAssertions(check, [{ on: 'json', at, is, value }])
  if (said.list !== 'carried') return said
  return differently(
    is === 'regex' ? 'the value must be text' : 'the check also fails if the path is missing or the value is not text',
  )
}

const LONGEST = 100_000

/** Adds assertions about the number of elements of an array. */
export function compareLength(check: FileCheck, at: string, is: Comparison, text: string): Said {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  const rules = count <= LONGEST ? lengthRules(at, is, count) : undefined
  if (!rules) return impossible('the number of elements can only be limited to a minimum, a maximum, or both')
  const said = addAssertions(check, rules)
  return said.list === 'carried'
    ? differently('counts the elements of an array; texts and objects have no length')
    : said
}

function lengthRules(at: string, is: Comparison, count: number): Assertion[] | undefined {
  const has = (index: number): Assertion => ({ on: 'json', at: `${at}[${index}]`, is: 'exists' })
  const lacks = (index: number): Assertion => ({ on: 'json', at: `${at}[${index}]`, is: 'absent' })
  const atLeast = (least: number) => (least === 0 ? [] : [has(least - 1)])
  switch (is) {
    case 'eq':
      return [...atLeast(count), lacks(count)]
    case 'ne':
      return count === 0 ? [has(0)] : undefined
    case 'lt':
      return count === 0 ? undefined : [lacks(count - 1)]
    case 'lte':
      return [lacks(count)]
    case 'gt':
      return [has(count)]
    case 'gte':
      return count === 0 ? undefined : atLeast(count)
  }
}
