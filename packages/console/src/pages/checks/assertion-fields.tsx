// Renders the assertions of a check's form, a row each. Without scripts, a few empty rows are for new ones.

import { OPERATOR_WORDS } from '@dogwatch/check-rules/assertion-words'
import { ASSERTIONS_MAX, hasSubject, SUBJECT_NAMES, subjectRow } from '@dogwatch/check-rules/assertions'
import { SCHEME_NAMES } from '@dogwatch/check-rules/schemes'
import { Icon } from '../../design/icons.tsx'
import { describedBy, FieldFault } from '../../parts/field.tsx'
import { useFault } from '../../parts/form-faults.tsx'
import { type AssertionRow, BLANK_ROW, rowsOf, SPARE_ROWS } from './assertion-drafts.ts'

const EXAMPLES = new Map([
  ['path', '$.status'],
  ['header', 'content-type'],
])

interface AssertionFieldsProps {
  label: string
  hint?: string | undefined
  /** Assertions of the draft, one on each line. */
  value: string
}

export function AssertionFields({ label, hint, value }: AssertionFieldsProps) {
  const id = 'field-assertions'
  const { fault } = useFault('assertions')
  const rows = rowsOf(value)
  // At least one empty row is rendered, because scripts copy it for new rows.
  const room = Math.max(1, Math.min(SPARE_ROWS, ASSERTIONS_MAX - rows.length))
  const spare = Array.from({ length: room }, () => BLANK_ROW)
  return (
    <fieldset class="assertions" id={id} tabIndex={-1} data-most={ASSERTIONS_MAX} {...describedBy(id, { hint, fault })}>
      <legend>{label}</legend>
      <p class="hint" id={`${id}-hint`}>
        {hint} Write text that looks like a number in quotes: "5".
      </p>
      <FieldFault id={id} fault={fault} />
      <Places />
      <ol>
        {[...rows, ...spare].map((row, index) => (
          <Row index={index} row={row} />
        ))}
      </ol>
      <button type="button" class="quiet" data-add hidden>
        <Icon name="plus" />
        Add assertion
      </button>
    </fieldset>
  )
}

/** Renders the path or names that inputs suggest for each part of a response. */
function Places() {
  return (
    <>
      {SUBJECT_NAMES.map((name) => {
        const { at } = subjectRow(name)
        return typeof at === 'object' ? (
          <datalist id={`at-${name}`}>
            {at.map((one) => (
              <option value={one} />
            ))}
          </datalist>
        ) : null
      })}
    </>
  )
}

function Row({ index, row }: { index: number; row: AssertionRow }) {
  const input = `assertions-${index}`
  const label = (part: string) => `Assertion ${index + 1}: ${part}`
  const part = (end: string) => partOf(`${input}${end}`)
  const [on, at, is, value] = [part(''), part('-at'), part('-is'), part('-value')]
  return (
    <li>
      <select name="assertion_on" aria-label={label('part')} {...on.given}>
        <option value="">None</option>
        {SUBJECT_NAMES.map((name) => (
          <Subject name={name} isSelected={name === row.on} />
        ))}
      </select>
      <input name="assertion_at" aria-label={label('path or name')} value={row.at} {...at.given} />
      <select name="assertion_is" aria-label={label('comparison')} {...is.given}>
        {Object.entries(OPERATOR_WORDS).map(([name, words]) => (
          <option value={name} selected={name === row.is}>
            {words}
          </option>
        ))}
      </select>
      <input name="assertion_value" aria-label={label('value')} value={row.value} {...value.given} />
      <button type="button" class="quiet" aria-label={`Remove assertion ${index + 1}`} data-remove hidden>
        <Icon name="x" />
      </button>
      {[on, at, is, value].map(({ id, fault }) => (
        <FieldFault id={id} fault={fault} />
      ))}
    </li>
  )
}

/** Returns the attributes of one input of an assertion, and its fault. */
function partOf(input: string) {
  const { fault, ...focus } = useFault(input)
  const id = `field-${input}`
  return { id, fault, given: { id, ...describedBy(id, { fault }), ...focus } }
}

function Subject({ name, isSelected }: { name: (typeof SUBJECT_NAMES)[number]; isSelected: boolean }) {
  const { label, at } = subjectRow(name)
  const foreign = SCHEME_NAMES.filter((scheme) => !hasSubject(scheme, name))
  return (
    <option
      value={name}
      selected={isSelected}
      data-foreign={foreign.join(' ')}
      data-example={typeof at === 'string' ? EXAMPLES.get(at) : at?.[0]}
    >
      {label}
    </option>
  )
}
