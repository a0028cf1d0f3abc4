// What a bulk request is answered: what became of each change, and which fields differ.
import { DEFINITION_FIELDS } from '@dogwatch/check-rules/fields'
import { DomainError } from '../errors.ts'
import type { Action, BulkChange, Outcome } from './bulk-changes.ts'
import type { ConfiguredCheck } from './checks.ts'
import { type Difference, differencesOf, maybeNeededOf, uncomparedOf } from './differences.ts'
import type { Kind } from './kind.ts'
import { kindOf } from './kinds.ts'

export interface Changed {
  action: Action
  kind: string
  key?: string
  id: string
  /** The version that it had before the change; `none` for what there was none of. */
  found: string
  fields: Difference[]
}

export interface BulkAnswer {
  changes: Changed[]
  counts: Record<Action, number>
  /** Left out where no order was asked for. */
  reordered?: boolean
}

export function keyOf(kind: Kind<unknown>, thing: unknown): string | null {
  const { key } = kind.toWire(thing) as { key?: string }
  return key ?? null
}

/** `reads_secrets`: whether the caller may read the secrets of checks. */
export function answerOf(
  changes: readonly BulkChange[],
  outcomes: readonly Outcome[],
  reads_secrets: boolean,
): BulkAnswer {
  const counts = { created: 0, replaced: 0, deleted: 0, unchanged: 0 }
  const answers = outcomes
    .toSorted((one, other) => one.index - other.index)
    .map(({ index, action, id, key, before, after }): Changed => {
      counts[action]++
      const change = changes[index]
      const kind = change?.kind ?? ''
      const fields = action === 'unchanged' ? [] : fieldsOf(kindOf(kind), before, after, reads_secrets)
      if (after !== undefined) {
        fields.push(...uncomparedOf(kindOf(kind).uncomparedOf?.(after) ?? []))
        fields.push(...maybeNeededOf(kindOf(kind).maybeNeededOf?.(after) ?? []))
      }
      // Its own key says nothing new where the change names it.
      const told = change?.key === undefined ? fields : fields.filter(({ field }) => field !== 'key')
      return { action, kind, ...(key !== null && { key }), id, found: versionBefore(kind, before), fields: told }
    })
  return { changes: answers, counts }
}

const NONE = 'none'

function versionBefore(kind: string, before: unknown): string {
  return before === undefined ? NONE : kindOf(kind).versionOf(before)
}

/** Refuses everything when things are not in the states that their changes name. */
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

/** From a definition that has just been made private, nothing is quoted. */
function withoutPrivate(differences: readonly Difference[], { check }: ConfiguredCheck): Difference[] {
  const isHidden = (field: string) => check.url === '' && (DEFINITION_FIELDS as readonly string[]).includes(field)
  return differences.map(({ before, ...rest }) =>
    isHidden(rest.field) || before === undefined ? rest : { ...rest, before },
  )
}

/** What somebody decided of a thing. */
function configurationOf(
  kind: Kind<unknown>,
  thing: unknown,
  reads_secrets: boolean,
): Readonly<Record<string, unknown>> {
  const told = kind.toWire(kind.name === 'check' ? withoutFleet(thing as ConfiguredCheck) : thing, reads_secrets)
  const derived = new Set([...kind.derived, ...(kind.derivedOf?.(thing) ?? [])])
  return Object.fromEntries(Object.entries(told).filter(([field]) => !derived.has(field)))
}

/** Which monitors run a check that is meant for all is not decided by anybody. */
function withoutFleet(configured: ConfiguredCheck): ConfiguredCheck {
  return configured.all_monitors ? { ...configured, monitors: [] } : configured
}
