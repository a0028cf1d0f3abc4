// Finds the fields that an edit changes, for the audit log.

/** Returns the fields of `wanted` whose values differ from the stored ones. */
export function changedFields<Fields extends object>(
  wanted: Fields,
  held: { readonly [Field in keyof Fields]: unknown },
): string[] {
  const fields = Object.keys(wanted) as (keyof Fields & string)[]
  return fields.filter((field) => !isEqual(wanted[field], held[field]))
}

/** Whether two values are equal, whatever the order of an object's fields, which the database chooses. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => isEqual((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]))
  )
}

/**
 * Returns the values of changed fields before and after, if they are numbers or switches. Omits text, because it can be a secret.
 */
export function plainValues(
  changed: readonly string[],
  before: object,
  after: object,
): { from?: Record<string, unknown>; to?: Record<string, unknown> } {
  const isPlain = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'
  const [from, to] = [before, after].map((values) => new Map(Object.entries(values)))
  const fields = changed.filter((field) => isPlain(from?.get(field)) && isPlain(to?.get(field)))
  if (fields.length === 0) return {}
  const valuesOf = (values = new Map<string, unknown>()) =>
    Object.fromEntries(fields.map((field) => [field, values.get(field)]))
  return { from: valuesOf(from), to: valuesOf(to) }
}
