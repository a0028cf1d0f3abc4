// Computes the fields in which two states of an item differ, as a dry run shows them.

export interface Difference {
  field: string
  /**
   * Value before the change. Absent if the field was not set. `after`: value after the change. Absent if the field is no longer
   * set.
   */
  before?: unknown
  after?: unknown
  /** False for a stored secret that the request also contains, because the response must not reveal whether they differ. */
  compared?: false
  /** True for a stored secret that the request omitted and that the change can require. */
  may_be_needed?: true
}

type FieldValues = Readonly<Record<string, unknown>>

/** Maximum length of a value, in characters. Longer values are cut, because a response has many of them. */
const MOST_CHARS = 300
/** Text for a secret that is set. The presence of its field shows that the secret differs. */
const SECRET = '(secret)'

/**
 * Returns the fields that differ. `before` is undefined for a new item, `after` for a deleted one. `secrets`: for each secret, by
 * field, a value that differs if the secret does.
 */
export function differencesOf(
  before: FieldValues | undefined,
  after: FieldValues | undefined,
  secrets: { before?: Readonly<Record<string, string>>; after?: Readonly<Record<string, string>> } = {},
): Difference[] {
  const open = namesOf(before, after).flatMap((field) => differenceOf(field, before?.[field], after?.[field]) ?? [])
  const told = new Set(open.map(({ field }) => field))
  const hidden = namesOf(secrets.before, secrets.after)
    .filter((field) => secrets.before?.[field] !== secrets.after?.[field] && !told.has(field))
    .map((field) => ({
      field,
      ...(secrets.before?.[field] !== undefined && { before: SECRET }),
      ...(secrets.after?.[field] !== undefined && { after: SECRET }),
    }))
  return [...open, ...hidden]
}

/** Returns the differences for sent secrets that were not compared. */
export function uncomparedOf(fields: readonly string[]): Difference[] {
  return fields.map((field) => ({ field, before: SECRET, after: SECRET, compared: false }))
}

/** Returns the differences for omitted secrets that the change can require. */
export function maybeNeededOf(fields: readonly string[]): Difference[] {
  return uncomparedOf(fields).map((difference) => ({ ...difference, may_be_needed: true }))
}

function namesOf(before: FieldValues | undefined, after: FieldValues | undefined): string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
}

function differenceOf(field: string, before: unknown, after: unknown): Difference | undefined {
  if (inOneOrder(before) === inOneOrder(after)) return undefined
  return {
    field,
    ...(before !== undefined && { before: bounded(before) }),
    ...(after !== undefined && { after: bounded(after) }),
  }
}

/** Converts a value to JSON with sorted fields, because the database returns the fields of an object in its own order. */
function inOneOrder(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}

function bounded(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= MOST_CHARS) return value
  return `${text.slice(0, MOST_CHARS).toWellFormed()}… (${text.length} characters)`
}
