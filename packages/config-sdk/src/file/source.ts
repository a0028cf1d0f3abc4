// Reads the text of a dogwatch.yaml into plain values with their places, resolves anchors and merge keys, and fills in secrets.

import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import { type Fault, FaultyFile, type Path, type Place, repeated } from './place.ts'

/** Maximum length of a file, in bytes. More than a file of a thousand checks needs. */
const MAX_BYTES = 2 * 1024 * 1024
/** Maximum number of values, counted at each alias, because aliases of aliases could make billions from a few lines. */
const MAX_VALUES = 200_000
const MAX_DEPTH = 40

/** A file whose values are read but not yet validated. */
export interface Source {
  file: string
  value: unknown
  /** Returns the place of the value at a path, or of the longest part of the path that exists. */
  placeOf(path: Path): Place
  /** Returns the keys of a map in the order of the file. Objects would put keys that look like numbers first. */
  keysOf(path: Path): string[]
  /** Whether the file sets a value at a path. */
  has(path: Path): boolean
  /** Whether a value is only a placeholder, because the environment lacks one of its variables. */
  isMissing(path: Path): boolean
  /** Names of variables that the environment lacks. */
  missing: ReadonlySet<string>
  /** Whether a part of a value comes from the environment. */
  isSecret(path: Path): boolean
  /** Values from the environment, by the names of their variables. */
  secrets: ReadonlyMap<string, string>
}

export interface ReadOptions {
  /** Whether to continue with placeholders if the environment lacks variables. */
  withoutVariables?: boolean
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Place and origin of a node of the file. */
interface PlacedNode {
  at: Place
  isSecret: boolean
  isMissing: boolean
  parts: ReadonlyMap<string | number, PlacedNode>
}

/**
 * Reads `text`. `${NAME}` in a string is the environment variable of that name, and `$${` is a literal `${`.
 *
 * @throws FaultyFile with the place of each fault.
 */
export function readSource(file: string, text: string, env: Environment, how: ReadOptions = {}): Source {
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw faulty(file, START, `the file must be at most ${MAX_BYTES / 1024 / 1024} MiB`)
  }
  const reading = new Reader(file, text, env, how)
  const { value, placed } = reading.read()
  const follow = (path: Path): PlacedNode[] => {
    const met = [placed]
    for (const step of path) {
      const next = met.at(-1)?.parts.get(step)
      if (!next) break
      met.push(next)
    }
    return met
  }
  return {
    file,
    value,
    placeOf: (path) => follow(path).at(-1)?.at ?? START,
    keysOf: (path) => {
      const met = follow(path)
      return met.length === path.length + 1 ? [...(met.at(-1)?.parts.keys() ?? [])].map(String) : []
    },
    has: (path) => follow(path).length === path.length + 1,
    isSecret: (path) => {
      const met = follow(path)
      return met.length === path.length + 1 && met.at(-1)?.isSecret === true
    },
    secrets: reading.secrets,
    missing: reading.missing,
    isMissing: (path) => {
      const met = follow(path)
      return met.length === path.length + 1 && met.at(-1)?.isMissing === true
    },
  }
}

const START: Place = { line: 1, column: 1 }

function faulty(file: string, at: Place, line: string): FaultyFile {
  return new FaultyFile(file, [{ at, line }])
}

interface ReadNode {
  value: unknown
  placed: PlacedNode
}

class Reader {
  readonly secrets = new Map<string, string>()
  readonly missing = new Set<string>()
  readonly #file: string
  readonly #text: string
  readonly #env: Environment
  readonly #how: ReadOptions
  readonly #lines = new LineCounter()
  readonly #faults: Fault[] = []
  readonly #anchors = new Map<string, Node>()
  #count = 0
  /** Number of characters that variables have added to the file so far. */
  #filled = 0

  constructor(file: string, text: string, env: Environment, how: ReadOptions) {
    this.#file = file
    this.#text = text
    this.#env = env
    this.#how = how
  }

  read(): ReadNode {
    const contents = this.#parse()
    const read = contents === null ? nothing(START) : this.#node(contents, 0)
    if (this.#faults.length > 0) throw new FaultyFile(this.#file, this.#faults)
    return read
  }

  #parse(): ParsedNode | null {
    const options = { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false, logLevel: 'error' } as const
    try {
      const document = parseDocument(this.#text, options)
      // Reports only the first fault of the syntax, because later ones mostly follow from it.
      const [fault] = [...document.errors, ...document.warnings]
      if (fault) {
        const isTooDeep = fault.code === 'IMPOSSIBLE' || fault.message.includes('call stack')
        throw faulty(this.#file, this.#placeAt(fault.pos[0]), isTooDeep ? TOO_DEEP : repeated(firstLine(fault.message)))
      }
      return document.contents
    } catch (error) {
      if (error instanceof RangeError) throw faulty(this.#file, START, TOO_DEEP)
      throw error
    }
  }

  #node(node: Node | null, depth: number): ReadNode {
    const at = node ? this.#placeOf(node) : START
    this.#count += 1
    if (this.#count > MAX_VALUES) {
      throw faulty(this.#file, at, `the file must have at most ${MAX_VALUES} values, including those of aliases`)
    }
    if (depth > MAX_DEPTH) throw faulty(this.#file, at, TOO_DEEP)
    if (node === null) return nothing(at)
    if (isAlias(node)) return this.#node(this.#anchored(node), depth + 1)
    const { anchor } = node as { anchor?: string }
    if (anchor !== undefined) this.#anchors.set(anchor, node)
    if (isMap(node)) return this.#map(node, depth, at)
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#node(item as Node | null, depth + 1))
      const parts = new Map(items.map(({ placed }, index) => [index, placed]))
      return { value: items.map(({ value }) => value), placed: containing(at, parts) }
    }
    return this.#scalar(isScalar(node) ? node.value : undefined, at)
  }

  /**
   * Returns the last node that has the anchor's name before the alias, as YAML requires. If that node contains the alias itself,
   * the depth limit ends the recursion.
   */
  #anchored(alias: Alias): Node | null {
    const found = this.#anchors.get(alias.source)
    if (found) return found
    this.#faults.push({
      at: this.#placeOf(alias),
      line: `the anchor &${repeated(alias.source)} is not defined before this alias`,
    })
    return null
  }

