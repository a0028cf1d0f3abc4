// Reads a whole dogwatch.yaml: its text, its shape, its references and the rules of its checks. Needs no server.

import { type Contradiction, contradictionsIn } from '@dogwatch/check-rules/contradictions'
import { faultsOfDefinition, faultsOfValue } from '@dogwatch/check-rules/definition'
import { isField } from '@dogwatch/check-rules/fields'
import { faultOfRetries } from '@dogwatch/check-rules/retries'
import type { ConfigFile, FileCheck, Key, Section } from './format.ts'
import { type Fault, FaultyFile, type Path, pathText } from './place.ts'
import { referencesIn } from './references.ts'
import { faultsOfSchema, isOfValue, readSchema, type SchemaFault } from './schema.ts'
import { type Environment, type ReadOptions, readSource, type Source } from './source.ts'

export const SECTIONS: readonly Section[] = ['channels', 'checks', 'heartbeats', 'routes', 'maintenance']

/** A file that follows all rules that can be checked without the server. Defaults are filled in. */
export interface ReadFile {
  source: Source
  config: ConfigFile
  /**
   * Contradictions between fields of checks, and fields without effect. The server decides whether to accept them, because an
   * existing check with a contradiction may still be changed elsewhere.
   */
  warnings: Fault[]
}

/**
 * Reads a file. @throws FaultyFile with every fault and its place. Ignores faults of values that are placeholders for missing
 * variables.
 */
export async function readConfigFile(
  file: string,
  text: string,
  env: Environment,
  how: ReadOptions = {},
): Promise<ReadFile> {
  const source = readSource(file, text, env, how)
  const isKnown = ({ path }: { path: Path }) => !source.isMissing(saidAt(source, path))
  const isCertain = (fault: FileFault) => isKnown(fault) || !isOfValue(fault)
  const value = source.value ?? {}
  const inShape = faultsOfSchema(await readSchema(), value).filter(isCertain)
  if (inShape.length > 0) {
    const ofOthers = faultsOfChecks(withDefaults(checksInShape(value as ConfigFile, inShape)), isKnown)
    throw new FaultyFile(file, told(source, [...inShape, ...ofOthers.filter(isKnown).filter(isFault)]))
  }
  const config = withDefaults(value as ConfigFile)
  const found = [...faultsOfChecks(config, isKnown), ...faultsOfReferences(config)].filter(isKnown)
  const faults = found.filter(isFault)
  if (faults.length > 0) throw new FaultyFile(file, told(source, faults))
  return { source, config, warnings: told(source, found) }
}

interface FileFault extends SchemaFault {
  /**
   * Whether the fault is a contradiction between several fields. The server decides about it, because an existing check may keep
   * such a contradiction.
   */
  isTogether?: boolean
}

const isFault = ({ isTogether }: FileFault): boolean => isTogether !== true

/** Returns the checks that the schema accepts, so that their rules are checked even if other parts of the file are invalid. */
function checksInShape({ defaults, checks = {} }: ConfigFile, found: readonly FileFault[]): ConfigFile {
  const isFaulty = (...place: string[]): boolean =>
    found.some(({ path }) => place.every((part, index) => (path[index] ?? part) === part))
  const isNoSection = found.some(({ path }) => path.length < 2 && (path[0] ?? 'checks') === 'checks')
  if (isNoSection || isFaulty('defaults', 'checks')) return { version: 1 }
  const sound = Object.entries(checks).filter(([key]) => !isFaulty('checks', key))
  return { version: 1, ...(defaults && { defaults }), checks: Object.fromEntries(sound) }
}

function told(source: Source, found: readonly FileFault[]): Fault[] {
  return found.map(({ path, must }) => ({
    at: source.placeOf(path),
    line: `${path.length === 0 ? 'the file' : pathText(path)} ${must}`,
  }))
}

/** Fills in the defaults of the fields that an item omits, and the item's key as its name if it has none. */
function withDefaults(config: ConfigFile): ConfigFile {
  const filled = SECTIONS.flatMap((section) => {
    const things = config[section]
    if (!things) return []
    const defaults = (section === 'checks' || section === 'heartbeats' ? config.defaults?.[section] : undefined) ?? {}
    const all = Object.entries<object>(things).map(([key, thing]) => [
      key,
      { name: key, ...without(defaults, thing), ...thing },
    ])
    return [[section, Object.fromEntries(all)]]
  })
  return { ...config, ...(Object.fromEntries(filled) as Partial<ConfigFile>) }
}

