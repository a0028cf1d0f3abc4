// Reads the configuration of Gatus: merges its files, and replaces the variables of its environment.
import { type Fields, isFields, listOf } from '../audit.ts'
import type { Moving } from '../moving.ts'

/** Merges configurations like Gatus merges the files of a folder: appends lists and merges objects. */
export function merged(one: Fields, other: Fields): Fields {
  const entries = Object.entries(other).map(([field, value]): [string, unknown] => {
    const held = one[field]
    if (Array.isArray(held) && Array.isArray(value)) return [field, [...listOf(held), ...listOf(value)]]
    return [field, isFields(held) && isFields(value) ? merged(held, value) : value]
  })
  return { ...one, ...Object.fromEntries(entries) }
}

/**
 * Replaces `$NAME` and `${NAME}` with variables of the file, because Gatus takes them from its environment. Replaces `$$` with a
 * single dollar sign.
 */
export function withVariables(value: unknown, into: Moving): unknown {
  if (typeof value === 'string') {
    return value.replace(
      /\$(?:\$|\{([A-Za-z_]\w{0,99})\}|([A-Za-z_]\w{0,99}))/g,
      (_all, braced?: string, plain?: string) => {
        const name = braced ?? plain
        return name === undefined ? '$' : into.variable(name)
      },
    )
  }
  if (Array.isArray(value)) return value.map((one) => withVariables(one, into))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, withVariables(one, into)]))
}
