// Converts conditions of Gatus to the rules of a check.
import type { FileCheck } from '../../file/format.ts'
import { addAssertions, SIGNS } from '../assertions.ts'
import { carried, differently, impossible, type Said } from '../audit.ts'
import { literally, setMatch } from '../patterns.ts'
import { durationOf } from '../schedules.ts'
import { acceptStatuses, type Span } from '../statuses.ts'
import { recordPattern, recordText } from '../targets.ts'
import { argumentsOf, CLASS, type Condition, globbed, NO_CLASSES, VARIABLE } from './functions.ts'
import { setJson } from './json-conditions.ts'

/** Kind of an endpoint, which decides what the endpoint's conditions mean. */
export interface EndpointKind {
  isWeb: boolean
  /** Type of the records that a DNS endpoint queries. Absent for other endpoints. */
  record_type?: string
}

const OPERATORS = [' == ', ' != ', ' <= ', ' >= ', ' > ', ' < '] as const
const LEAST = 100
const MOST = 599
const DAY_SEC = 86_400

/** Applies all conditions and reports the outcome of each. An endpoint without a status condition accepts any status. */
export function setConditions(
  check: FileCheck,
  conditions: readonly string[],
  { isWeb, record_type }: EndpointKind,
  say: (condition: string, said: Said) => void,
): void {
  const parsed = conditions.map((text) => ({ text, condition: parse(text) }))
  const statuses = parsed.filter(({ condition }) => condition?.left === '[STATUS]')
  for (const { text, condition } of parsed) {
    if (!condition) say(text, impossible('not a valid Gatus condition'))
    else if (condition.left !== '[STATUS]') say(text, setCondition(check, condition, record_type))
  }
  const predicates = statuses.map(({ condition }) => (condition ? predicateOf(condition) : undefined))
  if (predicates.includes(undefined)) {
    for (const { text } of statuses) say(text, impossible('checks compare the status with numbers only'))
  } else if (isWeb) {
    const said = acceptStatuses(
      check,
      spansWhere((code) => predicates.every((accepts) => accepts?.(code) === true)),
    )
    for (const { text } of statuses) say(text, said.list === 'carried' ? carried : said)
  }
}

function parse(text: string): Condition | undefined {
  const operator = OPERATORS.find((one) => text.includes(one))
  if (operator === undefined) return undefined
  const at = text.indexOf(operator)
  return { left: text.slice(0, at).trim(), operator: operator.trim(), right: text.slice(at + operator.length).trim() }
}

function predicateOf({ operator, right }: Condition): ((code: number) => boolean) | undefined {
  const codes = (argumentsOf('any', right) ?? [right]).map(Number)
  if (codes.some((code) => !Number.isInteger(code))) return undefined
  const [only = 0] = codes
  switch (operator) {
    case '==':
      return (code) => codes.includes(code)
    case '!=':
      return (code) => !codes.includes(code)
    case '<':
      return (code) => code < only
    case '<=':
      return (code) => code <= only
    case '>':
      return (code) => code > only
    default:
      return (code) => code >= only
  }
}

function spansWhere(accepts: (code: number) => boolean): Span[] {
  const spans: Span[] = []
  for (let code = LEAST; code <= MOST; code++) if (accepts(code)) spans.push({ from: code, to: code })
  return spans
}

function setCondition(check: FileCheck, condition: Condition, record_type: string | undefined): Said {
  const { left, operator, right } = condition
  switch (left) {
    case '[CONNECTED]':
      if (right === 'false' && operator === '==') check.invert_result = true
      return right === 'true' || check.invert_result
        ? carried
        : impossible('compares with a value other than true or false')
    case '[RESPONSE_TIME]':
      return setResponseTime(check, condition)
    case '[CERTIFICATE_EXPIRATION]':
      return setCertificate(check, condition)
    case '[BODY]':
      return record_type === undefined ? setBody(check, condition) : setRecord(check, condition, record_type)
    case '[DOMAIN_EXPIRATION]':
      return impossible('Dogwatch does not monitor domain registrations')
    case '[IP]':
      return impossible('checks do not compare the IP address that they connected to')
    case '[DNS_RCODE]':
      return setCode(check, condition)
    default:
      return left.includes('[BODY]') ? setJson(check, condition) : impossible('this condition is not supported')
  }
}