/** Returns the path where the file sets the value of an item's field: in the item itself, or in the defaults. */
export function saidAt(source: Source, path: Path): Path {
  const [section = '', , ...rest] = path
  const byDefault = ['defaults', section, ...rest]
  return !source.has(path) && source.has(byDefault) ? byDefault : path
}

/** Fields that exclude each other. If an item sets one of them, no default is filled in for the others. */
const RIVALS = new Map(
  Object.entries<readonly string[]>({
    monitors: ['all_monitors'],
    all_monitors: ['monitors'],
    interval_sec: ['cron', 'cron_zone'],
    cron: ['interval_sec'],
  }),
)

function without(defaults: object, thing: object): object {
  const rivals = Object.keys(thing).flatMap((field) => RIVALS.get(field) ?? [])
  return Object.fromEntries(Object.entries(defaults).filter(([field]) => !rivals.includes(field)))
}

function faultsOfChecks({ checks = {} }: ConfigFile, isKnown: (at: { path: Path }) => boolean): FileFault[] {
  return Object.entries(checks).flatMap(([key, check]) => {
    const { url, ...given } = check
    const path = ['checks', key]
    const required = (['url', 'interval_sec'] as const).filter((field) => check[field] === undefined)
    const ofValues = Object.entries(given).flatMap(([field, value]) =>
      isField(field) && field !== 'url' ? faultsOfValue(field, value) : [],
    )
    // An empty url means a private definition. Only the server knows the rules for it.
    const isRuled = url !== undefined && url !== '' && isKnown({ path: [...path, 'url'] })
    const ofRule = isRuled ? faultsOfDefinition(check) : []
    // Checks a combination of fields only if the value of each of them is known and valid.
    const together = [...contradictionsIn(check), ...idleRetries(check)]
      .filter(({ fields }) =>
        fields.every(
          (field) => isKnown({ path: [...path, field] }) && !ofValues.some((fault) => fault.field === field),
        ),
      )
      .map(({ field, must }) => ({ field, must, isTogether: true }))
    const seen = new Set<string>()
    return [
      ...required.map((field) => ({ path: [...path, field], must: 'is required' })),
      ...[...ofValues, ...ofRule, ...together].flatMap(
        ({ field, header, part, must, isTogether = false }: CheckFault) => {
          const at = [...path, field, ...(header === undefined ? [] : [header]), ...stepsOf(part)]
          const isTold = seen.has(pathText(at))
          seen.add(pathText(at))
          return isTold ? [] : [{ path: at, must, isTogether }]
        },
      ),
    ]
  })
}

/** Returns the steps of a part such as `[2].at`. */
function stepsOf(part = ''): (string | number)[] {
  return [...part.matchAll(/\[(\d+)\]|\.(\w+)/g)].map(([, index, name = '']) =>
    index === undefined ? name : Number(index),
  )
}

/**
 * Finds retries that the monitors would never make, with the fields that decide this. If a check runs on all monitors, the file
 * does not say how many there are.
 */
function idleRetries(check: FileCheck): Omit<Contradiction, 'reason'>[] {
  const must = faultOfRetries({ ...check }, check.monitors?.length)
  const fields = ['retry_count', 'retry_interval_sec', 'timeout_sec', 'interval_sec'] as const
  return must === undefined ? [] : [{ field: 'retry_count', must, fields }]
}

interface CheckFault {
  field: string
  header?: string
  part?: string
  must: string
  isTogether?: boolean
}

function faultsOfReferences(config: ConfigFile): FileFault[] {
  return referencesIn(config).flatMap(({ path, section, reference }) => {
    if (reference.startsWith('key:') || reference.startsWith('id:')) return []
    const things: Record<Key, unknown> = config[section] ?? {}
    if (Object.hasOwn(things, reference)) return []
    return [
      { path, must: `must be a key from ${section} in this file, key:NAME for an item in another file, or id:ID` },
    ]
  })
}
