// Generated from openapi/monitor.yaml by `npm run generate`. Do not edit.
export interface paths {
    "/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pull what changed in this monitor's set of checks
         * @description Returns every check of this monitor whose `updated_at` is strictly after `since`, including checks that were deleted or unassigned
         *     (`deleted: true`). Keep `server_time` of the answer, not your own clock, as the
         *     next `since`. Omit `since` to get the whole set. Do so from time to time, and replace your copy.
         *
         *     `server_time` is only the cursor. It may stand still for minutes while a change is being written, and it may
         *     be behind or ahead of the time. Set your clock by `now`.
         *
         *     A change of the set of active monitors changes `monitor_rank` and `monitor_count` of the others, so it too
         *     moves `updated_at`.
         */
        get: operations["syncChecks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Become a monitor, or take an old monitor's place again
         * @description The token alone decides which organisation, or the shared fleet, the monitor joins. Without `id` a new monitor
         *     is made. With `id` a monitor of that organisation is reclaimed, which works only after an operator has reset it;
         *     its name and place are replaced by those sent.
         *
         *     The API key is in this answer and nowhere else. **Do not repeat an enrollment whose answer was lost**: it would
         *     make a second monitor. Ask for a reset instead, then reclaim.
         *
         *     The body may hold at most 16 KiB.
         */
        post: operations["enroll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say that this monitor is alive
         * @description Like every authenticated request, it updates the monitor's `last_seen_at`. It has no other effect.
         *
         *     With `wait_sec` the server answers when that time is over, or as soon as a sync would contain a run that a person
         *     asked for, or a change: then `sync` is true, and the next sync is due at once. A monitor has one such request open; another one
         *     ends it. Send `wait_sec` only where `wait_sec` of `ChecksResponse` says that the server holds requests, and for no longer.
         *
         *     The server also holds such a request of a monitor that is disabled. It answers 403 when the time is over, and 200 with
         *     `sync` as soon as the monitor is enabled.
         */
        get: operations["ping"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload results of runs
         * @description Takes at most 500 results and 1 MiB a call; call repeatedly for more. Storing is idempotent: a check has one result
         *     for each `ran_at` and monitor, the first one stored stays, and the same batch gets the same answer twice. So a
         *     batch whose answer was lost can be sent again as it is.
         *
         *     The body may be sent with `Content-Encoding: gzip`; the limit applies to the decompressed size.
         *
         *     A result for a check that is not assigned to the caller is dropped without an error and not counted, and so is one
         *     whose `ran_at` is more than 400 days behind or 10 minutes ahead of the server's clock, unless `sent_at` shows that the sender's clock is. One result
         *     that breaks the schema fails its whole batch with a 400 that names its index, and nothing of it is stored.
         *
         *     A server may be unable to store the results of some organisations for a while. It then stores the others, and
         *     answers 503 for the whole batch, which is to be sent again. Likewise it stores at a generous multiple of the rate that the
         *     checks of an organisation can produce, and answers 429 for a batch with more. No valid result is dropped. A sender that sets
         *     `partial` learns from `again` which results to send again, and can go on with others in the meantime.
         */
        post: operations["uploadResults"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report how this monitor is doing
         * @description Replaces the snapshot that the server shows for the calling monitor. The caller is known by its key; no id is
         *     taken from the body. The body may hold at most 16 KiB.
         */
        post: operations["reportStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description A target and the rule that decides whether it is healthy. The scheme of `url` selects the kind: `http` and
         *     `https` fetch it (userinfo is sent as basic auth), `tcp://host:port` connects, `tls://host:port` does a bare TLS
         *     handshake.
         *
         *     A check whose content is empty, `url` included, and which is not `deleted`, has a private definition: it is in a
         *     file on the agent's machine.
         */
        Check: {
            /**
             * @description Identifies the check everywhere. Compare it as text.
             * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
             */
            guid: string;
            /** @description What people call it. Empty on a tombstone. */
            name: string;
            /**
             * @description The target. Empty for a private definition and on a tombstone.
             * @example https://shop.example.com/health
             */
            url: string;
            /** @description False means that the check is paused; do not run it. */
            enabled: boolean;
            /** @description True means stop running it: the check was deleted, or is no longer assigned to this monitor. Its content is blank then. */
            deleted: boolean;
            /**
             * Format: int32
             * @description Seconds between two runs of the check, counted over all its monitors together. With `monitor_count` above 1 this monitor runs it each `interval_sec` x `monitor_count` seconds, offset by its `monitor_rank`: the section Turns says exactly when.
             */
            interval_sec: number;
            /**
             * Format: int32
             * @description How many monitors are active on the check (assigned, enabled, not disabled by the platform), as of this answer. 0, 1 or absent: this monitor runs each turn.
             */
            monitor_count?: number;
            /**
             * Format: int32
             * @description This monitor's position among the active ones, from 0, in byte order of their ids. It runs the slots for which slot mod `monitor_count` is this: see Turns.
             */
            monitor_rank?: number;
            /**
             * Format: int32
             * @description Bounds one run, in seconds. 0 or absent means 10.
             */
            timeout_sec?: number;
            /** @description Judge the first answer of an http or https target as it is, without following redirects. */
            disable_redirects?: boolean;
            /** @description Do not verify the certificate. Has a meaning for https and tls only. */
            insecure_skip_verify?: boolean;
            /** @description Further request headers for http and https, at most 10. */
            headers?: {
                [key: string]: string;
            };
            /** @description When not empty, the request is a POST with this body. */
            post_data?: string;
            /** @description What to look for in the body (http, https), in the banner sent on connect (tcp) or in a line about the certificate (tls), `subject=...; san=...; issuer=...; not_after=...`. Empty asserts nothing. */
            match_string: string;
            /** @description How to look. Absent means `contains`. The regular expressions are RE2, and case-sensitive. */
            match_mode?: string;
            /** @description Replaces the rule that a status of 400 or above fails: the run passes when the status stands in this relation to `status_code_value`. */
            status_code_op?: string;
            /**
             * Format: int32
             * @description What `status_code_op` compares with.
             */
            status_code_value?: number;
            /**
             * Format: int32
             * @description For https and tls: fail once the certificate has this many days or fewer left; exactly this many fails. 0 or absent: no rule.
             */
            cert_expiry_warn_days?: number;
            /**
             * Format: int32
             * @description Fail an answer that arrives later than this many milliseconds. 0 or absent means no rule.
             */
            max_response_time_ms?: number;
            /** @description Flip the verdict after every other rule, for every scheme. */
            invert_result?: boolean;
            /**
             * Format: int32
             * @description How many characters of `error` and of `response_sample` a result may carry. 0 means send neither.
             */
            result_detail_max_chars: number;
            /**
             * Format: int32
             * @description How often to run the check again after a failure before the failure counts. 0 or absent: the first failure is the result. See Retries.
             */
            retry_count?: number;
            /**
             * Format: int32
             * @description Seconds from the end of a failed run to its retry. 0 or absent means 5.
             */
            retry_interval_sec?: number;
            /**
             * Format: int32
             * @description How many failures in a row make the check down; the name is historical, and the unit is not seconds. Concerns the server's alerting. Monitors ignore it.
             */
            down_interval_sec?: number;
            /**
             * Format: int32
             * @description Concerns the server's alerting. Monitors ignore it.
             */
            resend_interval_sec?: number;
            /**
             * Format: date-time
             * @description When this monitor's view of the check last changed. Fixed width, so that text order is time order.
             * @example 2026-11-20T10:00:00.123456Z
             */
            updated_at: string;
        };
        /** @description What changed for this monitor. */
        ChecksResponse: {
            /** @description Changed checks, oldest change first. */
            checks: components["schemas"]["Check"][];
            /**
             * Format: date-time
             * @description Use it as the next `since`, and for nothing else. It counts changes: while one is being written it stands still, and it never goes back, whatever the server's clock does.
             * @example 2026-11-20T10:00:00.123456Z
             */
            server_time: string;
            /**
             * Format: date-time
             * @description The time at the server, read while it answered. Monitors set their clocks by it: slots are counted and results are dated on this time. It is absent while the server doubts its own clock, and from servers that do not know the field. A monitor that has had it before keeps the time it has until `now` comes again.
             * @example 2026-11-20T10:00:00.123456Z
             */
            now?: string;
            /**
             * @description `private` belongs to one organisation; `shared` to the fleet that runs checks of many. An agent that is told `shared` dials no address that is not public, whatever it was started with, also after a redirect and after a restart. Absent from servers that do not know the field: an agent keeps what it was told last.
             * @example shared
             */
            class?: string;
            /** @description Runs that a person asked this monitor for, each told once. Do each of them once and at once, and report it in `runs` of `POST /results`. Agents that do not know the field ignore it. Absent when nothing was asked for. */
            runs?: components["schemas"]["RunRequest"][];
            /**
             * Format: int32
             * @description For so many seconds at most the server holds a `GET /ping` that asks for it with `wait_sec`, and answers it early when a sync would contain a run or a change. Absent from servers that hold none.
             * @example 25
             */
            wait_sec?: number;
        };
        /**
         * @description A run that a person waits for, out of turn. It has either `check_guid` or `check`; an agent does not do one that has
         *     neither.
         */
        RunRequest: {
            /**
             * @description What its report names.
             * @example 4c0f1f36-5d0e-4f61-9f0f-6a5f3c1b2a77
             */
            id: string;
            /**
             * @description A check of this monitor. Its result is uploaded like that of any other run, with a `ran_at` of its own. When the check is being run already, that run is the one that was asked for.
             * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
             */
            check_guid?: string;
            /** @description A definition that somebody tries before it is saved. There is no check of its `guid`: it has no result, and nothing of it is kept after the report. */
            check?: components["schemas"]["Check"];
        };
        /**
         * @description The outcome of a requested run. Of a private definition it has nothing but `id`, `success`, `kind`,
         *     `http_status` and `latency_ms`.
         */
        RunReport: {
            /** @description That of the `RunRequest`. */
            id: string;
            /** @description The verdict. Absent when there is none, and `not_run` says why. */
            success?: boolean;
            /** @description Why there is no verdict. `unknown_check`: the monitor does not run this check, or has no definition of it. `no_verdict`: the monitor's own network or machine was in trouble. `busy`: it has too much to do. */
            not_run?: string;
            /**
             * Format: date-time
             * @description When the run began.
             */
            ran_at?: string;
            /** @description `ok`, the rule that failed, or the kind of error: `status`, `match`, `cert_expiry`, `slow`, `inverted`, `config`, `dns`, `refused`, `timeout`, `unreachable`, `reset`, `tls`, `http`, `redirect`, `blocked`. */
            kind?: string;
            /** @description Why it failed, in a line. */
            error?: string;
            /**
             * Format: int32
             * @description The status of the last http answer; 0 when there was none.
             */
            http_status?: number;
            /**
             * Format: int32
             * @description How long the target took, in milliseconds.
             */
            latency_ms?: number;
            /** @description Milliseconds of each part of the run, summed over redirects. A part that it did not come to is absent. */
            phases?: {
                dns?: number;
                connect?: number;
                tls?: number;
                first_byte?: number;
                body?: number;
            };
            /** @description The address that was dialled last. */
            address?: string;
            /**
             * Format: int32
             * @description How many whole days the certificate that ends first has left; negative when it has ended. Absent when none was presented.
             */
            certificate_days?: number;
            /** @description Where the target redirected to, in order, without user, password, query and fragment. Absent when it did not. */
            redirects?: string[];
            /** @description The first characters of what the target sent back, body or banner. Absent when the check's `result_detail_max_chars` is 0. */
            response_sample?: string;
        };
        /** @description The name and location of a monitor. */
        EnrollRequest: {
            /**
             * @description What people call the monitor. May be empty.
             * @example rack 4
             */
            name: string;
            /**
             * @description For example a continent or a cloud region. Not blank.
             * @example eu-central
             */
            region: string;
            /**
             * @description Not blank.
             * @example DE
             */
            country: string;
            /**
             * @description Not blank.
             * @example Frankfurt
             */
            city: string;
            /**
             * @description Left out or empty to enroll as a new monitor. Set to reclaim that monitor after it was reset.
             * @example 7k2m9x0c4v5b
             */
            id?: string;
        };
        /** @description The new identity. Store both parts before anything else. */
        EnrollResponse: {
            /**
             * @description The credential for every other operation. Returned this once; only a reset replaces it.
             * @example dogwatch_key_...
             */
            api_key: string;
            /**
             * @description Twelve characters of lower-case Crockford base32, unique over all organisations and the shared fleet.
             * @example 7k2m9x0c4v5b
             */
            monitor_id: string;
            /**
             * @description `private` belongs to one organisation; `shared` to the fleet that runs checks of many. An agent that is told `shared` dials no address that is not public, whatever it was started with, also after a redirect and after a restart. Absent from servers that do not know the field: an agent keeps what it was told last.
             * @example shared
             */
            class?: string;
        };
        /** @description What one run of one check found. */
        Result: {
            /** @description The check that was run. */
            check_guid: string;
            /** @description Ignored. The server stamps the caller's own id. */
            monitor_id: string;
            /**
             * Format: date-time
             * @description When the run began; after retries, when the last of them began. Digits past the microsecond are cut. A result that ran more than 400 days ago or more than 10 minutes ahead of the server's clock is dropped like one for a check that is not assigned.
             */
            ran_at: string;
            /** @description The verdict. */
            success: boolean;
            /**
             * Format: int32
             * @description How long the target took, in milliseconds.
             */
            latency_ms: number;
            /**
             * Format: int32
             * @description The status of the last http answer; 0 when there was none.
             */
            http_status: number;
            /** @description Why it failed; empty or absent on success. Cut to the check's `result_detail_max_chars`. */
            error?: string;
            /** @description The first characters of what the target sent back, body or banner. Cut to the check's `result_detail_max_chars`. */
            response_sample?: string;
            /** @description How `latency_ms` divides into the parts of the run, in whole milliseconds, each summed over redirects. A part that the run did not come to is absent. Together they are `latency_ms`, except for a few milliseconds of rounding. Values above 65535 are stored as 65535. */
            timings?: {
                /**
                 * Format: int32
                 * @description Looking up the name. Absent when the target is an address.
                 */
                dns_ms?: number;
                /**
                 * Format: int32
                 * @description Opening the TCP connection.
                 */
                connect_ms?: number;
                /**
                 * Format: int32
                 * @description The TLS handshake.
                 */
                tls_ms?: number;
                /**
                 * Format: int32
                 * @description From the open connection until the answer begins.
                 */
                first_byte_ms?: number;
                /**
                 * Format: int32
                 * @description From the beginning of the answer to its end, or to as much of it as is read.
                 */
                transfer_ms?: number;
            };
            /**
             * Format: date-time
             * @description For https and tls: when the first certificate ends of those by which the target is trusted, its own and those of its issuers (of the presented one alone where nothing is verified); over redirects, the first of all. Absent when none was presented. For a private definition it is cut to the day, so that nobody can look the certificate up by it.
             */
            cert_expires_at?: string;
            /**
             * Format: int32
             * @description How many runs failed before this one, which were repeated by `retry_count` of the check and are not reported themselves: see Retries. An agent that retries sends it with each result of a check that has a `retry_count`, 0 included; one that does not retry leaves it out.
             */
            retries?: number;
        };
        /** @description A batch of results. */
        ResultsRequest: {
            /** @description At most 500, in any order, of any number of checks. */
            results: components["schemas"]["Result"][];
            /**
             * Format: date-time
             * @description What the sender's own clock shows as it sends this request: the clock that `ran_at` comes from. The server measures by it how far that clock is off, and orders verdicts by the corrected times. `ran_at` is stored as it was sent, unless that clock is more than 400 days behind or 10 minutes ahead: then the corrected time is stored.
             */
            sent_at?: string;
            /**
             * Format: int64
             * @description How many results still wait at the sender after this batch. While it is above 0 the sender is catching up, and what it uploads late is judged when it has caught up. Leave it out when you do not know.
             */
            remaining?: number;
            /** @description True: the sender keeps the results that `again` of the answer names, and sends them again later. Without it, a batch of which a part cannot be stored for now is answered 503 or 429, although the rest of it is stored. */
            partial?: boolean;
            /** @description Reports of runs that `runs` of `ChecksResponse` asked for. Send one as soon as its run is over, with `results` empty if there is nothing else to upload. One that nobody waits for any more is dropped without an error. */
            runs?: components["schemas"]["RunReport"][];
        };
        /** @description What became of a batch. */
        ResultsResponse: {
            /**
             * Format: int32
             * @description How many of the results are for checks assigned to the caller and ran at a time that can be, repeats of stored ones included. The others were dropped. Do not send them again, except for those that `again` names.
             */
            accepted: number;
            /** @description Where in `results` those are, from 0 and upwards, that could not be stored for now and are not counted in `accepted`: send them again, after a pause that grows with each attempt up to a minute. Only in answers to requests with `partial`, and absent when there are none. */
            again?: number[];
        };
        /** @description An agent's own health. */
        MonitorStatus: {
            /**
             * @description The agent's version.
             * @example 1.4.0
             */
            version: string;
            /**
             * Format: int64
             * @description Seconds since the agent started.
             */
            uptime_sec: number;
            /**
             * Format: int64
             * @description Results that wait in the agent's buffer.
             */
            unsent_results: number;
            /**
             * Format: int64
             * @description How long the agent's last completed loss of its own connectivity lasted, in seconds.
             */
            last_outage_sec?: number;
            /**
             * Format: date-time
             * @description When that loss ended. Absent until one has ended since the agent started.
             */
            last_outage_ended_at?: string;
            /**
             * Format: date-time
             * @description What the agent's own clock shows as it sends this report, as in `ResultsRequest`.
             */
            sent_at?: string;
        };
        /** @description The request succeeded. */
        OKResponse: {
            /**
             * @description Always `ok`.
             * @example ok
             */
            status?: string;
            /** @description True when a sync would tell of a run that a person asked for. Only in the answer to a ping with `wait_sec`. */
            sync?: boolean;
        };
        /** @description One line of plain text, lower case, that says what is wrong. */
        ErrorLine: string;
    };
    responses: {
        /** @description The key is valid, but the monitor is disabled by its organisation or by the platform. */
        MonitorDisabled: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example this monitor is disabled */
                "text/plain": components["schemas"]["ErrorLine"];
            };
        };
        /** @description The request breaks the contract. The line names the field at fault and what it must be. Nothing was stored; sending the same request again gives the same answer. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example results[3].ran_at must be an RFC 3339 date-time */
                "text/plain": components["schemas"]["ErrorLine"];
            };
        };
        /** @description The credential is missing, malformed, unknown, revoked or expired. The cases look alike on purpose. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "WWW-Authenticate": components["headers"]["BearerChallenge"];
                [name: string]: unknown;
            };
            content: {
                /** @example missing, malformed or unknown credential */
                "text/plain": components["schemas"]["ErrorLine"];
            };
        };
        /** @description A rate limit is exceeded. Wait as long as `Retry-After` says; nothing was done. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /** @example rate limit exceeded */
                "text/plain": components["schemas"]["ErrorLine"];
            };
        };
        /** @description The server failed. The cause is in its log under the `X-Request-Id` of this answer. */
        InternalServerError: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example internal server error */
                "text/plain": components["schemas"]["ErrorLine"];
            };
        };
        /** @description The server has more work than it can take. Wait as long as `Retry-After` says; nothing was done. */
        Overloaded: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /** @example overloaded; try again later */
                "text/plain": components["schemas"]["ErrorLine"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Names this request in the server's log. Quote it when you ask for help.
         * @example r-5f0c1c2b7d3e4a90
         */
        RequestId: string;
        /**
         * @description Always `Bearer`.
         * @example Bearer
         */
        BearerChallenge: string;
        /**
         * @description Whole seconds to wait before the next attempt, at least 1.
         * @example 3
         */
        RetryAfter: number;
    };
    pathItems: never;
}
export type Check = components['schemas']['Check'];
export type ChecksResponse = components['schemas']['ChecksResponse'];
export type RunRequest = components['schemas']['RunRequest'];
export type RunReport = components['schemas']['RunReport'];
export type EnrollRequest = components['schemas']['EnrollRequest'];
export type EnrollResponse = components['schemas']['EnrollResponse'];
export type Result = components['schemas']['Result'];
export type ResultsRequest = components['schemas']['ResultsRequest'];
export type ResultsResponse = components['schemas']['ResultsResponse'];
export type MonitorStatus = components['schemas']['MonitorStatus'];
export type OkResponse = components['schemas']['OKResponse'];
export type ErrorLine = components['schemas']['ErrorLine'];
export type ResponseMonitorDisabled = components['responses']['MonitorDisabled'];
export type ResponseBadRequest = components['responses']['BadRequest'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseInternalServerError = components['responses']['InternalServerError'];
export type ResponseOverloaded = components['responses']['Overloaded'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderBearerChallenge = components['headers']['BearerChallenge'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type $defs = Record<string, never>;
export interface operations {
    syncChecks: {
        parameters: {
            query?: {
                /**
                 * @description `server_time` of an earlier answer. Left out: the Unix epoch.
                 * @example 2026-11-20T10:00:00.123456Z
                 */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes since then, and the time to ask from next. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChecksResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["MonitorDisabled"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    enroll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnrollRequest"];
            };
        };
        responses: {
            /** @description Enrolled. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrollResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description `id` was sent, and the token's organisation has no monitor of that id. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example no monitor with that id */
                    "text/plain": components["schemas"]["ErrorLine"];
                };
            };
            /**
             * @description `id` was sent, and that monitor is enrolled: it must be reset first. Or no `id` was sent, and the organisation has as
             *     many monitors as it may have: one must be retired first.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example this monitor is already enrolled */
                    "text/plain": components["schemas"]["ErrorLine"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    ping: {
        parameters: {
            query?: {
                /**
                 * @description For how many seconds the answer may be held back. Left out, or 0, it comes at once.
                 * @example 25
                 */
                wait_sec?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Seen. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OKResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["MonitorDisabled"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    uploadResults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResultsRequest"];
            };
        };
        responses: {
            /** @description Stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["MonitorDisabled"];
            /** @description The body exceeds 1 MiB, decompressed. Send the results in smaller batches. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the body must hold at most 1048576 bytes */
                    "text/plain": components["schemas"]["ErrorLine"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    reportStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MonitorStatus"];
            };
        };
        responses: {
            /** @description Noted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OKResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["MonitorDisabled"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
}
