// Validates the definition of a check: its target, and the response that it expects.
import { faultsOfAssertions, patternsOf } from './assertions.ts'
import { patternsInSteps } from './dialogues.ts'
import { DEFINITION_FIELDS, type Definition, type FieldName, type FieldRow, isBlank, rowOf } from './fields.ts'
import { faultOfPattern, faultOfSize } from './pattern.ts'
import { type Reason, textOfReason } from './reason.ts'
import { type Scheme, schemeOf } from './schemes.ts'
import { faultOfStatuses } from './statuses.ts'
import { faultOfTags } from './tags.ts'
import { readTarget } from './target.ts'

/** A definition as written. Undefined and null mean an omitted field. */
export type DefinitionInput = Readonly<Partial<Record<keyof Definition, unknown>>>

export interface Fault {
  field: FieldName
  /**
   * Name of the header with the fault. It is part of the definition, so callers must not show it if the definition is private.
   */
  header?: string
  /**
   * Part of the field with the fault, such as `[2].at`. Messages show it after the name of the field. It contains nothing of the
   * definition.
   */
  part?: string
  /** Text that follows the name of the field, part or header. Quotes nothing of the definition. */
  must: string
  /** Reason of the fault, with the other fields as data. */
  reason: Reason
}

const MAX_URL = 2048
const MAX_HEADERS = 10
const MAX_HEADER_VALUE = 8192
const MIN_STATUS = 100
const MAX_STATUS = 599

/** Returns every fault of a definition. Compiles its patterns, if they are not too large. */
export function faultsOfDefinition(given: DefinitionInput): Fault[] {
  const faults = faultsWithoutPattern(given)
  const sound = patternsIn(given).filter(({ field }) => !faults.some((fault) => fault.field === field))
  const invalid = sound.flatMap(({ pattern, ...at }) => faultFor(at, faultIn({ pattern, ...at })))
  return invalid.length === 0 ? faults : inOrder([...faults, ...invalid])
}

/**
 * Returns every fault that can be found without compiling a pattern. A pattern that passes is not too large, but may still be
 * invalid. `patternsIn` returns those to compile.
 */
export function faultsWithoutPattern(given: DefinitionInput): Fault[] {
  const scheme = typeof given.url === 'string' ? schemeOf(given.url) : undefined
  const faults = DEFINITION_FIELDS.flatMap((field) => faultsOfField(field, given, scheme))
  const isSound = (...fields: FieldName[]): boolean => !faults.some(({ field }) => fields.includes(field))
  const pattern = patternOf(given)
  if (pattern !== undefined && isSound('match_string', 'match_mode')) {
    faults.push(...fault('match_string', faultOfSize(pattern)))
  }
  if (isSound('status_code_op', 'status_code_value')) faults.push(...faultsOfStatusRule(given))
  return inOrder(faults)
}

/** A pattern of a definition, and where it is. */
export interface DefinitionPattern {
  field: 'url' | 'match_string' | 'assertions'
  part?: string
  pattern: string
}

const INVALID_STEP = 'must have a valid regular expression (RE2 syntax) as the option expect'

/** Returns the fault of a pattern, by compiling it. */
export function faultIn({ field, pattern }: DefinitionPattern): string | undefined {
  const must = faultOfPattern(pattern)
  return must !== undefined && field === 'url' ? INVALID_STEP : must
}

/** Returns all patterns of a definition. */
export function patternsIn(given: DefinitionInput): DefinitionPattern[] {
  const pattern = patternOf(given)
  return [
    ...(pattern === undefined ? [] : [{ field: 'match_string' as const, pattern }]),
    ...patternsOf(given.assertions).map((one) => ({ field: 'assertions' as const, ...one })),
    ...stepPatterns(given.url).map((one) => ({ field: 'url' as const, pattern: one })),
  ]
}

function stepPatterns(url: unknown): string[] {
  const target = readTarget(typeof url === 'string' ? url : '')
  return 'steps' in target ? patternsInSteps(target.steps) : []
}

function patternOf({ match_mode, match_string = '' }: DefinitionInput): string | undefined {
  const isRegex = match_mode === 'regex' || match_mode === 'not_regex'
  return isRegex && (typeof match_string === 'string' || match_string === null) ? (match_string ?? '') : undefined
}

/** Returns every fault of a definition with an empty url. All other fields must be empty, too. */
export function faultsOfBlankDefinition(given: DefinitionInput): Fault[] {
  const others = DEFINITION_FIELDS.filter((field) => field !== 'url')
  const faults = others.flatMap((field) => faultsOfField(field, given))
  if (faults.length > 0) return faults
  const must = 'must be empty, because a private definition is stored only on the monitor'
  return others.filter((field) => !isBlank(given[field])).flatMap((field) => fault(field, must))
}