/** Sets the rule about the response code of a DNS answer. Without one, any code other than NOERROR fails a check. */
function setCode(check: FileCheck, { operator, right }: Condition): Said {
  const codes = argumentsOf('any', right) ?? [right]
  if (!codes.every((code) => /^[A-Z]{1,20}$/.test(code)))
    return impossible('compares with a value other than a response code')
  const [code = ''] = codes
  if (operator === '==' && codes.length === 1) {
    return code === 'NOERROR' ? carried : addAssertions(check, [{ on: 'dns_rcode', is: 'eq', value: code }])
  }
  if (operator === '!=') {
    return addAssertions(
      check,
      codes.map((value) => ({ on: 'dns_rcode', is: 'ne', value })),
    )
  }
  if (operator !== '==') return impossible('response codes have no order')
  return addAssertions(check, [{ on: 'dns_rcode', is: 'regex', value: `^(?:${codes.join('|')})$` }])
}

function setResponseTime(check: FileCheck, { operator, right }: Condition): Said {
  const most = operator === '<' ? Number(right) - 1 : operator === '<=' ? Number(right) : Number.NaN
  if (!Number.isInteger(most) || most < 1) {
    const is = SIGNS.get(operator)
    if (is === undefined || !/^\d{1,9}$/.test(right)) return impossible('is not a number of milliseconds')
    return addAssertions(check, [{ on: 'timing', at: 'total', is, value: Number(right) }])
  }
  check.max_response_time_ms = Math.min(most, 60_000)
  return most > 60_000 ? differently('max_response_time_ms 60000, the maximum') : carried
}

function setCertificate(check: FileCheck, { operator, right }: Condition): Said {
  const seconds = durationOf(right)
  if (seconds === undefined || (operator !== '>' && operator !== '>='))
    return impossible('a check can only require a minimum number of days')
  const days = Math.ceil(seconds / DAY_SEC)
  if (days < 1) return impossible('the time before a certificate expires is set in whole days')
  check.cert_expiry_warn_days = Math.min(days, 3650)
  return days * DAY_SEC === seconds ? carried : differently(`cert_expiry_warn_days ${days}: whole days`)
}

function setBody(check: FileCheck, { operator, right }: Condition): Said {
  if (operator !== '==' && operator !== '!=') return impossible('checks look for text in the body only')
  const isNot = operator === '!='
  const [pattern] = argumentsOf('pat', right) ?? []
  const any = argumentsOf('any', right)
  const inner =
    pattern?.startsWith('*') && pattern.endsWith('*') && pattern.length > 2 ? pattern.slice(1, -1) : undefined
  if (inner !== undefined && !/[*?[\]\\/]/.test(inner))
    return setMatch(check, inner, isNot ? 'not_contains' : 'contains')
  if (VARIABLE.test(right)) return impossible('patterns cannot contain variables; write the value into match_string')
  if (any) return setMatch(check, `^(?:${any.map(literally).join('|')})$`, isNot ? 'not_regex' : 'regex')
  if (pattern === undefined) return setMatch(check, `^${literally(right)}$`, isNot ? 'not_regex' : 'regex')
  if (CLASS.test(pattern)) return impossible(NO_CLASSES)
  const said = setMatch(check, `(?s)^${globbed(literally(pattern))}$`, isNot ? 'not_regex' : 'regex')
  return said.list === 'carried' && pattern.includes('/')
    ? differently('slashes are significant; Gatus ignores them on both sides')
    : said
}

/** Sets the rule about the records of a DNS answer. Gatus compares the value of the last record only. */
function setRecord(check: FileCheck, { operator, right }: Condition, type: string): Said {
  if (operator !== '==' && operator !== '!=') return impossible('checks look for text in the answer only')
  if (VARIABLE.test(right)) return impossible('patterns cannot contain variables; write the value into match_string')
  const isNot = operator === '!='
  const [pattern] = argumentsOf('pat', right) ?? []
  if (pattern !== undefined && CLASS.test(pattern)) return impossible(NO_CLASSES)
  const values = (argumentsOf('any', right) ?? [right]).map((value) => recordText(type, value))
  const value = pattern === undefined ? `(?:${values.join('|')})` : globbed(recordText(type, pattern))
  const regex = recordPattern(type, value)
  if (regex === undefined) return impossible(`values of ${type} records cannot be compared`)
  const said = setMatch(check, regex, isNot ? 'not_regex' : 'regex')
  if (said.list !== 'carried') return said
  return differently(
    isNot
      ? 'no record of the answer may have this value, not only the last one'
      : 'any record of the answer may have it',
  )
}
