// The client of the account API: one method for each operation, results page by page, and the export in three forms.

import type { Client } from 'openapi-fetch'
import { connect } from '#core/connection'
import { ConnectionError } from '#core/errors'
import { API } from './api.ts'
import type { ExportedResults, ExportStream } from './export-parts.ts'
import type {
  AccountExport,
  AccountSettings,
  Check,
  Heartbeat,
  Member,
  Monitor,
  NotificationChannel,
  paths,
  Result,
  ResultsCursor,
} from './generated.ts'
import type { CallOptions, Token } from '#core/options'
import type { ClientOptions, OperationName } from './core-types.ts'
import type { ArrivalsPage, FollowOptions, ResultsOptions, ResultsPage } from './results.ts'
import type { Unusable } from './unusable.ts'
import type { Via } from './via.ts'

export interface AccountClientOptions extends ClientOptions {
  /** A personal access token, `dogwatch_pat_...`. It reads secrets too, so keep it like a password. */
  token: Token
}

/**
 * Reads the account API. Every method rejects with an `ApiError` when the server refuses, with a `ConnectionError` when
 * no usable answer comes, and with the signal's own reason when it is aborted.
 */
export class AccountClient {
  /**
   * The typed openapi-fetch client underneath: same token, retries and timeout. It returns `{ data, error, response }`
   * and throws only when no usable answer comes. Test `response.ok`, because `error` is undefined for an empty body.
   */
  readonly http: Client<paths>
  readonly #via: Via

  /** @throws TypeError or RangeError for an option that cannot be right. */
  constructor(options: AccountClientOptions) {
    this.#via = { ...options, ...connect<paths, OperationName>(API, options) }
    this.http = this.#via.http
  }

  /** Every check of the organisation, oldest first. */
  checks(options?: CallOptions): Promise<Check[]> {
    return this.#read('/checks', {}, options)
  }

  /**
   * One check. An unknown guid is an `ApiError` with status 404.
   *
   * @throws TypeError for a `guid` that no path can carry: empty, `.`, `..`, or with half a character in it.
   */
  async check(guid: string, options?: CallOptions): Promise<Check> {
    return this.#read('/checks/{guid}', { path: { guid: checkedGuid(guid) } }, options)
  }

  /** The organisation's own monitors, then those of the shared fleet that are enabled; each by id. */
  monitors(options?: CallOptions): Promise<Monitor[]> {
    return this.#read('/monitors', {}, options)
  }

  /** Every heartbeat of the organisation, oldest first. */
  heartbeats(options?: CallOptions): Promise<Heartbeat[]> {
    return this.#read('/heartbeats', {}, options)
  }

  /** Where alerts go, oldest first, destinations and secrets unredacted. */
  channels(options?: CallOptions): Promise<NotificationChannel[]> {
    return this.#read('/notification-channels', {}, options)
  }

  /** The members, owner first, then by email address. */
  members(options?: CallOptions): Promise<Member[]> {
    return this.#read('/members', {}, options)
  }

  /** The organisation, what its plan allows and what it uses. */
  settings(options?: CallOptions): Promise<AccountSettings> {
    return this.#read('/settings', {}, options)
  }

  /**
   * The results of a check page by page, in the order in which they ran, at most 500 each. It ends when the server has no
   * more. Beginning later at the last page's `next` misses what a monitor uploaded late, which lies before it: to keep up
   * with a check take {@link AccountClient.follow}. Leaving the loop sends no more requests.
   *
   * @throws ApiError or ConnectionError with `resumeFrom`: the cursor of the page that failed, once there is one.
   */
  async *pages(guid: string, options: ResultsOptions = {}): AsyncGenerator<ResultsPage, undefined, undefined> {
    const { readPages } = await import('./paging.ts')
    yield* readPages(this.#via, checkedGuid(guid), options, unusable)
  }

  /**
   * The results of a check one by one, oldest first; see {@link AccountClient.pages}. When it was left early, it goes on
   * from {@link cursorAfter} the last one.
   */
  async *results(guid: string, options: ResultsOptions = {}): AsyncGenerator<Result, undefined, undefined> {
    for await (const page of this.pages(guid, options)) yield* page.results
  }

  /**
   * Follows a check for good: each of its results once, in pages, about 30 seconds after it ran, and as soon as it is
   * stored when it comes later than that. Store a page's `cursor` together with what you made of the page, and begin
   * there the next time. It never ends by itself: leave the loop, or abort the signal, whose reason it then rejects with.
   * A server that is busy or away is asked again, with waits that grow up to a minute.
   *
   * @throws ApiError when the server refuses for good: 400, 401, 403, 404.
   */
  async *follow(guid: string, options: FollowOptions = {}): AsyncGenerator<ArrivalsPage, undefined, undefined> {
    const { followArrivals } = await import('./paging.ts')
    yield* followArrivals(this.#via, checkedGuid(guid), options, unusable)
  }

  /**
   * Everything as one object. For an account with many results take {@link AccountClient.exportResults}, which does not
   * hold it.
   *
   * @throws ConnectionError when the document is cut short. Not repeated then: exports are counted, one a minute.
   */
  async export(options?: CallOptions): Promise<AccountExport> {
    const { parseExport } = await import('./export.ts')
    return parseExport(await this.exportStream(options), unusable)
  }

  /**
   * Everything as bytes, which nobody has looked at: whoever parses them finds out whether the document is complete. A
   * connection that breaks fails the stream with a `ConnectionError`, and a server that falls silent with a
   * `TimeoutError`; taking one's time between two reads is neither.
   */
  async exportStream(options?: CallOptions): Promise<ExportStream> {
    const { openExport } = await import('./export.ts')
    return openExport(this.#via, options)
  }

  /**
   * Everything, the results one by one as they come, so that an export of any size fits in memory. Resolves when the
   * part before the results is there.
   *
   * @throws ConnectionError, here or from the iterator, when the document is cut short. What came before it is right.
   */
  async exportResults(options?: CallOptions): Promise<ExportedResults> {
    const { readExport } = await import('./export.ts')
    return readExport(() => this.exportStream(options), unusable)
  }

  async #read<Path extends keyof paths>(path: Path, params: object, options: CallOptions = {}): Promise<Answer<Path>> {
    // The path decides which parameters there are; openapi-fetch cannot follow that through a type parameter.
    const get = this.http.GET as (path: Path, init: object) => Promise<{ data?: unknown }>
    const { data } = await get(path, { params, fetch: this.#via.strictly(options) })
    return data as Answer<Path>
  }
}

/** Handed to what is loaded on demand: if that imported the errors, they would be one more file that pages load first. */
export const unusable: Unusable = (path, line) => new ConnectionError(line, { method: 'GET', path })

type Answer<Path extends keyof paths> = paths[Path]['get']['responses'][200]['content']['application/json']

/** Where to go on from when `result` was the last one taken: `client.results(guid, { ...cursorAfter(result) })`. */
export function cursorAfter(result: Result): ResultsCursor {
  return { after: result.ran_at, after_monitor: result.monitor_id }
}

function checkedGuid(guid: string): string {
  // A URL swallows a segment of dots, and cannot carry half a surrogate pair.
  if (/^\.{0,2}$|\p{Surrogate}/u.test(guid)) throw new TypeError('this guid is not valid in a URL')
  return guid
}
