// Definitions that never leave this machine: read from a file of the owner's alone, and laid over the server's blank rows.
import { type FileHandle, open } from 'node:fs/promises'
import type { Check } from '@dogwatch/monitor-sdk'
import { RE2JS } from 're2js'
import { z } from 'zod'
import { wordsOf } from './fatal.ts'
import { faultOfHeaders } from './probes/request-headers.ts'
import { readTarget } from './targets.ts'

const HEADERS_MAX = 10

const HEADERS = z.record(z.string(), z.string()).superRefine((headers, context) => {
  if (Object.keys(headers).length > HEADERS_MAX) context.addIssue('the headers are more than 10')
  const fault = faultOfHeaders(headers)
  if (fault !== undefined) context.addIssue(fault)
})

const TARGET = z.string().superRefine((url, context) => {
  const target = readTarget(url)
  if ('fault' in target) context.addIssue(target.fault)
})

const DEFINITION = z
  .strictObject({
    url: TARGET,
    match_string: z.string().optional(),
    match_mode: z.enum(['contains', 'not_contains', 'regex', 'not_regex']).optional(),
    post_data: z.string().optional(),
    headers: HEADERS.optional(),
    status_code_op: z.enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte']).optional(),
    status_code_value: z.int().min(100).max(599).optional(),
  })
  .refine((one) => (one.status_code_op === undefined) === (one.status_code_value === undefined), {
    path: ['status_code_op'],
    message: 'status_code_op goes together with status_code_value',
  })
  .refine((one) => !one.match_mode?.endsWith('regex') || isRegex(one.match_string ?? ''), {
    path: ['match_string'],
    message: 'match_string is not a regular expression (RE2)',
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
  const entries = z.record(z.string(), z.unknown()).safeParse(parseJson(text))
  if (!entries.success) throw new DefinitionFaults(['must be an object of definitions by the guid of their check'])
  const definitions = new Map<string, Definition>()
  const faults: string[] = []
  for (const [guid, entry] of Object.entries(entries.data)) {
    const { data, error } = DEFINITION.safeParse(entry)
    if (data) definitions.set(guid, data)
    else faults.push(...error.issues.map((issue) => `${guid}: ${faultOf(issue)}`))
  }
  if (faults.length > 0) throw new DefinitionFaults(faults)
  return definitions
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own words quote the text.
    throw new DefinitionFaults(['is not JSON'])
  }
}

/** In our words, since those of the schema may repeat what was written. */
function faultOf(issue: z.core.$ZodIssue): string {
  // Below a field there are only names and values of headers, which are content.
  const field = String(issue.path[0] ?? 'the definition')
  if (issue.code === 'unrecognized_keys') return 'has a field that is none of a definition'
  if (issue.code === 'custom') return issue.message
  if (issue.code === 'invalid_value') return `${field} has none of the allowed values`
  if (issue.code === 'too_big' || issue.code === 'too_small') return `${field} is out of range`
  return `${field} is missing or of the wrong type`
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

export interface FileState {
  /** Changes whenever the file does. */
  stamp: string
  text: string
}

/**
 * Reads a file that only its owner can read.
 *
 * @param trusted_dir a directory that keeps others out by itself, whatever the modes of its files say.
 */
export async function readOwnerOnly(path: string, trusted_dir?: string): Promise<FileState> {
  const file = await open(path, 'r')
  try {
    return await readGuarded(file, trusted_dir !== undefined && path.startsWith(`${trusted_dir}/`))
  } finally {
    await file.close()
  }
}

async function readGuarded(file: FileHandle, isTrusted: boolean): Promise<FileState> {
  const { mode, uid, ino, size, mtimeMs } = await file.stat()
  if (!isTrusted && (mode & 0o077) !== 0) throw new DefinitionFaults(['others may read or write it: chmod 600'])
  if (!isTrusted && uid !== 0 && uid !== process.getuid?.()) throw new DefinitionFaults(['belongs to another user'])
  return { stamp: [ino, size, mtimeMs, mode, uid].join(), text: await file.readFile('utf8') }
}

export interface DefinitionsFileOptions {
  path: string
  trusted_dir?: string | undefined
  onChange: (definitions: Definitions) => void
  log?: (event: DefinitionsEvent) => void
}

export type DefinitionsEvent =
  | { event: 'definitions_read'; definitions: number }
  | { event: 'definitions_refused'; faults: readonly string[] }

/** A definitions file as it was when it was last right as a whole. */
export class DefinitionsFile {
  readonly #options: DefinitionsFileOptions
  #seen = ''

  constructor(options: DefinitionsFileOptions) {
    this.#options = options
  }

  /** Reads the file for the first time. Throws DefinitionFaults, or what the platform says. */
  async open(): Promise<void> {
    this.#take(await readOwnerOnly(this.#options.path, this.#options.trusted_dir))
  }

  /** Reads it again if it has changed. What is not right does not take effect, and is told once. */
  async refresh(): Promise<void> {
    let stamp = ''
    try {
      const state = await readOwnerOnly(this.#options.path, this.#options.trusted_dir)
      stamp = state.stamp
      if (stamp !== this.#seen) this.#take(state)
    } catch (error) {
      const faults = error instanceof DefinitionFaults ? error.faults : [wordsOf(error)]
      const seen = `${stamp} ${faults.join()}`
      if (seen !== this.#seen) this.#options.log?.({ event: 'definitions_refused', faults })
      this.#seen = seen
    }
  }

  #take({ stamp, text }: FileState): void {
    const definitions = parseDefinitions(text)
    this.#seen = stamp
    this.#options.log?.({ event: 'definitions_read', definitions: definitions.size })
    this.#options.onChange(definitions)
  }
}
