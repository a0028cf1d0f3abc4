// Renders labelled inputs, each with its error beside it.
import { type FieldRows, useFault, useTyped } from './form-faults.tsx'

export interface FieldProps {
  name: string
  /** ID of the input. Needed if another form of the page has a field with the same name. */
  id?: string
  label: string
  value?: string | number
  type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'date' | 'datetime-local' | 'search'
  /** Hint under the label. */
  hint?: string | undefined
  required?: boolean
  autocomplete?: string | undefined
  min?: number
  max?: number
  maxLength?: number
  rows?: number | undefined
  placeholder?: string
  /** Unit of the number, shown behind the input. */
  unit?: string | undefined
}

export function Field(props: FieldProps) {
  const { name, id = `field-${name}`, label, hint, rows, unit, type = 'text', value = '', ...others } = props
  const { fault, ...focus } = useFault(name)
  const typed = useTyped()
  const given: object = { id, name, ...describedBy(id, { hint, unit, fault }), ...focus, ...others }
  const text = typed?.text(name)
  // Does not repeat a typed password, so that the person types it again.
  const shown = type === 'password' ? value : ((rows === undefined ? text?.trim() : text) ?? value)
  const input: object = { type, value: shown }
  const control =
    rows === undefined ? (
      <input {...given} {...input} />
    ) : (
      <textarea {...given} rows={rows}>
        {/* A parser drops the first line break. */}
        {`\n${shown}`}
      </textarea>
    )
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Hint id={id} hint={hint} />
      {unit === undefined ? (
        control
      ) : (
        <div class="with-unit">
          {control}
          <span class="unit" id={`${id}-unit`}>
            {unit}
          </span>
        </div>
      )}
      <FieldFault id={id} fault={fault} />
    </div>
  )
}

/** Renders the field of a person's password, for changes that ask for it again. `id` is needed if several forms do so. */
export function CurrentPassword({ name = 'password', ...given }: { name?: string; id?: string }) {
  return (
    <Field {...given} name={name} label="Current password" type="password" autocomplete="current-password" required />
  )
}

/** Renders the field of a password that a person chooses. `outcome` says what the new password causes. */
export function NewPassword(given: { name?: string; label: string; outcome?: string }) {
  const { name = 'password', label, outcome } = given
  return (
    <Field
      name={name}
      label={label}
      type="password"
      hint={`At least 10 characters.${outcome === undefined ? '' : ` ${outcome}`}`}
      autocomplete="new-password"
      required
    />
  )
}

/** Renders text fields from the table that describes the fields of a form. */
export function TextFields<Draft>(given: { rows: FieldRows<Draft>; names: readonly string[]; draft: Draft }) {
  return (
    <>
      {given.names.map((name) => {
        const { right: _, input = name, ...row } = given.rows[name] ?? { label: '' }
        return <Field {...row} name={input} value={String(given.draft[input as keyof Draft])} />
      })}
    </>
  )
}

type FieldDescription = Pick<FieldProps, 'hint' | 'unit'> & { fault?: string | undefined }

/** Returns the attributes that make screen readers read out a field's unit, fault and hint. */
export function describedBy(id: string, { hint, unit, fault }: FieldDescription): object {
  const ids = [
    ...(unit === undefined ? [] : [`${id}-unit`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ]
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(fault !== undefined && { 'aria-invalid': 'true' }),
  }
}

function Hint({ id, hint }: { id: string; hint: string | undefined }) {
  return hint === undefined ? null : (
    <p class="hint" id={`${id}-hint`}>
      {hint}
    </p>
  )
}

/** Renders the fault of a field, below it. */
export function FieldFault({ id, fault }: { id: string; fault: string | undefined }) {
  return fault === undefined ? null : (
    <p class="field-fault" id={`${id}-fault`}>
      {fault}
    </p>
  )
}

export function Tick({
  name,
  label,
  checked = false,
  hint,
  value = 'on',
}: {
  name: string
  label: string
  checked?: boolean
  hint?: string | undefined
  value?: string
}) {
  // Several checkboxes can have the same name, so the ID also contains the value.
  const [id, { fault, autofocus }] = [
    value === 'on' ? `field-${name}` : `field-${name}-${value}`,
    useFault(value === 'on' ? name : ''),
  ]
  return (
    <div class="tick">
      <label>
        <input
          type="checkbox"
          id={id}
          name={name}
          value={value}
          checked={useTyped()?.all(name).includes(value) ?? checked}
          autofocus={autofocus}
          {...describedBy(id, { hint, fault })}
        />{' '}
        {label}
      </label>
      <Hint id={id} hint={hint} />
      <FieldFault id={id} fault={fault} />
    </div>
  )
}

export interface ChoiceProps {
  name: string
  /** ID of the field. Needed if several fields have the same name. */
  id?: string
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  /** More options, each group under a heading. */
  groups?: readonly { label: string; options: ChoiceProps['options'] }[]
  hint?: string | undefined
}

export function Choice(props: ChoiceProps) {
  const { name, label, options, groups = [], hint, id = `field-${name}` } = props
  const typed = useTyped()
  // If `id` is set, other fields can have the same name, so the page itself passes the typed value.
  const value = props.id === undefined ? (typed?.text(name) ?? props.value) : props.value
  const { fault, autofocus } = useFault(name)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Hint id={id} hint={hint} />
      <select id={id} name={name} autofocus={autofocus} {...describedBy(id, { hint, fault })}>
        <Options options={options} value={value} />
        {groups.map((group) =>
          group.options.length === 0 ? null : (
            <optgroup label={group.label}>
              <Options options={group.options} value={value} />
            </optgroup>
          ),
        )}
      </select>
      <FieldFault id={id} fault={fault} />
    </div>
  )
}

/** Renders the options of a select. */
export function Options({ options, value }: Pick<ChoiceProps, 'options' | 'value'>) {
  return (
    <>
      {options.map(([option, text]) => (
        <option value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </>
  )
}

/** Renders one radio button of a choice. `chosen` is the value of the chosen one. */
export function Radio(given: { name: string; value: string; label: string; chosen: string }) {
  const { name, value, label, chosen } = given
  return (
    <div class="tick">
      <label>
        <input type="radio" name={name} value={value} checked={value === chosen} /> {label}
      </label>
    </div>
  )
}

const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** Renders the choice of a time zone. Keeps a value that is not on our list, such as an older name that a browser uses. */
export function ZoneChoice({ empty, ...choice }: Omit<ChoiceProps, 'label' | 'options'> & { empty?: string }) {
  const value = useTyped()?.text(choice.name) ?? choice.value
  const zones = value === '' || ZONES.includes(value) ? ZONES : [value, ...ZONES]
  const options = zones.map((zone) => [zone, zone] as const)
  const all = empty === undefined ? options : [['', empty] as const, ...options]
  return <Choice {...choice} label="Time zone" options={all} />
}

/** Renders the error above a form that must be corrected. */
export function Fault({ line }: { line: string | undefined }) {
  return line === undefined ? null : (
    <p class="fault" role="alert">
      {line}
    </p>
  )
}
