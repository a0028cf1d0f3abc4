// Defines the client of the account API: one method for each operation, results page by page, and the export in three forms.

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
  /** A personal access token, `dogwatch_pat_...`. It can read secrets, so keep it like a password. */
  token: Token
}

/**
 * Client of the account API. Every method rejects with an `ApiError` when the server refuses, with a `ConnectionError` when no
 * usable response comes, and with the signal's own reason when it is aborted.
 */
export class AccountClient {
  /**
   * The typed openapi-fetch client underneath: same token, retries and timeout. It returns `{ data, error, response }` and throws
   * only when no usable response comes. Test `response.ok`, because `error` is undefined for an empty body.
   */
  readonly http: Client<paths>
  readonly #via: Via

  /** @throws TypeError or RangeError for an invalid option. */
  constructor(options: AccountClientOptions) {
    this.#via = { ...options, ...connect<paths, OperationName>(API, options) }
    this.http = this.#via.http
  }

  /** Returns every check of the organisation, oldest first. */
  checks(options?: CallOptions): Promise<Check[]> {
    return this.#read('/checks', {}, options)
  }

  /**
   * Returns one check. An unknown guid is an `ApiError` with status 404.
   *
   * @throws TypeError for a `guid` that is not valid in a path: empty, `.`, `..`, or with half a character in it.
   */
  async check(guid: string, options?: CallOptions): Promise<Check> {
    return this.#read('/checks/{guid}', { path: { guid: checkedGuid(guid) } }, options)
  }

  /** Returns the organisation's own monitors, then the enabled monitors of the shared fleet, each group sorted by id. */
  monitors(options?: CallOptions): Promise<Monitor[]> {
    return this.#read('/monitors', {}, options)
  }

  /** Returns every heartbeat of the organisation, oldest first. */
  heartbeats(options?: CallOptions): Promise<Heartbeat[]> {
    return this.#read('/heartbeats', {}, options)
  }

  /** Returns the channels, oldest first, with unredacted destinations and secrets. */
  channels(options?: CallOptions): Promise<NotificationChannel[]> {
    return this.#read('/notification-channels', {}, options)
  }

  /** Returns the members: the owner first, then by email address. */
  members(options?: CallOptions): Promise<Member[]> {
    return this.#read('/members', {}, options)
  }

  /** Returns the organisation, the limits of its plan, and its usage. */
  settings(options?: CallOptions): Promise<AccountSettings> {
    return this.#read('/settings', {}, options)
  }

  /**
   * Yields the results of a check in order, in pages of up to 500. To keep up with a check, use {@link AccountClient.follow},
   * because late uploads come before `next`.
   *
   * @throws ApiError or ConnectionError with `resumeFrom`, the page's cursor.
   */
  async *pages(guid: string, options: ResultsOptions = {}): AsyncGenerator<ResultsPage, undefined, undefined> {
    const { readPages } = await import('./paging.ts')
    yield* readPages(this.#via, checkedGuid(guid), options, unusable)
  }

  /**
   * Yields the results of a check one by one, oldest first, like {@link AccountClient.pages}. To continue after leaving the loop,
   * begin with {@link cursorAfter} the last result.
   */
  async *results(guid: string, options: ResultsOptions = {}): AsyncGenerator<Result, undefined, undefined> {
    for await (const page of this.pages(guid, options)) yield* page.results
  }

  /**
   * Follows a check until you leave the loop or abort the signal, and retries while the server is unavailable. Yields each result
   * once, in pages. Begin the next time at the last page's `cursor`.
   *
   * @throws ApiError for 400, 401, 403 and 404.
   */
  async *follow(guid: string, options: FollowOptions = {}): AsyncGenerator<ArrivalsPage, undefined, undefined> {
    const { followArrivals } = await import('./paging.ts')
    yield* followArrivals(this.#via, checkedGuid(guid), options, unusable)
  }

  /**
   * Returns everything as one object. For many results, use {@link AccountClient.exportResults}, which needs less memory.
   *
   * @throws ConnectionError for an incomplete document, without a retry, because the number of exports is limited.
   */
  async export(options?: CallOptions): Promise<AccountExport> {
    const { parseExport } = await import('./export.ts')
    return parseExport(await this.exportStream(options), unusable)
  }

  /**
   * Returns everything as bytes, without validation. The stream fails with a `ConnectionError` if the connection breaks, and with
   * a `TimeoutError` if the server stops sending while you wait for data.
   */
  async exportStream(options?: CallOptions): Promise<ExportStream> {
    const { openExport } = await import('./export.ts')
    return openExport(this.#via, options)
  }

  /**
   * Returns everything, with the results one by one, so that an export of any size fits in memory. Resolves with the part before
   * the results.
   *
   * @throws ConnectionError, here or from the iterator, when the document is cut short.
   */
  async exportResults(options?: CallOptions): Promise<ExportedResults> {
    const { readExport } = await import('./export.ts')
    return readExport(() => this.exportStream(options), unusable)
  }

  async #read<Path extends keyof paths>(path: Path, params: object, options: CallOptions = {}): Promise<Answer<Path>> {
    // The path decides the parameters, but openapi-fetch cannot follow that through a type parameter.
    const get = this.http.GET as (path: Path, init: object) => Promise<{ data?: unknown }>
    const { data } = await get(path, { params, fetch: this.#via.strictly(options) })
    return data as Answer<Path>
  }
}

/**
 * Returns the error for an unusable response. Modules that are loaded on demand receive it as an argument, because an import of
 * the errors would be one more file that pages load first.
 */
export const unusable: Unusable = (path, line) => new ConnectionError(line, { method: 'GET', path })

type Answer<Path extends keyof paths> = paths[Path]['get']['responses'][200]['content']['application/json']

/** Returns the cursor to continue after `result`: `client.results(guid, { ...cursorAfter(result) })`. */
export function cursorAfter(result: Result): ResultsCursor {
  return { after: result.ran_at, after_monitor: result.monitor_id }
}

function checkedGuid(guid: string): string {
  // A URL drops a segment of dots, and cannot contain half a surrogate pair.
  if (/^\.{0,2}$|\p{Surrogate}/u.test(guid)) throw new TypeError('this guid is not valid in a URL')
  return guid
}
