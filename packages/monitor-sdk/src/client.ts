// Defines the client of the monitor API: one method for each operation, and uploads of any length.

import type { Client } from 'openapi-fetch'
import { API } from './api.ts'
import { type Connection, connect } from './core/connection.ts'
import { ConnectionError } from './core/errors.ts'
import type { CallOptions, Token } from './core/options.ts'
import type { ClientOptions, OperationName, UploadCounts } from './core-types.ts'
import type { SyncCursor } from './cursor.ts'
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
import type { UploadOptions } from './upload-options.ts'

export interface MonitorClientOptions extends ClientOptions {
  /** The monitor's API key or, as long as the monitor has none, the enrollment token. */
  token: Token
}

/** Response to a sync: the changes, and the cursor for the next sync. */
export type SyncAnswer = Omit<ChecksResponse, 'server_time'> & {
  /** Cursor to pass to the next `sync`, unchanged. Store it together with the checks of this response. */
  server_time: SyncCursor
}

export interface EnrollOptions extends CallOptions {
  /** The enrollment token, if the `token` of the client is the monitor's API key. */
  token?: Token | undefined
}

export interface SyncOptions extends CallOptions {
  /** Receives the headers of the response before the call returns. An error that it throws ends the call. */
  onHeaders?: ((headers: Headers) => void) | undefined
}

export interface PingOptions extends CallOptions {
  /**
   * Maximum time that the server may hold its response, in seconds. It must not exceed `wait_sec` of the last response to `sync`.
   */
  wait_sec?: number | undefined
}

/**
 * Client of the monitor API. Every method rejects with an {@link ApiError} when the server refuses, with a `ConnectionError` when
 * no usable response comes, and with the signal's own reason when it is aborted.
 */
export class MonitorClient {
  /**
   * The typed openapi-fetch client underneath: same token, retries and timeout. It returns `{ data, error, response }` and throws
   * only when no usable response comes. Test `response.ok`, because `error` is undefined for an empty body.
   */
  readonly http: Client<paths>
  readonly #strictly: Connection<paths>['strictly']

  /** @throws TypeError or RangeError for an invalid option. */
  constructor(options: MonitorClientOptions) {
    const { http, strictly } = connect<paths, OperationName>(API, options)
    this.http = http
    this.#strictly = strictly
  }

  /**
   * Enrolls a monitor, or with `id` reclaims one that was reset. Store the response first, because the server sends the API key
   * only once. Retries only if the server did nothing: after 429, or 503 with `Retry-After`.
   */
  async enroll(request: EnrollRequest, options: EnrollOptions = {}): Promise<EnrollResponse> {
    const { data } = await this.http.POST('/enroll', { body: request, fetch: this.#strictly(options) })
    return data as EnrollResponse
  }

  /**
   * Returns the changes after `since`, including deletions. Without `since`, returns all checks, which replace the stored ones.
   * Pass the `server_time` of the response to the next call. `now` is the server's time, if it sends one.
   */
  async sync(since?: SyncCursor, options: SyncOptions = {}): Promise<SyncAnswer> {
    const { onHeaders, ...call } = options
    const params = since === undefined ? {} : { query: { since } }
    const { data, response } = await this.http.GET('/checks', { params, fetch: this.#strictly(call) })
    onHeaders?.(response.headers)
    return data as SyncAnswer
  }

  /**
   * Reports that this monitor is online. With `wait_sec`, the server may hold its response for this time, or until a sync would
   * return something new. Set `timeout` some seconds longer.
   */
  async ping(options: PingOptions = {}): Promise<OkResponse> {
    const { wait_sec, ...call } = options
    const params = wait_sec === undefined ? {} : { query: { wait_sec } }
    const { data } = await this.http.GET('/ping', { params, fetch: this.#strictly(call) })
    return data as OkResponse
  }

  /** Replaces the status that the server shows for this monitor. */
  async reportStatus(status: MonitorStatus, options: CallOptions = {}): Promise<OkResponse> {
    const { data } = await this.http.POST('/status', { body: status, fetch: this.#strictly(options) })
    return data as OkResponse
  }

  /**
   * Reports at most ten runs that `runs` of a `sync` response requested. Upload their results like those of other runs. The
   * server drops reports that no one waits for.
   */
  async reportRuns(runs: RunReport[], options: CallOptions = {}): Promise<ResultsResponse> {
    const { data } = await this.http.POST('/results', { body: { results: [], runs }, fetch: this.#strictly(options) })
    return data as ResultsResponse
  }

  /**
   * Uploads any number of results, in batches. `accepted` counts those of checks assigned to this monitor; the server drops the
   * others. Repeats are harmless.
   *
   * @throws ApiError or ConnectionError with `uploaded`, or RangeError or TypeError.
   */
  async upload(results: Iterable<Result>, options: UploadOptions = {}): Promise<UploadCounts> {
    // Copies the results now, because the caller may shorten its buffer while this waits, or in onBatch.
    const all = Array.from(results)
    const { uploadAll } = await import('./uploading.ts')
    return uploadAll(this.http, this.#strictly, all, options, ConnectionError)
  }
}
