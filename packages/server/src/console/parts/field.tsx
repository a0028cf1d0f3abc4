// A labelled input, with its error beside it.
import type { VNode } from 'preact'

export interface FieldProps {
  name: string
  label: string
  value?: string | number
  type?: 'text' | 'email' | 'password' | 'number' | 'url'
  /** The hint under the label. */
  hint?: string
  required?: boolean
  autocomplete?: string
  min?: number
  max?: number
  rows?: number
  placeholder?: string
}

export function Field({ name, label, hint, rows, type = 'text', value = '', ...rest }: FieldProps): VNode {
  const id = `field-${name}`
  const given: object = { id, name, ...(hint !== undefined && { 'aria-describedby': `${id}-hint` }), ...rest }
  const input: object = { type, value }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {rows === undefined ? (
        <input {...given} {...input} />
      ) : (
        <textarea {...given} rows={rows}>
          {/* A parser drops the first line break. */}
          {`\n${value}`}
        </textarea>
      )}
    </div>
  )
}

export function Tick({
  name,
  label,
  checked,
  hint,
  value = 'on',
}: {
  name: string
  label: string
  checked: boolean
  hint?: string
  value?: string
}): VNode {
  return (
    <div class="tick">
      <label>
        <input type="checkbox" name={name} value={value} checked={checked} /> {label}
      </label>
      {hint === undefined ? null : <p class="hint">{hint}</p>}
    </div>
  )
}

export interface ChoiceProps {
  name: string
  /** Where several fields have one name. */
  id?: string
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  hint?: string
}

export function Choice({ name, label, value, options, hint, id = `field-${name}` }: ChoiceProps): VNode {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint === undefined ? null : <p class="hint">{hint}</p>}
      <select id={id} name={name}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The errors above a form that must be corrected. */
export function Fault({ line }: { line: string | undefined }): VNode | null {
  return line === undefined ? null : (
    <p class="fault" role="alert">
      {line}
    </p>
  )
}
