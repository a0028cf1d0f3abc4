// Builds the response to a bulk request: the outcome of each change, and the fields that differ.
import { DEFINITION_FIELDS } from '@dogwatch/check-rules/fields'
import { DomainError } from '../errors.ts'
import type { Action, BulkChange, Outcome } from './bulk-changes.ts'
import type { ConfiguredCheck } from './checks.ts'
import { type Difference, differencesOf, maybeNeededOf, uncomparedOf } from './differences.ts'
import type { Kind } from './kind.ts'
import { kindOf } from './kinds.ts'

export interface ChangeSummary {
  action: Action
  kind: string
  key?: string
  id: string
  /** Version before the change, or `none` if the item did not exist. */
  found: string
  fields: Difference[]
  warnings?: string[]
}

export interface BulkAnswer {
  changes: ChangeSummary[]
  counts: Record<Action, number>
  /** Whether the order of routes changed. Absent if the request had no `route_order`. */
  reordered?: boolean
}

export function keyOf(kind: Kind<unknown>, thing: unknown): string | null {
  const { key } = kind.toWire(thing) as { key?: string }
  return key ?? null
}

/**
 * Returns the response. `reads_secrets`: whether the caller may read the secrets of checks. `warnings`: by position of the change.
 */
export function answerOf(
  changes: readonly BulkChange[],
  outcomes: readonly Outcome[],
  reads_secrets: boolean,
  warnings: ReadonlyMap<number, string>,
): BulkAnswer {
  const counts = { created: 0, replaced: 0, deleted: 0, unchanged: 0 }
  const answers = outcomes
    .toSorted((one, other) => one.index - other.index)
    .map(({ index, action, id, key, before, after }): ChangeSummary => {
      counts[action]++
      const change = changes[index]
      const kind = change?.kind ?? ''
      const fields = action === 'unchanged' ? [] : fieldsOf(kindOf(kind), before, after, reads_secrets)
      if (after !== undefined) {
        fields.push(...uncomparedOf(kindOf(kind).uncomparedOf?.(after) ?? []))
        fields.push(...maybeNeededOf(kindOf(kind).maybeNeededOf?.(after) ?? []))
      }
      // The key is not a difference if the change already names it.
      const told = change?.key === undefined ? fields : fields.filter(({ field }) => field !== 'key')
      const warning = warnings.get(index)
      return {
        ...{ action, kind, ...(key !== null && { key }), id, found: versionBefore(kind, before), fields: told },
        ...(warning !== undefined && { warnings: [warning] }),
      }
    })
  return { changes: answers, counts }
}

const NONE = 'none'

function versionBefore(kind: string, before: unknown): string {
  return before === undefined ? NONE : kindOf(kind).versionOf(before)
}

/** Refuses the whole request if an item does not have the version that its change expects. */
export function requireVersions(changes: readonly BulkChange[], outcomes: readonly Outcome[]): void {
  const [first, ...others] = outcomes
    .toSorted((one, other) => one.index - other.index)
    .flatMap(({ index, before }) => {
      const { if_match, kind = '', key, id } = changes[index] ?? {}
      if (if_match === undefined || if_match === versionBefore(kind, before)) return []
      return `changes[${index}].if_match does not match the current version of ${[kind, key ?? id].join(' ').trim()}`
    })
  if (first === undefined) return
  throw new DomainError('stale', others.length === 0 ? first : `${first}; and ${others.length} more`)
}

function fieldsOf(kind: Kind<unknown>, before: unknown, after: unknown, reads_secrets: boolean): Difference[] {
  const stateOf = (thing: unknown) => (thing === undefined ? undefined : configurationOf(kind, thing, reads_secrets))
  const secretsOf = (thing: unknown) => (thing === undefined ? {} : (kind.secretsOf?.(thing) ?? {}))
  const differences = differencesOf(stateOf(before), stateOf(after), {
    before: secretsOf(before),
    after: secretsOf(after),
  })
  return kind.name === 'check' && after !== undefined
    ? withoutPrivate(differences, after as ConfiguredCheck)
    : differences
}

/** Removes previous values of a definition that has just become private, because a response must not quote them. */
function withoutPrivate(differences: readonly Difference[], { check }: ConfiguredCheck): Difference[] {
  const isHidden = (field: string) => check.url === '' && (DEFINITION_FIELDS as readonly string[]).includes(field)
  return differences.map(({ before, ...rest }) =>
    isHidden(rest.field) || before === undefined ? rest : { ...rest, before },
  )
}

/** Returns the fields that callers configure, without the derived ones. */
function configurationOf(
  kind: Kind<unknown>,
  thing: unknown,
  reads_secrets: boolean,
): Readonly<Record<string, unknown>> {
  const told = kind.toWire(kind.name === 'check' ? withoutFleet(thing as ConfiguredCheck) : thing, reads_secrets)
  const derived = new Set([...kind.derived, ...(kind.derivedOf?.(thing) ?? [])])
  return Object.fromEntries(Object.entries(told).filter(([field]) => !derived.has(field)))
}

/** Removes the monitors of a check that runs on all monitors, because no caller selected them. */
function withoutFleet(configured: ConfiguredCheck): ConfiguredCheck {
  return configured.all_monitors ? { ...configured, monitors: [] } : configured
}
