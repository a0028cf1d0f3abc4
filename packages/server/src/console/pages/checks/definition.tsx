// What a check looks at and when it is well, as it is written down.
import type { VNode } from 'preact'
import type { CheckContent } from '../../../domain/checks/check.ts'
import { LABELS, MATCH_WORDS, STATUS_WORDS } from './words.ts'

const ALWAYS: readonly (keyof CheckContent)[] = ['interval_sec', 'result_detail_max_chars', 'restricted']

/** What is set of it; what is left at its default is left out. */
export function Definition({ check }: { check: CheckContent }): VNode {
  const fields = (Object.keys(LABELS) as (keyof CheckContent)[]).filter(
    (field) => field !== 'name' && field !== 'enabled' && (ALWAYS.includes(field) || isSet(check[field])),
  )
  return (
    <>
      {check.url === '' ? (
        <p>
          The definition is private: what it looks at is written in its agents alone, and is not known here. Only the
          organisation's own monitors can run it.
        </p>
      ) : null}
      <dl class="facts">
        {fields.map((field) => (
          <div key={field}>
            <dt>{LABELS[field]}</dt>
            <dd>{shown(field, check[field])}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** A value of a field, as people read it. */
export function shown(field: keyof CheckContent, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && value !== null) return headerLines(value as Record<string, string>)
  if (field === 'match_mode') return MATCH_WORDS.find(([mode]) => mode === value)?.[1] ?? ''
  if (field === 'status_code_op') return STATUS_WORDS.find(([op]) => op === value)?.[1] ?? ''
  return String(value)
}

export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}
