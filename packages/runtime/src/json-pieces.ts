// Writes long JSON texts piece by piece, so that the process handles other requests in between and waits for slow
// readers.
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'

/** Minimum number of items of a list that is made and written piece by piece. */
const LONG = 20
/** Number of characters between two pauses, which take about a millisecond. A single item can have more. */
const PIECE_CHARS = 128 * 1024

/** A list whose items are made while it is written. */
class LazyList<In, Out> implements Iterable<Out> {
  readonly #items: readonly In[]
  readonly #make: (item: In) => Out

  constructor(items: readonly In[], make: (item: In) => Out) {
    this.#items = items
    this.#make = make
  }

  *[Symbol.iterator](): Generator<Out> {
    for (const item of this.#items) yield this.#make(item)
  }

  toJSON(): Out[] {
    return [...this]
  }
}

/**
 * Maps a list that is part of a response. Makes the items of a long list only while the response is written, so use the result for
 * nothing else; `map` has no such limit.
 */
export function lazyList<In, Out>(items: readonly In[], make: (item: In) => Out): Out[] {
  return items.length < LONG ? items.map(make) : (new LazyList(items, make) as unknown as Out[])
}

/** Whether {@link jsonPieces} should write a value: whether it is a long list, or an object with one. */
export function isLongJson(value: unknown): boolean {
  if (isLongList(value)) return true
  return isPlain(value) && Object.values(value).some(isLongList)
}

function isLongList(value: unknown): boolean {
  return value instanceof LazyList || (Array.isArray(value) && value.length >= LONG)
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !('toJSON' in value)
}

/** Yields the text that `JSON.stringify` returns, with a pause after each piece. Divides lists at the top and one level below. */
export async function* jsonPieces(value: unknown, indent = 0): AsyncGenerator<string> {
  let text = ''
  for (const part of partsOf(value, indent)) {
    text += part
    if (text.length < PIECE_CHARS) continue
    yield text
    text = ''
    await turn()
  }
  if (text !== '') yield text
}

function* partsOf(value: unknown, indent: number): Generator<string> {
  if (value instanceof LazyList || Array.isArray(value)) yield* partsOfList(value as Iterable<unknown>, indent)
  else if (isPlain(value) && indent === 0) yield* partsOfObject(value)
  else yield JSON.stringify(value, null, indent)
}

function* partsOfList(list: Iterable<unknown>, indent: number): Generator<string> {
  const line = indent === 0 ? '' : `\n${' '.repeat(indent)}`
  let isEmpty = true
  for (const item of list) {
    const text = (JSON.stringify(item, null, indent) as string | undefined) ?? 'null'
    yield `${isEmpty ? '[' : ','}${line}${indent === 0 ? text : text.replaceAll('\n', line)}`
    isEmpty = false
  }
  if (isEmpty) yield '[]'
  else yield indent === 0 ? ']' : '\n]'
}

function* partsOfObject(given: Record<string, unknown>): Generator<string> {
  let isEmpty = true
  for (const [name, value] of Object.entries(given)) {
    const isList = value instanceof LazyList || Array.isArray(value)
    const text = isList ? '' : (JSON.stringify(value) as string | undefined)
    // Omits undefined and functions, like JSON.stringify.
    if (text === undefined) continue
    yield `${isEmpty ? '{' : ','}${JSON.stringify(name)}:${text}`
    if (isList) yield* partsOfList(value as Iterable<unknown>, 0)
    isEmpty = false
  }
  yield isEmpty ? '{}' : '}'
}

/**
 * Writes pieces as fast as the reader reads them. Breaks the connection if making a piece fails. Ends without an error if the
 * reader disconnects.
 */
export async function writePieces(pieces: AsyncIterable<string | Uint8Array>, to: Writable): Promise<void> {
  try {
    await pipeline(pieces, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}
