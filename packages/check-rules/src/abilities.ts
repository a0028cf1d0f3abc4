// Derives from the rows of schemes and fields which abilities a monitor needs for a check.
import { FIELD_NAMES, type FieldName, isBlank, rowOf } from './fields.ts'
import { SCHEME_ROWS, type Scheme, schemeOf, schemeRow } from './schemes.ts'

/**
 * Abilities of agents that do not list their abilities: those of the first release. Never add an ability of a later release here.
 */
export const FIRST_ABILITIES: readonly string[] = ['http', 'tcp', 'tls']

/** Names of all abilities that a check can need, in the order of the alphabet. */
export const ABILITIES: readonly string[] = sortAbilities([
  ...SCHEME_ROWS.flatMap(({ ability = [], options_ability = [] }) => [ability, options_ability].flat()),
  ...FIELD_NAMES.flatMap((field) => rowOf(field).ability ?? []),
])

/** Returns the names in the order of the alphabet, each once. */
export function sortAbilities(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted()
}

/**
 * Returns the abilities that a monitor needs for a check. A private definition needs none, because the server does not know it, and
 * neither does a check that the server judges.
 */
export function needsOf(check: Readonly<Partial<Record<FieldName, unknown>>>): string[] {
  const scheme = typeof check.url === 'string' ? schemeOf(check.url) : undefined
  const ability = scheme && schemeRow(scheme).ability
  if (ability === undefined) return []
  const ofFields = FIELD_NAMES.flatMap((field) => (isUnset(field, check[field]) ? [] : (rowOf(field).ability ?? [])))
  return sortAbilities([ability, ...optionsAbility(scheme, String(check.url)), ...ofFields])
}

function optionsAbility(scheme: Scheme | undefined, url: string): readonly string[] {
  const { options_ability = [] } = scheme ? schemeRow(scheme) : {}
  return url.includes('?') ? [options_ability].flat() : []
}

/** Whether a value means the same as an omitted field. */
function isUnset(field: FieldName, value: unknown): boolean {
  const row = rowOf(field)
  if (isBlank(value) || row.kind !== 'word') return isBlank(value)
  const [[, byDefault]] = row.words
  return row.words.some(([word, label]) => word === value && label === byDefault)
}

/** Returns the abilities that a check needs and a monitor lacks. */
export function lacking(needs: readonly string[], abilities: readonly string[]): string[] {
  return needs.filter((need) => !abilities.includes(need))
}

/**
 * Returns the abilities that are missing at the monitor that lacks the fewest. `monitors` contains the abilities of each monitor.
 * Returns all needs if there are no monitors.
 */
export function leastLacking(needs: readonly string[], monitors: readonly (readonly string[])[]): string[] {
  const all = monitors.map((abilities) => lacking(needs, abilities))
  return all.reduce((least, one) => (one.length < least.length ? one : least), [...needs])
}