  #map(map: YAMLMap, depth: number, at: Place): ReadNode {
    const own = new Map<string, ReadNode>()
    const merged = new Map<string, ReadNode>()
    for (const { key, value } of map.items as Pair<Node | null, Node | null>[]) {
      const name = this.#keyOf(key)
      if (name === '<<') this.#merge(value, depth, merged)
      else if (own.has(name)) this.#faults.push({ at: this.#placeOf(key), line: `${repeated(name)} is defined twice` })
      else {
        const read = this.#node(value, depth + 1)
        // If a value is empty, or comes from an anchor, its faults are reported at the place of its key.
        own.set(name, { ...read, placed: { ...read.placed, at: key ? this.#placeOf(key) : at } })
      }
    }
    const all = new Map([...merged, ...own])
    const value = Object.fromEntries([...all].map(([name, { value: one }]) => [name, one]))
    return { value, placed: containing(at, new Map([...all].map(([name, { placed }]) => [name, placed]))) }
  }

  /** Merges maps. If several maps have the same key, the value in the first one counts. */
  #merge(value: Node | null, depth: number, into: Map<string, ReadNode>): void {
    const sources = isSeq(value) ? (value.items as (Node | null)[]) : [value]
    for (const source of sources) {
      const map = isAlias(source) ? this.#anchored(source) : source
      if (!isMap(map)) {
        this.#faults.push({
          at: source ? this.#placeOf(source) : START,
          line: '<< must be followed by an alias of a map',
        })
        continue
      }
      const { value: fields, placed } = this.#node(map, depth + 1)
      for (const [name, field] of Object.entries(fields as object)) {
        const part = placed.parts.get(name)
        if (!into.has(name) && part) into.set(name, { value: field, placed: part })
      }
    }
  }

  #keyOf(key: Node | null): string {
    const name = isScalar(key) ? key.value : undefined
    // Uses the name as written, because YAML reads the name 10.10 as the number 10.1.
    if (typeof name === 'number' && isScalar(key) && key.source !== undefined) return key.source
    if (typeof name === 'string' || typeof name === 'number' || typeof name === 'boolean') return String(name)
    const at = key ? this.#placeOf(key) : START
    throw faulty(this.#file, at, 'a key must be a plain word')
  }

  #scalar(value: unknown, at: Place): ReadNode {
    if (typeof value !== 'string' || !value.includes('${')) return { value, placed: containing(at) }
    const names: string[] = []
    const filled = replaceVariables(value, (name) => {
      names.push(name)
      return this.#variable(name, at)
    })
    const isMissing = names.some((name) => this.missing.has(name))
    return { value: filled, placed: { ...containing(at), isSecret: names.length > 0, isMissing } }
  }

  #variable(name: string, at: Place): string {
    if (!NAME.test(name)) {
      this.#faults.push({ at, line: 'the text between ${ and } must be a variable name; write $${ for a literal ${' })
      return ''
    }
    const value = this.#env[name]
    if (value === undefined || value === '') {
      if (this.#how.withoutVariables === true) {
        this.missing.add(name)
        return name
      }
      this.#faults.push({ at, line: `the environment variable ${repeated(name)} is not set or is empty` })
      return ''
    }
    this.#filled += value.length
    if (this.#filled > MAX_BYTES)
      throw faulty(this.#file, at, 'the values of all variables in the file must be at most 2 MiB in total')
    this.secrets.set(name, value)
    return value
  }

  #placeOf(node: Node | null): Place {
    return node?.range ? this.#placeAt(node.range[0]) : START
  }

  #placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const TOO_DEEP = `the file must not be nested more than ${MAX_DEPTH} levels deep`

/**
 * Replaces each `${NAME}`, and `$${` with `${`. Stops at the first `${` without a `}` after it, because no later one has a `}`
 * either.
 */
function replaceVariables(text: string, valueOf: (name: string) => string): string {
  const parts: string[] = []
  let from = 0
  for (let open = text.indexOf('${'); open >= 0; open = text.indexOf('${', from)) {
    if (open > from && text[open - 1] === '$') {
      parts.push(text.slice(from, open - 1), '${')
      from = open + 2
      continue
    }
    const end = text.indexOf('}', open)
    if (end < 0) break
    parts.push(text.slice(from, open), valueOf(text.slice(open + 2, end)))
    from = end + 1
  }
  return parts.join('') + text.slice(from).replaceAll('$${', () => '${')
}

function nothing(at: Place): ReadNode {
  return { value: null, placed: containing(at) }
}

function containing(at: Place, parts: ReadonlyMap<string | number, PlacedNode> = new Map()): PlacedNode {
  return { at, parts, isMissing: false, isSecret: [...parts.values()].some((part) => part.isSecret) }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
