// The names in a JSON text as they were written. A parser silently keeps the last of repeated names.

export interface Named {
  /** The names on the way from the outermost object, this one last; of deeper ones the first four. */
  path: readonly string[]
  /** The object had this name before. */
  isRepeated: boolean
}

/** The full paths of deep names would take quadratic space. */
const MOST_PATH = 4

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]:]/gs

/** All names of the objects in a text that is known to be JSON. */
export function namesIn(json: string): Named[] {
  const found: Named[] = []
  const open: { names: Set<string>; current: string }[] = []
  let last = ''
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push({ names: new Set(), current: '' })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const name = JSON.parse(last) as string
      const inner = open.at(-1)
      if (!inner) continue
      inner.current = name
      found.push({ path: open.slice(0, MOST_PATH).map(({ current }) => current), isRepeated: inner.names.has(name) })
      inner.names.add(name)
    }
    last = token
  }
  return found
}
