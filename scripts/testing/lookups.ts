// Finds tables that are read by a name of any text. A plain object answers `constructor` with a function that nobody put there.
import type { Source } from './laws.ts'

const TABLE = /^(export )?const (\w+): (?:Readonly<|Partial<)*(?:Record<string,|\{ (?:readonly )?\[\w+: string\])/gm

/** Lists the places where a constant table with keys of any text is read by a name that is not written out there. */
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
