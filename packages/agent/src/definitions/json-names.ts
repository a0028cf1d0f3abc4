// Finds the names in a JSON text as they were written, because a parser silently keeps only the last of repeated names.

export interface JsonName {
  /** Names from that of the outermost object down to this name, at most the first four. */
  path: readonly string[]
  /** Whether an earlier member of the same object has the same name. */
  isRepeated: boolean
}

/** Maximum number of names in a path. Longer paths are cut, because the full paths of deep names would take quadratic space. */
const MOST_PATH = 4

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]:]/gs

/** Returns all names of the objects in a text that is known to be JSON. */
export function namesIn(json: string): JsonName[] {
  const found: JsonName[] = []
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
