// What is wrong with a form: all of it at once, above the form and at each field; the page begins at the first.
import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { DomainError, type ErrorKind } from '../../domain/errors.ts'
import { sentence } from '../pages/problem.tsx'

const KINDS: ReadonlySet<ErrorKind> = new Set(['invalid', 'conflict', 'too_large'])
const MOST_FAULTS = 20

/**
 * What a form calls the fields that refusals name, in the order of the form. A field whose input has another name brings
 * that name.
 */
export type Labels = Readonly<Record<string, string | { label: string; input: string }>>

export interface FormFault {
  /** As the refusal names it; undefined: it concerns the form as a whole. */
  name: string | undefined
  /** The name of the input. */
  input: string | undefined
  /** With the label, for the list above the form. */
  line: string
  /** Without it, for the field itself. */
  short: string
}

/** A refusal as a fault of the form. Errors of other kinds are thrown on: they are no fault of whoever sent it. */
export function faultOf(error: unknown, labels: Labels): FormFault {
  if (!(error instanceof DomainError) || !KINDS.has(error.kind)) throw error
  const [fault] = error.faults
  if (fault === undefined || !Object.hasOwn(labels, fault.field)) {
    const line = sentence(error.message)
    return { name: undefined, input: undefined, line, short: line }
  }
  const { field, must } = fault
  const known = labels[field] ?? field
  const { label, input } = typeof known === 'string' ? { label: known, input: field } : known
  return { name: field, input, line: sentence(`“${label}” ${must}`), short: sentence(must) }
}

/** A refusal that names no field, as a fault of the one that it is about. */
export function faultAt(error: unknown, input: string): FormFault {
  return { ...faultOf(error, {}), name: input, input }
}

/** What each of these refuses, in their order. */
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

/** What each of these refuses, and what was refused first. */
export function faultsOfAll(error: unknown, labels: Labels, checks: readonly (() => unknown)[]): FormFault[] {
  const found = faultsFound(checks, (refused) => faultOf(refused, labels))
  return inOrder([...found, faultOf(error, labels)], labels)
}

/**
 * All faults of a form whose rules refuse one thing at a time: what is refused is replaced by what is right, until nothing else is refused.
 * `attempt` stores nothing.
 */
export function everyFault<Draft extends object>(
  error: unknown,
  labels: Labels,
  {
    draft,
    right,
    attempt,
  }: {
    draft: Draft
    /** By the name of the field: values that are never refused. */
    right: Readonly<Record<string, Partial<Draft>>>
    attempt: (draft: Draft) => unknown
  },
): FormFault[] {
  const found = [faultOf(error, labels)]
  let mended = draft
  while (found.length < MOST_FAULTS) {
    const { name = '' } = found.at(-1) ?? {}
    const isNew = found.findIndex((one) => one.name === name) === found.length - 1
    if (!isNew || !Object.hasOwn(right, name)) break
    mended = { ...mended, ...right[name] }
    try {
      attempt(mended)
      break
    } catch (refused) {
      found.push(faultOf(refused, labels))
    }
  }
  return inOrder(found, labels)
}

/** In the order of the form; the first fault of each field is enough. */
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

const FaultsContext = createContext<readonly FormFault[]>([])

/** The fields inside say what is wrong with them. */
export function FaultyForm({ faults, children }: { faults: readonly FormFault[]; children: ComponentChildren }): VNode {
  return (
    <FaultsContext.Provider value={faults}>
      <Listed faults={faults} />
      {children}
    </FaultsContext.Provider>
  )
}

function Listed({ faults }: { faults: readonly FormFault[] }): VNode | null {
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
          <li key={line}>{input === undefined ? line : <a href={`#field-${input}`}>{line}</a>}</li>
        ))}
      </ul>
    </div>
  )
}

/** What is wrong with the input of that name, and whether the page begins there. */
export function useFault(input: string): { fault?: string; autofocus?: true } {
  const faults = useContext(FaultsContext)
  const own = faults.find((one) => one.input === input)
  if (own === undefined) return {}
  const isFirst = faults.find((one) => one.input !== undefined) === own
  return { fault: own.short, ...(isFirst && { autofocus: true as const }) }
}
