// Defines the laws of a source tree: which folder may import which, no import circles, and maximum lengths of files and
// functions. Each package's laws.test.ts names its own folders.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

export interface Import {
  /** Path of the imported file, relative to the folder of the sources. */
  target: string
  /** Whether the import is only of types. Types disappear in compilation, so such an import connects files, but loads none. */
  isType: boolean
}

export interface Source {
  /** Path of the file, relative to the folder of the sources. */
  path: string
  text: string
  imports: readonly Import[]
  /** Names of the packages in this repository that the file imports. */
  packages: readonly string[]
  /** Files of these packages that the file imports, such as `runtime/ids.ts`. */
  entrances: readonly Import[]
}

export interface Laws {
  /**
   * Each room with the other rooms that it may import. A room is a folder, or a file outside of folders, which is named without
   * its extension. `.` means every other such file.
   */
  rooms: Readonly<Record<string, readonly string[]>>
  /** Packages of this repository that the sources may import. Absent if there is no restriction. */
  packages?: readonly string[]
  fileMax?: number
  functionMax?: number
}

/** Maximum number of lines of a file. The next constant is that of a function. */
export const FILE_MAX = 400
export const FUNCTION_MAX = 80

/** Reads the sources under a folder, without tests and generated files. */
export function readSources(folder: string, isPart: (path: string) => boolean = () => true): Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.tsx?$/.test(entry.name) &&
        !/\.test\.tsx?$|generated\.ts$|\.gen\.ts$|\.d\.ts$/.test(entry.name),
    )
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((path) => !path.includes('node_modules/') && isPart(path))
    .sort()
    .map((path) => sourceOf(path, readFileSync(join(folder, path), 'utf8')))
}

/** Packages that are parts of the server. */
export const ROOMS = ['alerting', 'api', 'channels', 'console', 'domain', 'embedded-postgres', 'runtime', 'store']

/** Reads the server, and the packages that are parts of it, as one tree. Each package is a folder of the tree. */
export function readHouse(packages: string): Source[] {
  const rooms = ROOMS.flatMap((room) =>
    readSources(join(packages, room, 'src')).map((source) => ({
      ...source,
      path: `${room}/${source.path}`,
      imports: source.imports.map(({ target, isType }) => ({
        target: join(room, target).replaceAll(sep, '/'),
        isType,
      })),
    })),
  )
  const isOfRoom = ({ target }: Import) => ROOMS.includes(target.slice(0, target.indexOf('/')))
  return [...readSources(join(packages, 'server', 'src')), ...rooms].map((source) => ({
    ...source,
    imports: [...source.imports, ...source.entrances.filter(isOfRoom)],
  }))
}

/** Lists the subpaths of packages, such as `runtime/ids`, that no source imports. */
export function findUnused(sources: readonly Source[], subpaths: readonly string[]): string[] {
  const used = new Set(sources.flatMap(({ entrances }) => entrances.map(({ target }) => target.replace(/\.ts$/, ''))))
  return subpaths.filter((subpath) => !used.has(subpath))
}

