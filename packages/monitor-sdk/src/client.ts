// The client of the monitor API: one method for each operation, and uploads of any length.

import type { Client } from 'openapi-fetch'
import { API } from './api.ts'
import { type Connection, connect } from './core/connection.ts'
import type { SyncCursor } from './cursor.ts'
import { ConnectionError } from './core/errors.ts'
import type {
  ChecksResponse,
  EnrollRequest,
  EnrollResponse,
  MonitorStatus,
  OkResponse,
  paths,
  Result,
  ResultsResponse,
  RunReport,
} from './generated.ts'
import type { CallOptions, Token } from './core/options.ts'
import type { ClientOptions, OperationName, Uploaded } from './core-types.ts'
import type { UploadOptions } from './upload-options.ts'

export interface MonitorClientOptions extends ClientOptions {
  /** The monitor's API key. Before there is one: the enrollment token. */
  token: Token
}

/** What changed, and the cursor to ask from next. */
export type SyncAnswer = Omit<ChecksResponse, 'server_time'> & {
  /** Pass it to the next `sync`, unchanged. Store it together with the checks it belongs to. */
  server_time: SyncCursor
}

export interface EnrollOptions extends CallOptions {
  /** The enrollment token, when the client's own token is the API key. */
  token?: Token | undefined
}

export interface SyncOptions extends CallOptions {
  /** Called with the headers of the answer before it is returned. What it throws ends the call. */
  onHeaders?: ((headers: Headers) => void) | undefined
}

export interface PingOptions extends CallOptions {
  /** For how many seconds the server may hold its answer; at most `wait_sec` of the last answer to `sync`. */
  wait_sec?: number | undefined
}

/**
 * Speaks the monitor API. Every method rejects with an {@link ApiError} when the server refuses, with a
 * `ConnectionError` when no usable answer comes, and with the signal's own reason when it is aborted.
 */
export class MonitorClient {
  /**
   * The typed openapi-fetch client underneath: same token, retries and timeout. It returns `{ data, error, response }`
   * and throws only when no usable answer comes. Test `response.ok`, because `error` is undefined for an empty body.
   */
  readonly http: Client<paths>
  readonly #strictly: Connection<paths>['strictly']

  /** @throws TypeError or RangeError for an option that cannot be right. */
  constructor(options: MonitorClientOptions) {
    const { http, strictly } = connect<paths, OperationName>(API, options)
    this.http = http
    this.#strictly = strictly
  }

  /**
   * Becomes a monitor, or with `id` takes the place of one that was reset. Store the answer before anything else: the
   * API key is told this once.
   *
   * Not repeated when the answer was lost or was a failure of the server, because that could make a second monitor; only
   * where the server says that it did nothing (429, or 503 with `Retry-After`).
   */
  async enroll(request: EnrollRequest, options: EnrollOptions = {}): Promise<EnrollResponse> {
    const { data } = await this.http.POST('/enroll', { body: request, fetch: this.#strictly(options) })
    return data as EnrollResponse
  }

  /**
   * What changed after `since`, deletions included. Without `since` the whole set: replace what you hold. Keep
   * `server_time` of the answer for the next call. The time at the server is `now`, where it says so.
   */
  async sync(since?: SyncCursor, options: SyncOptions = {}): Promise<SyncAnswer> {
    const { onHeaders, ...call } = options
    const params = since === undefined ? {} : { query: { since } }
    const { data, response } = await this.http.GET('/checks', { params, fetch: this.#strictly(call) })
    onHeaders?.(response.headers)
    return data as SyncAnswer
  }

  /**
   * Says that this monitor is alive. With `wait_sec` the server may hold its answer for so long, until a sync would tell of a run:
   * give `timeout` some seconds more.
   */
  async ping(options: PingOptions = {}): Promise<OkResponse> {
    const { wait_sec, ...call } = options
    const params = wait_sec === undefined ? {} : { query: { wait_sec } }
    const { data } = await this.http.GET('/ping', { params, fetch: this.#strictly(call) })
    return data as OkResponse
  }

  /** Replaces the snapshot that the server shows for this monitor. */
  async reportStatus(status: MonitorStatus, options: CallOptions = {}): Promise<OkResponse> {
    const { data } = await this.http.POST('/status', { body: status, fetch: this.#strictly(options) })
    return data as OkResponse
  }

  /**
   * Reports at most ten runs that `runs` of an answer to `sync` asked for. Their results are uploaded like those of other runs.
   * The server drops reports that nobody waits for any more.
   */
  async reportRuns(runs: RunReport[], options: CallOptions = {}): Promise<ResultsResponse> {
    const { data } = await this.http.POST('/results', { body: { results: [], runs }, fetch: this.#strictly(options) })
    return data as ResultsResponse
  }

  /**
   * Uploads any number of results, one batch after the other: each at most 500 results and 1 MiB, smaller ones once the
   * server or a proxy answers 413. No results make no request. `accepted` counts those for checks assigned to this
   * monitor; the server drops the others, and they need not be sent again.
   *
   * Storing is idempotent, so results whose fate is unknown can be uploaded again.
   *
   * @throws ApiError or ConnectionError with `uploaded`: the results before that were confirmed, and the failed batch
   * begins there.
   * @throws RangeError naming the index of a result too large for any request, TypeError naming one that cannot be
   * written as JSON. Nothing was sent then.
   */
  async upload(results: Iterable<Result>, options: UploadOptions = {}): Promise<Uploaded> {
    // A copy, now: the caller may shorten its buffer while this waits, or in onBatch.
    const all = Array.from(results)
    const { uploadAll } = await import('./uploading.ts')
    return uploadAll(this.http, this.#strictly, all, options, ConnectionError)
  }
}
