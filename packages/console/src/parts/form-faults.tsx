// Shows all faults of a form at once, above the form and at each field. The first field with a fault has the focus.

import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Form } from '../form.ts'
import { type FormFault, type RefusedForm, refusalOf, sentence, wholeFault } from '../refusal.ts'
import { Link } from '../rights.tsx'

const MOST_FAULTS = 20

/**
 * Labels of the fields that refusals name, in the order of the form. `input` is the name of the input if refusals use another
 * name.
 */
export type Labels = Readonly<Record<string, string | { label: string; input?: string }>>

/** Fields of a form under the names that refusals use, in the order of the form. */
export type FieldRows<Draft> = Readonly<Record<string, FieldRow<Draft>>>

interface FieldRow<Draft> {
  label: string
  /** Name of the input, if refusals use another one. */
  input?: string & keyof Draft
  hint?: string
  required?: boolean
  placeholder?: string
  /** Values that are never refused. Absent if none are known. */
  right?: Partial<Draft>
}

/** Converts a refusal to a fault of the form. Throws errors of other kinds, because the sender of the form did not cause them. */
export function faultOf(error: unknown, labels: Labels): FormFault {
  const refused = refusalOf(error)
  const [fault] = refused.faults
  if (fault === undefined || !Object.hasOwn(labels, fault.field)) return wholeFault(refused)
  const { field, must } = fault
  const known = labels[field] ?? field
  const { label, input = field } = typeof known === 'string' ? { label: known } : known
  return { name: field, input, line: sentence(`“${label}” ${must}`), short: sentence(must) }
}

/** Converts a refusal that names no field to a fault of the given input. */
export function faultAt(error: unknown, input: string): FormFault {
  return { ...faultOf(error, {}), name: input, input }
}

/** Runs all checks and returns the fault of each that refuses, in their order. */
export function faultsFound(
  checks: readonly (() => unknown)[],
  faultFrom: (refused: unknown) => FormFault,
): FormFault[] {
  return checks.flatMap((check) => {
    try {
      check()
      return []
    } catch (refused) {
      return [faultFrom(refused)]
    }
  })
}

/** Returns the faults that the checks find, together with the first refusal. */
export function faultsOfAll(error: unknown, labels: Labels, checks: readonly (() => unknown)[]): FormFault[] {
  const found = faultsFound(checks, (refused) => faultOf(refused, labels))
  return inOrder([...found, faultOf(error, labels)], labels)
}

/**
 * Finds all faults of a form whose rules refuse one value at a time: replaces each refused value by a correct one and tries
 * again. `attempt` must store nothing.
 */
export function everyFault<Draft extends object>(
  error: unknown,
  rows: FieldRows<Draft>,
  draft: Draft,
  attempt: (draft: Draft) => unknown,
): FormFault[] {
  const found = [faultOf(error, rows)]
  let mended = draft
  while (found.length < MOST_FAULTS) {
    const { name = '' } = found.at(-1) ?? {}
    const isNew = found.findIndex((one) => one.name === name) === found.length - 1
    const right = isNew && Object.hasOwn(rows, name) ? rows[name]?.right : undefined
    if (right === undefined) break
    mended = { ...mended, ...right }
    try {
      attempt(mended)
      break
    } catch (refused) {
      found.push(faultOf(refused, rows))
    }
  }
  return inOrder(found, rows)
}

/** Sorts faults into the order of the form, and keeps only the first of each field. */
function inOrder(faults: readonly FormFault[], labels: Labels): FormFault[] {
  const names = Object.keys(labels)
  const place = ({ name }: FormFault) => (name === undefined ? names.length : names.indexOf(name))
  return faults
    .filter(
      (one, index) =>
        faults.findIndex(({ name, line }) => name === one.name && (name ?? line) === (one.name ?? one.line)) === index,
    )
    .toSorted((a, b) => place(a) - place(b))
}

/** Refused form that the page shows again. */
export const Refused = createContext<RefusedForm | undefined>(undefined)

type FormRefusal = Pick<RefusedForm, 'faults'> & Partial<RefusedForm>

/** Faults of the form around a field, and what was typed into the form. */
const OwnRefusal = createContext<FormRefusal>({ faults: [] })

/** Renders the faults above a form. The fields inside the form show their own faults, and what was typed. */
export function FaultyForm({ children, ...refused }: FormRefusal & { children: ComponentChildren }) {
  return (
    <OwnRefusal.Provider value={refused}>
      <Listed faults={refused.faults} />
      {children}
    </OwnRefusal.Provider>
  )
}

/** Renders the form with this action, with its faults if it was refused. */
export function Refusable({ action, children }: { action: string; children: ComponentChildren }) {
  const refused = useContext(Refused)
  return refused?.action === action ? <FaultyForm {...refused}>{children}</FaultyForm> : children
}

function Listed({ faults }: { faults: readonly FormFault[] }) {
  const [first] = faults
  if (first === undefined) return null
  if (faults.length === 1) {
    return (
      <p class="fault" role="alert">
        {first.line}
      </p>
    )
  }
  return (
    <div class="fault" role="alert">
      <p>Changes not saved. Fix {faults.length} problems:</p>
      <ul>
        {faults.map(({ input, line }) => (
          <li>{input === undefined ? line : <Link href={`#field-${input}`}>{line}</Link>}</li>
        ))}
      </ul>
    </div>
  )
}

/** Returns the fault of an input, and whether the input has the focus when the page opens. */
export function useFault(input: string): { fault?: string; autofocus?: true } {
  const { faults } = useContext(OwnRefusal)
  const own = faults.find((one) => one.input === input)
  if (own === undefined) return {}
  const isFirst = faults.find((one) => one.input !== undefined) === own
  return { fault: own.short, ...(isFirst && { autofocus: true as const }) }
}

/** Returns what was typed into the refused form around a field. Returns undefined if the form was not refused. */
export function useTyped(): Form | undefined {
  return useContext(OwnRefusal).form
}
