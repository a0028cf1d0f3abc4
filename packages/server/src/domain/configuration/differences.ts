// The fields in which two states of a thing differ, as a plan shows them.

export interface Difference {
  field: string
  /** Left out where the field was not set before, or is not set after. */
  before?: unknown
  after?: unknown
  /** False for a secret that is set and was given: whether they differ is not told. */
  compared?: false
  /** True for a secret that is set and was left out: the change may ask for it. */
  may_be_needed?: true
}

type State = Readonly<Record<string, unknown>>

/** Longer values are told by their beginning: an answer has many of them. */
const MOST_CHARS = 300
/** What is said of a secret that is set: whether it is another one is told by the field being here. */
const SECRET = '(secret)'

/** `before` is undefined for what is new, `after` for what is gone. Secrets are compared by what stands for them. */
export function differencesOf(
  before: State | undefined,
  after: State | undefined,
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

/** Secrets that were given and not compared. */
export function uncomparedOf(fields: readonly string[]): Difference[] {
  return fields.map((field) => ({ field, before: SECRET, after: SECRET, compared: false }))
}

/** Secrets that were left out, and that the change may ask for. */
export function maybeNeededOf(fields: readonly string[]): Difference[] {
  return uncomparedOf(fields).map((difference) => ({ ...difference, may_be_needed: true }))
}

function namesOf(before: State | undefined, after: State | undefined): string[] {
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

/** The database has the fields of an object in an order of its own. */
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
