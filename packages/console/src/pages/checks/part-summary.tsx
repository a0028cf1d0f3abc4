// Renders what a folded section of a check's form says: the fields that are set, and the rules that hold by default.
import { type FieldName, rowOf } from '@dogwatch/check-rules/fields'
import { rowsOf } from './assertion-drafts.ts'
import { blankDraft, type CheckDraft } from './draft.ts'
import { namesOf, notFor, type PartName, usualOf, valueOf } from './form-parts.ts'
import { shown } from './set-fields.tsx'

/** Fields that mean nothing without another field. */
const HOLLOW: readonly FieldName[] = ['match_mode', 'status_code_value']

/** Default rules: the field, what holds while it has its default, and the other fields that replace the rule. */
const BY_DEFAULT: ReadonlyMap<FieldName, readonly [words: string, unless: readonly FieldName[]]> = new Map([
  ['status_code_op', ['Status below 400', ['status_codes']]],
  ['timeout_sec', ['Timeout: 10 s', []]],
  ['method', ['GET', ['post_data']]],
  ['disable_redirects', ['Redirects followed', ['max_redirects']]],
  ['down_interval_sec', ['Down after the first failure', ['down_places', 'down_majority', 'retry_count']]],
  ['resend_interval_sec', ['No reminders', []]],
])

/** Renders a summary such as `Status below 400 · Timeout: 20 s`. Scripts hide what does not apply to the type of check. */
export function Summary({ part, draft }: { part: PartName; draft: CheckDraft }) {
  const unset = blankDraft()
  const isSet = (field: FieldName) => ![valueOf(unset, field), usualOf(field)].includes(valueOf(draft, field))
  return (
    <span class="set">
      {namesOf(part).map((field) => {
        const [words, unless] = BY_DEFAULT.get(field) ?? ['', []]
        const byDefault = unless.some(isSet) ? '' : words
        const said = isSet(field) && !HOLLOW.includes(field) ? saidOf(field, draft) : byDefault
        return said === '' ? null : <span {...notFor(field)}>{said} </span>
      })}
    </span>
  )
}

const MOST_SAID = 60

/** Fields whose values are secret, or cannot be shown as words. */
const SILENT: readonly FieldName[] = ['proxy', 'post_data', 'depends_on']

/** Describes a field that is set. Omits values that can be secret, and shortens long ones. */
function saidOf(field: FieldName, draft: CheckDraft): string {
  const { label, kind } = rowOf(field)
  const value = valueOf(draft, field)
  if (typeof value === 'boolean') return value ? label : `${label}: off`
  if (kind === 'assertions') return `${label}: ${rowsOf(value).length}`
  if (kind === 'headers' || SILENT.includes(field)) return label
  if (field === 'status_code_op') return `${label} ${shown(field, value)} ${draft.texts.status_code_value}`
  const text = `${label}: ${shown(field, value)}`
  return text.length > MOST_SAID + label.length ? `${text.slice(0, MOST_SAID + label.length)}…` : text
}
