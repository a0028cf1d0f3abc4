// Declares the properties of the row of a field.
import type { Words } from '../words.ts'

export interface Common {
  /**
   * Whether the field is part of the definition. The server keeps it blank if the definition is private. Every row says so, because a
   * forgotten one would be stored.
   */
  isDefinition: boolean
  /** Whether monitors receive the field. */
  isSynced?: true
  /** Whether files and responses contain the field even if it is 0, false or empty. Never set for an existing field. */
  isAlwaysSent?: true
  /** Whether earlier results say nothing about the check after a change of this field. */
  changesResults?: true
  /** Field without which files and responses omit this one. */
  sentWith?: 'status_code_op'
  /** Whether an entry without the field is refused. */
  isRequired?: true
  /** Whether the field is about runs of monitors. It does not apply to checks that the server judges. */
  ofRuns?: true
  /** Ability that a monitor needs if the field is set. Absent for fields that agents of the first release know. */
  ability?: string
  /** Whether only own monitors may run a check that sets the field. */
  isForOwnMonitors?: true
  /** Label of the input, also used in refusals. */
  label: string
  hint?: string
  /** Unit of the field's numbers, shown after the input and after a value. */
  unit?: string
  /** Part of the form that contains the field. */
  part: 'top' | 'monitors' | 'rules' | 'request' | 'alerts'
}

/** Kind of a field, and its limits. An omitted field has its default, or else is 0, false or empty. */
export type FieldRow = Common &
  (
    | { kind: 'url' | 'headers' | 'tags' | 'statuses' | 'assertions' }
    /**
     * `rows`: height of the input in lines. Absent for an input of one line. `faultOf` returns the fault of a text. It also
     * receives the empty text, which means an omitted field, and must return undefined for it.
     */
    | { kind: 'text'; max: number; rows?: number; faultOf?: (text: string) => string | undefined }
    | { kind: 'word'; words: Words }
    | { kind: 'whole'; min: number; max: number; default?: number }
    | { kind: 'yes-no'; default?: boolean }
  )
