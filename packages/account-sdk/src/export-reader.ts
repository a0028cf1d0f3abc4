// Reads an export piece by piece without storing it: its header, then one result after another. Loaded on demand, because it
// needs a parser.

import { JSONParser, type ParsedElementInfo } from '@streamparser/json'
import { isObject } from '#core/operation'
import { cutShort, isHeader, notPromised } from './export-document.ts'
import type { ExportedResult, ExportedResults, ExportHeader, ExportStream } from './export-parts.ts'
import type { Result } from './generated.ts'
import type { Unusable } from './unusable.ts'

/** Parser of one document, which returns the results that each piece completes. */
export class ExportReader {
  /** The header. Known as soon as the results begin. */
  header: ExportHeader | undefined
  readonly #parser = new JSONParser({ paths: ['$.*', '$.results.*.*'], stringBufferSize: 64 * 1024 })
  readonly #fields = new Map<string, unknown>()
  readonly #unusable: Unusable
  #found: ExportedResult[] = []
  #odd = false

  constructor(unusable: Unusable) {
    this.#unusable = unusable
    this.#parser.onValue = (element) => this.#take(element)
  }

  /**
   * Returns the results that `piece` completes.
   *
   * @throws ConnectionError when the document is not JSON, or does not match the contract.
   */
  take(piece: Uint8Array): ExportedResult[] {
    this.#found = []
    this.#parse(() => this.#parser.write(piece))
    return this.#found
  }

  /** Ends the document. @throws ConnectionError when it is not complete. */
  end(): void {
    // The last bracket ends the parser by itself, so a parser that is not ended has an incomplete document.
    if (!this.#parser.isEnded) throw cutShort(this.#unusable)
    if (!this.header) throw notPromised(this.#unusable)
  }

  #parse(work: () => void): void {
    try {
      work()
    } catch {
      // The parser's own message quotes the text, which may contain a secret.
      throw this.#odd ? notPromised(this.#unusable) : cutShort(this.#unusable, 'the response is not JSON')
    }
  }

  #take({ value, key, parent, stack }: ParsedElementInfo): void {
    if (stack.length === 3 && Array.isArray(parent)) {
      this.#begin()
      this.#found.push({ guid: String(stack[2]?.key), result: value as unknown as Result })
      // Removes the result, because the parser would keep all results until the end of the array.
      parent.length = 0
      return
    }
    if (stack.length !== 1) return
    if (key !== 'results') return void this.#fields.set(String(key), value)
    if (!isObject(value)) this.#refuse()
    this.#begin()
  }

  /** Ends the parsing of a document that is JSON but not an export. */
  #refuse(): never {
    this.#odd = true
    throw new Error()
  }

  #begin(): void {
    if (this.header) return
    const fields: unknown = Object.fromEntries(this.#fields)
    if (!isHeader(fields)) return this.#refuse()
    this.header = fields
  }
}

/**
 * Returns the header of a document, and its results as they come.
 *
 * @throws ConnectionError when the document ends before its results begin.
 */
export async function readParts({ stream }: ExportStream, unusable: Unusable): Promise<ExportedResults> {
  const reader = stream.getReader()
  const parser = new ExportReader(unusable)
  let closed = false
  let atEnd = false
  const readMore = async (): Promise<ExportedResult[]> => {
    try {
      const { done, value } = await reader.read()
      if (!done) return parser.take(value)
      atEnd = true
      if (!closed) parser.end()
      return []
    } catch (error) {
      reader.cancel(error).catch(() => {})
      throw error
    }
  }
  let found: ExportedResult[] = []
  while (!parser.header) found = await readMore()

  async function* rest(): AsyncGenerator<ExportedResult, void, undefined> {
    for (;;) {
      yield* found
      if (atEnd) return
      found = await readMore()
    }
  }
  const items = rest()
  const results: AsyncIterableIterator<ExportedResult> = {
    next: () => items.next(),
    // Closes the stream here, because a generator that was never started would not run its cleanup, and the connection would stay
    // open.
    return: async () => {
      closed = true
      await reader.cancel()
      return items.return()
    },
    [Symbol.asyncIterator]: () => results,
  }
  return { header: parser.header, results }
}
