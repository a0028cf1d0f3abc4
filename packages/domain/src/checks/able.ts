// Says how many of a check's monitors can run it.
import { lacking, leastLacking, needsOf } from '@dogwatch/check-rules/abilities'
import type { FieldName } from '@dogwatch/check-rules/fields'

type Check = Readonly<Partial<Record<FieldName, unknown>>>

interface Ability {
  abilities: readonly string[]
}

/**
 * Returns words such as `2 of 3 monitors can run this check (missing ability: dns)`, or undefined if all of the monitors can.
 */
export function ableWords(check: Check, monitors: readonly Ability[]): string | undefined {
  const unable = monitors.filter((monitor) => !canRun(check, monitor))
  if (unable.length === 0) return undefined
  const able = monitors.length - unable.length
  return `${able} of ${monitors.length} monitors can run this check (${missingWords(check, unable)})`
}

export function canRun(check: Check, { abilities }: Ability): boolean {
  return lacking(needsOf(check), abilities).length === 0
}

/** Returns words such as `missing ability: dns`, for monitors that cannot run a check. */
export function missingWords(check: Check, unable: readonly Ability[]): string {
  const abilities = unable.map((monitor) => monitor.abilities)
  const missing = leastLacking(needsOf(check), abilities)
  return `missing ${missing.length === 1 ? 'ability' : 'abilities'}: ${missing.join(', ')}`
}
