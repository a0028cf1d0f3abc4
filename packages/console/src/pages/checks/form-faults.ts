// Finds every fault in the form of a check, with its field and in the words of the form.
import { isField } from '@dogwatch/check-rules/fields'
import { textOfReason } from '@dogwatch/check-rules/reason'
import { OPTION_FIELDS } from '@dogwatch/check-rules/target-options'
import { findFaults } from '@dogwatch/domain/checks/check'
import { FaultyFields, type FieldFault } from '@dogwatch/domain/errors'
import type { OrgSettings } from '@dogwatch/domain/organisations/entitlements'
import { type FormFault, faultIn, refusalOf } from '../../refusal.ts'
import { optionInput, type ReadDraft } from './draft.ts'
import { labelOf } from './words.ts'

/**
 * Returns all faults of a form that was refused with an error. The domain reports only the first one; this function finds the
 * others, so that people can correct everything at once.
 */
export function faultsOfForm(
  error: unknown,
  { entry, faults }: ReadDraft,
  { plan_name, plan }: Pick<OrgSettings, 'plan_name' | 'plan'>,
): FormFault[] {
  const refused = refusedFields(error)
  // An empty target means a private definition only if the form says so.
  const isMissing = entry.url === '' && faults.some(({ field }) => field === 'url')
  const given = isMissing ? { ...entry, url: undefined } : entry
  const found = [...faults, ...findFaults(given, plan_name, plan), ...refused].map(formFault)
  // The first fault of each field is enough.
  return found.filter((one, index) => found.findIndex(matcherFor(one)) === index)
}

function matcherFor({ input, line }: FormFault): (fault: FormFault) => boolean {
  return (other) => (input === undefined ? other.line === line : other.input === input)
}

/** Returns the field faults that the domain reports. Throws the error if it does not concern the form. */
function refusedFields(error: unknown): FieldFault[] {
  if (error === undefined) return []
  const { faults, message } = refusalOf(error)
  if (error instanceof FaultyFields) return [...faults]
  const [fault] = faults
  const name = fault?.field.replace(/^check\./, '')
  if (fault !== undefined && name !== undefined && isField(name)) return [{ ...fault, field: name }]
  return [{ field: name === 'monitors' ? name : '', must: message }]
}

/** Pattern of the field name in a fault of an assertion: its index, and the part at fault. */
const ASSERTION = /^assertions\[(\d{1,3})\](?:\.(\w{1,10}))?$/

/** Words for the parts of an assertion in messages, by the name of the part. */
const PARTS = new Map(
  Object.entries({ on: 'the part', at: 'the path or name', is: 'the comparison', value: 'the value' }),
)

/** Labels of the options of targets, by the names of their inputs. */
const OPTION_LABELS = new Map(OPTION_FIELDS.map(({ name, row }) => [optionInput(name), row.label]))

function formFault({ field: given, must, reason }: FieldFault): FormFault {
  const [, index, part = ''] = ASSERTION.exec(given) ?? []
  if (index !== undefined) {
    const words = [PARTS.get(part), must].filter(Boolean).join(' ')
    const input = `assertions-${index}${part === '' || part === 'on' ? '' : `-${part}`}`
    return faultIn(input, `“${labelOf('assertions')}” ${Number(index) + 1}: ${words}`, words)
  }
  const option = OPTION_LABELS.get(given)
  if (option !== undefined) return faultIn(given, `“${option}” ${must}`, must)
  const at = given.indexOf('[')
  const field = at < 0 ? given : given.slice(0, at)
  const words = reason === undefined ? must : textOfReason(reason, (other) => `“${labelOf(other)}”`)
  if (!isField(field)) return faultIn(field === 'monitors' ? field : undefined, words)
  // A fault of the field `headers` can be in a single header.
  const which = at < 0 ? '' : `${given.slice(at + 1, -1)} `
  return faultIn(field, `“${labelOf(field)}” ${which}${words}`, `${which}${words}`)
}