const STATEMENT = /^(?:import|export)( type)?[ {*][^'`;]*?from '([^']+)'/gm
const ALONE = /(?:^import |\bimport\()'([^']+)'/gm

export function sourceOf(path: string, text: string): Source {
  const named = Array.from(text.matchAll(STATEMENT), ([, type, from = '']) => ({ from, isType: type !== undefined }))
  const alone = Array.from(text.matchAll(ALONE), ([, from = '']) => ({ from, isType: false }))
  const all = [...named, ...alone]
  return {
    path,
    text,
    imports: all
      .filter(({ from }) => from.startsWith('.'))
      .map(({ from, isType }) => ({ target: join(dirname(path), from).replaceAll(sep, '/'), isType })),
    packages: all.flatMap(({ from }) => /^@dogwatch\/[a-z-]+/.exec(from)?.[0] ?? []),
    entrances: all.flatMap(({ from, isType }) => {
      const [, target] = /^@dogwatch\/([a-z-]+\/.+)$/.exec(from) ?? []
      return target === undefined ? [] : [{ target: `${target}.ts`, isType }]
    }),
  }
}

/** Lists every breach of the laws. */
export function breachesOf(sources: readonly Source[], laws: Laws): string[] {
  const { packages = [], fileMax = FILE_MAX, functionMax = FUNCTION_MAX } = laws
  const circle = findCircle(sources)
  const running = findCircle(sources, ({ isType }) => !isType)
  return [
    ...sources.flatMap((source) => roomBreaches(source, laws.rooms)),
    ...(circle ? [`a circle of imports: ${circle.join(' -> ')}`] : []),
    ...(running ? [`a circle of imports at run time: ${running.join(' -> ')}`] : []),
    ...sources.flatMap(({ path, packages: used }) =>
      used.filter((name) => !packages.includes(name)).map((name) => `${path} must not import ${name}`),
    ),
    ...sources
      .filter(({ text }) => linesOf(text).length > fileMax)
      .map(({ path, text }) => `${path} has ${linesOf(text).length} lines, and at most ${fileMax} are allowed`),
    ...sources.flatMap(({ path, text }) =>
      functionsOf(text)
        .filter(({ lines }) => lines > functionMax)
        .map(
          ({ at, lines }) => `${path}:${at}: this function has ${lines} lines, and at most ${functionMax} are allowed`,
        ),
    ),
  ]
}

/**
 * A folder whose inner folders only the folder itself and its friends may import. All others must import the folder's own files.
 */
export interface Door {
  folder: string
  inner: readonly string[]
  friends?: readonly string[]
}

/** Lists the imports that others make of a folder's inner folders. */
export function doorBreaches(sources: readonly Source[], { folder, inner, friends = [] }: Door): string[] {
  const isIn = (path: string, folders: readonly string[]) => folders.some((one) => path.startsWith(`${one}/`))
  const behind = inner.map((name) => `${folder}/${name}`)
  return sources
    .filter(({ path }) => !isIn(path, [folder, ...friends]))
    .flatMap(({ path, imports }) =>
      imports.filter(({ target }) => isIn(target, behind)).map(({ target }) => `${path} must not import ${target}`),
    )
}

function roomBreaches({ path, imports }: Source, rooms: Laws['rooms']): string[] {
  const from = roomOf(path, rooms)
  if (from === undefined) return [`${path} stands in no room`]
  return imports.flatMap(({ target }) => {
    if (target.startsWith('..')) return []
    const to = roomOf(target, rooms)
    if (to === from || (to !== undefined && rooms[from]?.includes(to))) return []
    return [`${path} must not import ${target}`]
  })
}

function roomOf(path: string, rooms: Laws['rooms']): string | undefined {
  const [first = '', ...rest] = path.split('/')
  const name = rest.length > 0 ? first : first.replace(/\.[jt]sx?$/, '')
  if (name in rooms) return name
  return rest.length === 0 && '.' in rooms ? '.' : undefined
}

/** Returns the files of one circle, with the first repeated at the end. Returns undefined if there is none. */
export function findCircle(
  sources: readonly Source[],
  counts: (one: Import) => boolean = () => true,
): readonly string[] | undefined {
  const byPath = new Map(sources.map(({ path, imports }) => [path, imports.filter(counts)]))
  const done = new Set<string>()
  const walk = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const { target } of byPath.get(path) ?? []) {
      const circle = walk(target, [...trail, path])
      if (circle) return circle
    }
    done.add(path)
    return undefined
  }
  for (const path of byPath.keys()) {
    const circle = walk(path, [])
    if (circle) return circle
  }
  return undefined
}

const OPENS = /(?:=>|\)|\)(?:: [^=]*)) \{$/
const NO_FUNCTION =
  /^\s*(?:\} )?(?:if|else|for|while|switch|catch|do|try|class|interface|export (?:abstract )?class|with)\b/

/** Finds the functions in a formatted source text: each ends at the bracket that has the indentation of its first line. */
export function functionsOf(text: string): { at: number; lines: number }[] {
  const lines = linesOf(text)
  return lines.flatMap((line, index) => {
    if (!OPENS.test(line) || NO_FUNCTION.test(line)) return []
    const indent = indentOf(line)
    const end = lines.findIndex((later, at) => at > index && indentOf(later) <= indent && later.trim().startsWith('}'))
    // The closing bracket of a long list of parameters has the same indentation as the first line of the function.
    const start = /^\s*\)/.test(line)
      ? lines.findLastIndex((earlier, at) => at < index && indentOf(earlier) <= indent && earlier.trim() !== '')
      : index
    return end < 0 || NO_FUNCTION.test(lines[start] ?? '') ? [] : [{ at: start + 1, lines: end - start + 1 }]
  })
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}
