// Converts conditions of Gatus about JSON to assertions.
import type { FileCheck } from '../../file/format.ts'
import { addAssertions, compareJson, compareLength, jsonPathOf, matchJson, SIGNS } from '../assertions.ts'
import { differently, impossible, type Said } from '../audit.ts'
import { literally } from '../patterns.ts'
import { argumentsOf, CLASS, type Condition, globbed, NO_CLASSES, VARIABLE } from './functions.ts'

const BODY = '[BODY]'

/** Adds assertions for a condition about the JSON body: its left side is a path in the body, or a function of such a path. */
export function setJson(check: FileCheck, { left, operator, right }: Condition): Said {
  const length = argumentsOf('len', left)?.[0]
  const existence = argumentsOf('has', left)?.[0]
  const place = length ?? existence ?? left
  const at = place.startsWith(BODY) ? jsonPathOf(place.slice(BODY.length)) : undefined
  if (at === undefined) return impossible('is not a path of names and indexes')
  if (/\[[A-Z_]+\]/.test(right)) return impossible('assertions compare with fixed values only')
  if (existence !== undefined) return setExistence(check, at, operator, right)
  const is = SIGNS.get(operator)
  if (is === undefined) return impossible('the comparison is not supported')
  if (length !== undefined) return compareLength(check, at, is, right)
  if (is !== 'eq' && is !== 'ne') return compareJson(check, at, is, right)
  const [pattern] = argumentsOf('pat', right) ?? []
  if (pattern !== undefined) return setPattern(check, at, is === 'ne', pattern)
  const any = argumentsOf('any', right)
  if (!any) return compareJson(check, at, is, right)
  if (is === 'eq') return matchJson(check, at, 'regex', `^(?:${any.map(literally).join('|')})$`)
  const outcomes = any.map((value) => compareJson(check, at, is, value))
  return outcomes.find(({ list }) => list === 'impossible') ?? outcomes[0] ?? impossible('names no value')
}

function setExistence(check: FileCheck, at: string, operator: string, right: string): Said {
  if (!['==', '!='].includes(operator) || !['true', 'false'].includes(right))
    return impossible('compares with a value other than true or false')
  const isThere = (operator === '==') === (right === 'true')
  const said = addAssertions(check, [{ on: 'json', at, is: isThere ? 'exists' : 'absent' }])
  return said.list === 'carried' ? differently('a value of null exists') : said
}

function setPattern(check: FileCheck, at: string, isNot: boolean, pattern: string): Said {
  if (VARIABLE.test(pattern)) return impossible('patterns cannot contain variables; write the value into the assertion')
  if (CLASS.test(pattern)) return impossible(NO_CLASSES)
  return matchJson(check, at, isNot ? 'not_regex' : 'regex', `(?s)^${globbed(literally(pattern))}$`)
}
