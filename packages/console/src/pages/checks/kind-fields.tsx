// Renders the type of a check, its target, and the options that its type has.
import { rowOf } from '@dogwatch/check-rules/fields'
import { KIND_GROUPS, SCHEME_ROWS, startOf } from '@dogwatch/check-rules/schemes'
import { defaultText, OPTION_FIELDS, type OptionField } from '@dogwatch/check-rules/target-options'
import { Choice, Field, type FieldProps, Tick } from '../../parts/field.tsx'
import { type CheckDraft, optionInput } from './draft.ts'

/** Types that can be chosen: websites, which most checks are, and the others by their labels. */
const OFFERED = SCHEME_ROWS.filter(({ offered_as }) => offered_as === undefined).toSorted(
  (a, b) => Number(b.name === 'https') - Number(a.name === 'https') || a.label.localeCompare(b.label, 'en'),
)

/** Renders the choice of a check type, in groups. If the target has a scheme, the scheme decides instead of the choice. */
export function KindPicker({ draft: { kind } }: { draft: CheckDraft }) {
  return (
    <fieldset class="kinds">
      <legend>Check type</legend>
      {KIND_GROUPS.map((group, index) => (
        <div role="group" aria-labelledby={`kinds-${index}`}>
          <p class="hint" id={`kinds-${index}`}>
            {group}
          </p>
          <div>
            {OFFERED.filter((row) => row.group === group).map(({ name, label, example, hint, name_start }) => (
              <label>
                <input
                  type="radio"
                  name="kind"
                  value={name}
                  checked={name === kind || alsoOffered(name).includes(kind)}
                  data-also={alsoOffered(name).join(' ')}
                  data-start={startOf(name)}
                  data-name-start={name_start}
                  data-example={withoutOptions(example)}
                  data-hint={`${hint}.`}
                />{' '}
                {label}
              </label>
            ))}
          </div>
        </div>
      ))}
    </fieldset>
  )
}

/** Removes the options of an example, because they are fields of their own. */
function withoutOptions(example: string): string {
  return example.replace(/\?.*/, '')
}

/** Returns the other schemes that the choice of a scheme includes. */
function alsoOffered(scheme: string): string[] {
  return SCHEME_ROWS.flatMap(({ name, offered_as }) => (offered_as === scheme ? name : []))
}

/** Renders the input of the target. Its hint is that of the chosen check type. Without scripts, the hints of all types follow. */
export function TargetField({ hint, ...given }: FieldProps) {
  const field = { ...given, placeholder: 'https://example.com/' }
  if (hint !== undefined) return <Field {...field} hint={hint} />
  return (
    <>
      <Field {...field} hint="The beginning of the target selects the check type." data-hint-by-kind />
      <noscript>
        <p class="hint">{rowOf('url').hint}</p>
      </noscript>
    </>
  )
}

/** Renders the options of the check type, a field each. The fields of other types are hidden, unless there are no scripts. */
export function OptionInputs({ draft }: { draft: CheckDraft }) {
  return (
    <div class="options">
      {OPTION_FIELDS.map((option) => (
        <div
          data-option-for={option.schemes.join(' ')}
          hidden={!option.schemes.some((scheme) => scheme === draft.kind)}
        >
          <OptionInput {...option} value={draft.options.get(option.name) ?? ''} />
        </div>
      ))}
    </div>
  )
}

function OptionInput({ name, row, value }: OptionField & { value: string }) {
  const { label, hint, unit } = row
  const given = { name: optionInput(name), label, hint, value: value === '' ? defaultText(row) : value }
  if (row.kind === 'yes-no') return <Tick {...given} value="on" checked={value === 'yes'} />
  if (row.kind === 'word') {
    const said = new Map(Object.entries(row.said ?? {}))
    return <Choice {...given} options={row.words.map((word) => [word, said.get(word) ?? word])} />
  }
  if (row.kind !== 'whole') return <Field {...given} />
  return <Field {...given} unit={unit} type="number" min={row.min} max={row.max} />
}
