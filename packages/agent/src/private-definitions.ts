// Definitions that never leave this machine: what they must be, and how they are laid over the server's blank rows.
import type { Check } from '@dogwatch/monitor-sdk'
import { RE2JS } from 're2js'
import { z } from 'zod'
import { wordsOf } from './fatal.ts'
import { type Named, namesIn } from './json-names.ts'
import { faultOfHeaders } from './probes/request-headers.ts'
import { readTarget } from './targets.ts'

// The rules and their words are the server's for the same fields: what it would refuse is no better here.
const URL_MAX_CHARS = 2048
const TEXT_MAX_CHARS = 65_536
const HEADERS_MAX = 10
const HEADER_VALUE_MAX_CHARS = 8192
const MATCH_MODES = ['contains', 'not_contains', 'regex', 'not_regex'] as const
const STATUS_CODE_OPS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const

const text = (max: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
    .max(max, `must have at most ${max} characters`)

const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, `must be one of ${words.join(', ')}`)

const TARGET = text(URL_MAX_CHARS).superRefine((url, context) => {
  const target = url === '' ? { fault: 'is required' } : readTarget(url)
  if ('fault' in target) context.addIssue(withoutSubject(target.fault))
})

const HEADERS = z.record(z.string(), z.string(), 'must be an object of strings').superRefine((headers, context) => {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const isLong = Object.values(headers).some((value) => value.length > HEADER_VALUE_MAX_CHARS)
  const fault = faultOfHeaders(headers)
  if (names.length > HEADERS_MAX) context.addIssue(`must have at most ${HEADERS_MAX} entries`)
  if (new Set(names).size < names.length) context.addIssue('must not name a header twice')
  if (isLong) context.addIssue(`must have values of at most ${HEADER_VALUE_MAX_CHARS} characters`)
  if (fault !== undefined) context.addIssue(withoutSubject(fault))
})

const DEFINITION = z
  .strictObject({
    url: TARGET,
    match_string: text(TEXT_MAX_CHARS).optional(),
    match_mode: oneOf(MATCH_MODES).optional(),
    post_data: text(TEXT_MAX_CHARS).optional(),
    headers: HEADERS.optional(),
    status_code_op: oneOf(STATUS_CODE_OPS).optional(),
    status_code_value: z.int('must be a whole number').optional(),
  })
  .superRefine(({ status_code_op, status_code_value = 0, match_mode, match_string = '' }, context) => {
    const fault = (field: string, message: string): void => context.addIssue({ code: 'custom', path: [field], message })
    if (status_code_op && (status_code_value < 100 || status_code_value > 599)) {
      fault('status_code_value', 'must be 100 to 599 when status_code_op is set')
    }
    if (!status_code_op && status_code_value !== 0) {
      fault('status_code_op', 'is required when status_code_value is set')
    }
    if (match_mode?.endsWith('regex') && !isRegex(match_string)) {
      fault('match_string', 'must be a regular expression in RE2 syntax')
    }
  })

/** The content of a check. */
export type Definition = z.infer<typeof DEFINITION>
export type Definitions = ReadonlyMap<string, Definition>

/** What is wrong with a file. No fault repeats anything of a definition but its guid and the name of a field. */
export class DefinitionFaults extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('; '))
    this.faults = faults
  }
}

/** Reads a whole file of `{ guid: definition }`. Throws DefinitionFaults for anything that is not right in it. */
export function parseDefinitions(text: string): Definitions {
  const document = parseJson(text)
  if (!isObject(document)) throw new DefinitionFaults(['must be an object of definitions by the guid of their check'])
  const definitions = new Map<string, Definition>()
  const faults = namesIn(text).flatMap(faultsOfName)
  for (const [guid, entry] of Object.entries(document)) {
    const { data, error } = DEFINITION.safeParse(isObject(entry) ? present(entry) : entry)
    if (data) definitions.set(guid, data)
    else faults.push(...error.issues.flatMap(faultsOf).map((fault) => `${guid}: ${fault}`))
  }
  if (faults.length > 0) throw new DefinitionFaults([...new Set(faults)])
  return definitions
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // The parser's own words quote the text.
    const where = / \(line \d+ column \d+\)$/.exec(wordsOf(error))?.[0] ?? ''
    throw new DefinitionFaults([`is not JSON${where}`])
  }
}

/** What the parser passes over. */
function faultsOfName({ path, isRepeated }: Named): string[] {
  const [guid = '', field = ''] = path
  const name = path.at(-1)
  if (path.length === 1) return isRepeated ? [`${guid}: is there more than once`] : []
  if (path.length === 2 && name === '__proto__') return [`${guid}: ${faultOfField(name)}`]
  if (path.length === 2) return isRepeated ? [`${guid}: has a field more than once`] : []
  if (path.length > 3 || field !== 'headers') return []
  if (name === '__proto__') return [`${guid}: headers must not name one __proto__`]
  return isRepeated ? [`${guid}: headers must not name a header twice`] : []
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An entry may be what the server exported: there null, 0 and empty words stand for nothing. */
function present(entry: object): object {
  const isBlank = ([field, value]: [string, unknown]): boolean =>
    value === null || (value === '' && field !== 'url') || (value === 0 && field === 'status_code_value')
  return Object.fromEntries(Object.entries(entry).filter((one) => !isBlank(one)))
}

/** With the field, but nothing that lies below it: names and values of headers are content. */
function faultsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map(faultOfField)
  if (issue.path.length === 0) return ['must be an object']
  // What is wrong below a field is told of the field.
  const isBelow = issue.path.length > 1
  return [`${String(issue.path[0])} ${isBelow ? 'must be an object of strings' : issue.message}`]
}

/** A name that no check has may be a slip of the pen, and what it slipped from a secret. */
function faultOfField(name: string): string {
  if (SERVERS.has(name)) return `${name} is the server's to say`
  return `has a field that is none of ${Object.keys(DEFINITION.shape).join(', ')}`
}

const SERVERS = new Set([
  'guid',
  'name',
  'enabled',
  'restricted',
  'interval_sec',
  'timeout_sec',
  'disable_redirects',
  'insecure_skip_verify',
  'cert_expiry_warn_days',
  'max_response_time_ms',
  'invert_result',
  'result_detail_max_chars',
  'down_interval_sec',
  'resend_interval_sec',
])

/** Faults that a run tells begin with what they are about, which here is said before. */
function withoutSubject(fault: string): string {
  return fault.replace(/^the \w+ /, '')
}

function isRegex(text: string): boolean {
  try {
    RE2JS.compile(text)
    return true
  } catch {
    return false
  }
}

/** Content fields that the server leaves blank when it does not know them. */
export function isBlank(check: Pick<Check, 'url'>): boolean {
  return check.url === ''
}

/**
 * The check as it is to be run, and whether its content is private. When and whether it runs is the server's to say, and
 * so is every row that has content. Undefined: the content is private, and not here.
 */
export function overlay(check: Check, definitions: Definitions): { check: Check; isPrivate: boolean } | undefined {
  if (!isBlank(check)) return { check, isPrivate: false }
  const definition = definitions.get(check.guid)
  if (!definition) return undefined
  const { match_mode: _, post_data: _p, headers: _h, status_code_op: _o, status_code_value: _v, ...row } = check
  const present = Object.entries(definition).filter(([, value]) => value !== undefined)
  return { check: { ...row, match_string: '', ...Object.fromEntries(present) }, isPrivate: true }
}