function faultsOfField(field: keyof Definition, given: DefinitionInput, scheme?: Scheme): Fault[] {
  const value = given[field] ?? undefined
  return value === undefined && field !== 'url' ? [] : faultsOfValue(field, value, scheme)
}

/** Returns the faults of a value for a field, regardless of other fields except the scheme of the target, if it is given. */
export function faultsOfValue(field: FieldName, value: unknown, scheme?: Scheme): Fault[] {
  const row = rowOf(field)
  switch (row.kind) {
    case 'url':
      return fault(field, faultOfUrl(value))
    case 'text':
      return fault(field, faultOfText(value, row))
    case 'word':
      return fault(field, faultOfWord(value, row.words))
    case 'whole':
      return fault(field, faultOfWhole(value, row))
    case 'yes-no':
      return fault(field, typeof value === 'boolean' ? undefined : 'must be true or false')
    case 'headers':
      return faultsOfHeaders(field, value)
    case 'tags':
      return fault(field, faultOfTags(value))
    case 'statuses':
      return fault(field, faultOfStatuses(value))
    case 'assertions':
      return faultsOfAssertions(value, scheme).flatMap(({ part, must }) => faultFor({ field, part }, must))
  }
}

function fault(field: FieldName, must: string | undefined): Fault[] {
  return faultFor({ field }, must)
}

function faultFor(at: Pick<Fault, 'field' | 'part'>, why: string | Reason | undefined): Fault[] {
  if (why === undefined) return []
  const reason = typeof why === 'string' ? [why] : why
  return [{ ...at, must: textOfReason(reason), reason }]
}

function inOrder(faults: Fault[]): Fault[] {
  const order: readonly FieldName[] = DEFINITION_FIELDS
  return faults.toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field))
}

function faultOfUrl(value: unknown): string | undefined {
  if (value === undefined || value === '') return 'is required'
  if (typeof value !== 'string') return 'must be a string'
  if (!isStorable(value)) return NOT_STORABLE
  if (value.length > MAX_URL) return `must be ${MAX_URL} characters or fewer`
  const target = readTarget(value)
  return 'fault' in target ? target.fault : undefined
}

function faultOfText(value: unknown, { max, faultOf }: Extract<FieldRow, { kind: 'text' }>): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (!isStorable(value)) return NOT_STORABLE
  return value.length > max ? `must be ${max} characters or fewer` : faultOf?.(value)
}

const NOT_STORABLE = 'must not contain null characters or invalid Unicode'

/** Whether Postgres can store the text unchanged. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function faultOfWord(value: unknown, rows: readonly (readonly [string, string])[]): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  const words = rows.map(([word]) => word)
  return words.includes(value) ? undefined : `must be one of ${words.filter((word) => word !== '').join(', ')}`
}

function faultOfWhole(value: unknown, { min, max }: { min: number; max: number }): string | undefined {
  const isWithin = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
  return isWithin ? undefined : `must be a whole number from ${min} to ${max}`
}

function faultsOfStatusRule({ status_code_op, status_code_value }: DefinitionInput): Fault[] {
  const value = typeof status_code_value === 'number' ? status_code_value : 0
  if (status_code_op && value < MIN_STATUS) {
    return faultFor({ field: 'status_code_value' }, [
      `must be between ${MIN_STATUS} and ${MAX_STATUS} when `,
      { field: 'status_code_op' },
      ' is set',
    ])
  }
  if (!status_code_op && value !== 0) {
    return faultFor({ field: 'status_code_op' }, ['is required when ', { field: 'status_code_value' }, ' is set'])
  }
  return []
}

const HTTP_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// biome-ignore lint: control characters are what is looked for
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Headers that are hop-by-hop, or frame the body. The agent sets them itself. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function faultsOfHeaders(field: FieldName, value: unknown): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fault(field, 'must be an object whose values are strings')
  }
  const entries = Object.entries(value)
  if (entries.length > MAX_HEADERS) return fault(field, `must have ${MAX_HEADERS} headers or fewer`)
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  if (names.size < entries.length) return fault(field, 'must not contain the same header twice')
  return entries.flatMap(([header, content]) => {
    const must = faultOfHeader(header, content)
    return fault(field, must).map((one) => ({ ...one, header }))
  })
}

/** Returns the fault of one header, as text that follows its name. */
export function faultOfHeader(name: string, value: unknown): string | undefined {
  if (!HTTP_TOKEN.test(name)) return 'must have a valid header name'
  if (name === '__proto__') return 'must not be named __proto__'
  if (FRAMING.has(name.toLowerCase())) return 'is set automatically and must be omitted'
  if (typeof value !== 'string') return 'must be a string'
  if (!FIELD_VALUE.test(value)) return 'must not contain line breaks or other control characters'
  return value.length > MAX_HEADER_VALUE ? `must be ${MAX_HEADER_VALUE} characters or fewer` : undefined
}
