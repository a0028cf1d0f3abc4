// Renders the fields of a check that are set.

import { assertionWords } from '@dogwatch/check-rules/assertion-words'
import type { Assertion } from '@dogwatch/check-rules/assertions'
import { appliesTo, FIELD_NAMES, type FieldName, isBlank, rowOf } from '@dogwatch/check-rules/fields'
import { schemeOf } from '@dogwatch/check-rules/schemes'
import type { CheckFields } from '@dogwatch/domain/checks/check'
import { ruleOf } from './judged.tsx'
import { headerLines, labelOf, tagLine } from './words.ts'

const ALWAYS: readonly FieldName[] = ['interval_sec', 'result_detail_max_chars', 'restricted']

/** Renders the fields that are set. Omits those with their default, except the few that are always shown if they apply. */
export function SetFields({ check }: { check: CheckFields }) {
  const scheme = schemeOf(check.url)
  const rule = ruleOf(check)
  const applies = (field: FieldName) => scheme === undefined || field === 'url' || appliesTo(field, scheme)
  const fields = FIELD_NAMES.filter(
    (field) =>
      field !== 'name' && field !== 'enabled' && applies(field) && (ALWAYS.includes(field) || !isBlank(check[field])),
  )
  return (
    <>
      {check.url === '' ? (
        <p>
          Private definition: the target and success criteria are stored only on your monitors, not on this server. Only
          your organisation's own monitors can run this check.
        </p>
      ) : null}
      {rule === undefined ? null : <p>{rule}</p>}
      <dl class="facts">
        {fields.map((field) => (
          <div>
            <dt>{labelOf(field)}</dt>
            <dd>{shown(field, check[field])}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

const SHORT_UNITS = new Map(Object.entries({ seconds: 's' }))

/** Returns the value of a field as text for people. */
export function shown(field: FieldName, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value))
    return field === 'assertions' ? (value as Assertion[]).map(assertionWords).join('\n') : tagLine(value.map(String))
  if (typeof value === 'object' && value !== null) return headerLines(value as Record<string, string>)
  const row = rowOf(field)
  if (row.kind === 'word') return row.words.find(([word]) => word === value)?.[1] ?? ''
  const unit = field === 'result_detail_max_chars' ? 'characters' : row.unit
  return unit === undefined ? String(value) : `${String(value)} ${SHORT_UNITS.get(unit) ?? unit}`
}
