// Finds tables that are read by a name from elsewhere. If a plain object is read by the name `constructor`, it returns a function
// that no one has put there. Also finds maps and sets that are read like plain objects, which always returns undefined.
import type { Source } from './laws.ts'

const TABLE = /^(export )?const (\w+): (?:Readonly<|Partial<)*(?:Record<string,|\{ (?:readonly )?\[\w+: string\])/gm

/** Lists the places that read a constant table by a name that is not a literal, if the keys of the table can be any text. */
export function findLookups(sources: readonly Source[]): string[] {
  const tables = sources.flatMap(({ path, text }) =>
    Array.from(text.matchAll(TABLE), ([, exported, name = '']) => ({ path, name, isExported: exported !== undefined })),
  )
  return sources.flatMap(({ path, text }) =>
    tables.flatMap(({ path: home, name, isExported }) => {
      const isKnown =
        home === path || (isExported && new RegExp(`^import\\b[^;']*\\b${name}\\b[^;']*from`, 'm').test(text))
      if (!isKnown) return []
      const reads = text.matchAll(new RegExp(`(?<![\\w.'])${name}\\[(?!['"\\d])`, 'g'))
      return Array.from(reads, ({ index }) => `${path}:${text.slice(0, index).split('\n').length} reads ${name}`)
    }),
  )
}

const COLLECTION = /^(?:export )?const (\w+)(?:: (?:Readonly|Weak)?(?:Map|Set)<| = new (?:Weak)?(?:Map|Set)\b)/gm

const READ_AS_OBJECT = /\bObject\.(?:keys|values|entries|hasOwn)\((\w+)\b|\bin ([A-Z_]+)\b|\{ ?\.\.\.(\w+)\b/g

/** Lists the places where a constant map or set is read as a plain object: by its keys, by `in`, or by a spread. */
export function findMapsAsObjects(sources: readonly Source[]): string[] {
  const exported = new Set(
    sources.flatMap(({ path, text }) => collectionsOf(text).map((name) => `${name} from ${moduleOf(path)}`)),
  )
  return sources.flatMap(({ path, text }) => {
    const own = new Set(collectionsOf(text))
    const isMap = (name: string): boolean => {
      const from = new RegExp(`^import\\b[^;']*\\b${name}\\b[^;']* from '([^']+)'`, 'm').exec(text)?.[1]
      return from === undefined ? own.has(name) : exported.has(`${name} from ${moduleOf(from)}`)
    }
    return Array.from(text.matchAll(READ_AS_OBJECT)).flatMap(({ index, 1: called, 2: searched, 3: spread }) => {
      const name = called ?? searched ?? spread ?? ''
      return isMap(name) ? [`${path}:${text.slice(0, index).split('\n').length} reads ${name}`] : []
    })
  })
}

function collectionsOf(text: string): string[] {
  return Array.from(text.matchAll(COLLECTION), ([, name = '']) => name)
}

/** Returns the last part of the path of a module, without its extension. */
function moduleOf(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\.\w+$/, '')
}
