// Validates definitions that never leave this machine, and fills them into the checks that the server sends without a definition.
import { type Fault, faultsOfDefinition } from '@dogwatch/check-rules/definition'
import { DEFINITION_FIELDS, FIELD_NAMES, type Definition as Whole } from '@dogwatch/check-rules/fields'
import { isTargetOfServer } from '@dogwatch/check-rules/schemes'
import type { Check } from '@dogwatch/monitor-sdk'
import { wordsOf } from '../process/fatal.ts'
import { type JsonName, namesIn } from './json-names.ts'

/** The definition of a check, with only the fields that its author wrote. */
export type Definition = Pick<Whole, 'url'> & Partial<Whole>
export type Definitions = ReadonlyMap<string, Definition>

/** Faults of a file. Their texts repeat nothing of a definition except its guid and the names of its fields. */
export class DefinitionFaults extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('; '))
    this.faults = faults
  }
}

/** Parses a whole file of `{ guid: definition }`. Throws DefinitionFaults if anything in it is wrong. */
export function parseDefinitions(text: string): Definitions {
  const document = parseJson(text)
  if (!isObject(document)) throw new DefinitionFaults(['must be an object that maps check guids to definitions'])
  const definitions = new Map<string, Definition>()
  const faults = namesIn(text).flatMap(faultsOfName)
  for (const [guid, entry] of Object.entries(document)) {
    const found = isObject(entry) ? faultsOf(entry) : ['must be an object']
    faults.push(...found.map((fault) => `${guid}: ${fault}`))
    // Without a fault, the fields have the types of a definition.
    if (found.length === 0) definitions.set(guid, present(entry as object) as Definition)
  }
  if (faults.length > 0) throw new DefinitionFaults([...new Set(faults)])
  return definitions
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // The parser's own message quotes the text.
    const where = / \(line \d+ column \d+\)$/.exec(wordsOf(error))?.[0] ?? ''
    throw new DefinitionFaults([`is not valid JSON${where}`])
  }
}

/** Finds faults that the parser ignores: repeated names and `__proto__`. */
function faultsOfName({ path, isRepeated }: JsonName): string[] {
  const [guid = '', field = ''] = path
  const name = path.at(-1)
  if (path.length === 1) return isRepeated ? [`${guid}: appears more than once`] : []
  if (path.length === 2 && name === '__proto__') return [`${guid}: ${faultOfField(name)}`]
  if (path.length === 2) return isRepeated ? [`${guid}: has a repeated field`] : []
  if (path.length > 3 || field !== 'headers') return []
  return isRepeated ? [`${guid}: headers must not contain the same header twice`] : []
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Drops null, 0 and empty texts, which mean that a field has no value. They occur in entries that the server's export wrote. */
function present(entry: object): object {
  const isBlank = ([, value]: [string, unknown]): boolean => value === null || value === '' || value === 0
  return Object.fromEntries(Object.entries(entry).filter((one) => !isBlank(one)))
}

const FIELDS: ReadonlySet<string> = new Set(DEFINITION_FIELDS)

function faultsOf(entry: object): string[] {
  const strangers = Object.entries(entry).filter(
    ([field, value]) => !FIELDS.has(field) && value !== null && value !== '',
  )
  const isForServer = 'url' in entry && typeof entry.url === 'string' && isTargetOfServer(entry.url)
  const ofServer = isForServer ? ['url must be of a kind that monitors run'] : []
  return [
    ...strangers.map(([field]) => faultOfField(field)),
    ...faultsOfDefinition(entry).map(wordsOfFault),
    ...ofServer,
  ]
}

/** Describes a fault without the names and values of headers, because these belong to the private definition. */
function wordsOfFault({ field, header, part = '', must }: Fault): string {
  return header === undefined ? `${field}${part} ${must}` : `${field}: a header ${must}`
}

/** Describes an unknown field without its name, because a mistyped name may be a secret. */
function faultOfField(name: string): string {
  if (SERVERS.has(name)) return `${name} is set on the server and must not be in this file`
  return `has an unknown field; allowed are ${DEFINITION_FIELDS.join(', ')}`
}

const SERVERS: ReadonlySet<string> = new Set(['guid', ...FIELD_NAMES.filter((field) => !FIELDS.has(field))])

/** Whether the server sent a check without a definition, because it does not know the definition. */
export function isBlank(check: Pick<Check, 'url'>): boolean {
  return check.url === ''
}

/**
 * Returns the check to run, and whether its definition is private. The server decides when and whether the check runs. Returns
 * undefined if this machine lacks the private definition.
 */
export function overlay(check: Check, definitions: Definitions): { check: Check; isPrivate: boolean } | undefined {
  if (!isBlank(check)) return { check, isPrivate: false }
  const definition = definitions.get(check.guid)
  if (!definition) return undefined
  const row = Object.entries(check).filter(([field]) => !FIELDS.has(field))
  const servers = Object.fromEntries(row) as Omit<Check, keyof Whole>
  return { check: { ...servers, match_string: '', ...definition }, isPrivate: true }
}

/** Whether the server sent a check without a definition, because only this machine has the definition. */
export function isPrivateRow(row: Check | undefined): boolean {
  return row !== undefined && isBlank(row)
}
