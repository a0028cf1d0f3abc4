// Generated from openapi/monitor.yaml by `npm run generate`. Do not edit.
import { resolved } from './resolved.ts'

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

/** The security scheme of each operation. */
export interface security {
    syncChecks: "monitorKey";
    enroll: "enrollmentToken";
    ping: "monitorKey";
    uploadResults: "monitorKey";
    reportStatus: "monitorKey";
}

/** The document itself, references resolved. */
export const document: Readonly<Record<string, unknown>> = resolved({
  "openapi": "3.0.3",
  "info": {
    "title": "Dogwatch monitor API",
    "version": "3.0.0",
    "license": {
      "name": "MIT",
      "url": "https://opensource.org/license/mit"
    },
    "description": "The contract between the Dogwatch server and its monitors: the agents that run checks.\n\n**Errors are `text/plain`**, one line each, never JSON. Do not parse an answer of 400 or above as JSON.\n\nA monitor enrolls once, then for as long as it lives pulls its checks as a delta, runs them, uploads results\nand reports how it is doing. Every operation but `enroll` takes the monitor API key that `enroll` returned.\n\nTimestamps leave the server as UTC with exactly six fractional digits (`2026-11-20T10:00:00.123456Z`), so that\nlexical order is chronological order. The server takes any RFC 3339 date-time.\n\nWithin version 1 of the path, changes are additive: fields may appear, so ignore the ones you do not know.\n\n# Turns\n\nThe monitors of a check take turns without communicating, because they all count the same slots, on the server's time\n(`now` of `ChecksResponse`, carried on by a clock that nobody sets). With `interval_sec` = I:\n\n- phase = (the first 4 bytes of SHA-256(`guid`), as a big-endian number) / 2^32 x I, in seconds and fractions of them;\n  `guid` is hashed as its UTF-8 text, to the letter.\n- slot = floor((t - phase) / I), where t is the time in seconds since the Unix epoch, fractions included.\n- A monitor runs the check at the beginning of each slot for which slot mod `monitor_count` = `monitor_rank`. With a\n  `monitor_count` of 0 or 1, or none, that is every slot.\n\nMissed slots are not made up. When rank, count or interval change, the next run is that of the new turn. When rank or count\nchange, an agent may also run a slot late that has become its own and began after `updated_at` or shortly before it, up to 5 s\nor half of the interval ago, because the monitor whose slot it was may have left. An\nagent with a phase of its own still runs often enough, but not between the others: beside them it may run at 0.5 s and\n59.5 s of a minute instead of each 30 s.\n\n`x-turns` at the end of this document has test vectors: at the time `at`, the slot that is on, and whether it is this\nmonitor's. They include the last millisecond before a slot and the first one of it.\n\n# Retries\n\nA monitor that finds a failure of a check with a `retry_count` runs the check again before the failure counts:\n`retry_interval_sec` after the failed run ended, until a run succeeds or `retry_count` retries have failed.\n\n- Only the last of these runs is reported: one result, with its own `ran_at`, and `retries` says how many runs failed\n  before it.\n- A retry that could last until the monitor's next turn (by `timeout_sec`) is not begun. The failure is reported then,\n  and so it is when the agent ends in the meantime. A retry that says nothing about the target, for example because the\n  agent was offline, leaves the failure before it to be reported.\n- A run that somebody asked for (`runs` of `ChecksResponse`) is reported as it is, without retries. If it runs while a retry is waiting,\n  it replaces the retry.\n- With `invert_result`, the failure that is repeated is that of the flipped verdict. A definition that cannot be run is\n  not run again.\n\nAn agent that does not know these fields reports each failure at once, as if there were none.\n\n# Edits\n\nAn agent may run a check once out of turn when its definition was edited. Of several monitors, the one whose slot follows\n`updated_at` does this. The run must not cost the check a slot.\n"
  },
  "servers": [
    {
      "url": "/monitor-api/v1",
      "description": "Relative to the base URL of the server."
    }
  ],
  "tags": [
    {
      "name": "enrollment",
      "description": "How an agent becomes a monitor."
    },
    {
      "name": "checks",
      "description": "What a monitor runs."
    },
    {
      "name": "reports",
      "description": "Reports from a monitor."
    }
  ],
  "paths": {
    "/checks": {
      "get": {
        "operationId": "syncChecks",
        "summary": "Pull what changed in this monitor's set of checks",
        "description": "Returns every check of this monitor whose `updated_at` is strictly after `since`, including checks that were deleted or unassigned\n(`deleted: true`). Keep `server_time` of the answer, not your own clock, as the\nnext `since`. Omit `since` to get the whole set. Do so from time to time, and replace your copy.\n\n`server_time` is only the cursor. It may stand still for minutes while a change is being written, and it may\nbe behind or ahead of the time. Set your clock by `now`.\n\nA change of the set of active monitors changes `monitor_rank` and `monitor_count` of the others, so it too\nmoves `updated_at`.\n",
        "tags": [
          "checks"
        ],
        "security": [
          {
            "monitorKey": []
          }
        ],
        "parameters": [
          {
            "name": "since",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "`server_time` of an earlier answer. Left out: the Unix epoch.",
            "schema": {
              "type": "string",
              "format": "date-time"
            },
            "example": "2026-11-20T10:00:00.123456Z"
          }
        ],
        "responses": {
          "200": {
            "description": "The changes since then, and the time to ask from next.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ChecksResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/MonitorDisabled"
          },
          "429": {
            "$ref": "#/components/responses/TooManyRequests"
          },
          "500": {
            "$ref": "#/components/responses/InternalServerError"
          },
          "503": {
            "$ref": "#/components/responses/Overloaded"
          }
        }
      }
    },
    "/enroll": {
      "post": {
        "operationId": "enroll",
        "summary": "Become a monitor, or take an old monitor's place again",
        "description": "The token alone decides which organisation, or the shared fleet, the monitor joins. Without `id` a new monitor\nis made. With `id` a monitor of that organisation is reclaimed, which works only after an operator has reset it;\nits name and place are replaced by those sent.\n\nThe API key is in this answer and nowhere else. **Do not repeat an enrollment whose answer was lost**: it would\nmake a second monitor. Ask for a reset instead, then reclaim.\n\nThe body may hold at most 16 KiB.\n",
        "tags": [
          "enrollment"
        ],
        "security": [
          {
            "enrollmentToken": []
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/EnrollRequest"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Enrolled.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/EnrollResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "404": {
            "description": "`id` was sent, and the token's organisation has no monitor of that id.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "text/plain": {
                "schema": {
                  "$ref": "#/components/schemas/ErrorLine"
                },
                "example": "no monitor with that id"
              }
            }
          },
          "409": {
            "description": "`id` was sent, and that monitor is enrolled: it must be reset first. Or no `id` was sent, and the organisation has as\nmany monitors as it may have: one must be retired first.\n",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "text/plain": {
                "schema": {
                  "$ref": "#/components/schemas/ErrorLine"
                },
                "example": "this monitor is already enrolled"
              }
            }
          },
          "429": {
            "$ref": "#/components/responses/TooManyRequests"
          },
          "500": {
            "$ref": "#/components/responses/InternalServerError"
          },
          "503": {
            "$ref": "#/components/responses/Overloaded"
          }
        }
      }
    },
    "/ping": {
      "get": {
        "operationId": "ping",
        "summary": "Say that this monitor is alive",
        "description": "Like every authenticated request, it updates the monitor's `last_seen_at`. It has no other effect.\n\nWith `wait_sec` the server answers when that time is over, or as soon as a sync would contain a run that a person\nasked for, or a change: then `sync` is true, and the next sync is due at once. A monitor has one such request open; another one\nends it. Send `wait_sec` only where `wait_sec` of `ChecksResponse` says that the server holds requests, and for no longer.\n\nThe server also holds such a request of a monitor that is disabled. It answers 403 when the time is over, and 200 with\n`sync` as soon as the monitor is enabled.\n",
        "tags": [
          "reports"
        ],
        "security": [
          {
            "monitorKey": []
          }
        ],
        "parameters": [
          {
            "name": "wait_sec",
            "in": "query",
            "required": false,
            "description": "For how many seconds the answer may be held back. Left out, or 0, it comes at once.",
            "schema": {
              "type": "integer",
              "format": "int32",
              "minimum": 0,
              "maximum": 60
            },
            "example": 25
          }
        ],
        "responses": {
          "200": {
            "description": "Seen.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OKResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/MonitorDisabled"
          },
          "429": {
            "$ref": "#/components/responses/TooManyRequests"
          },
          "500": {
            "$ref": "#/components/responses/InternalServerError"
          },
          "503": {
            "$ref": "#/components/responses/Overloaded"
          }
        }
      }
    },
    "/results": {
      "post": {
        "operationId": "uploadResults",
        "summary": "Upload results of runs",
        "description": "Takes at most 500 results and 1 MiB a call; call repeatedly for more. Storing is idempotent: a check has one result\nfor each `ran_at` and monitor, the first one stored stays, and the same batch gets the same answer twice. So a\nbatch whose answer was lost can be sent again as it is.\n\nThe body may be sent with `Content-Encoding: gzip`; the limit applies to the decompressed size.\n\nA result for a check that is not assigned to the caller is dropped without an error and not counted, and so is one\nwhose `ran_at` is more than 400 days behind or 10 minutes ahead of the server's clock, unless `sent_at` shows that the sender's clock is. One result\nthat breaks the schema fails its whole batch with a 400 that names its index, and nothing of it is stored.\n\nA server may be unable to store the results of some organisations for a while. It then stores the others, and\nanswers 503 for the whole batch, which is to be sent again. Likewise it stores at a generous multiple of the rate that the\nchecks of an organisation can produce, and answers 429 for a batch with more. No valid result is dropped. A sender that sets\n`partial` learns from `again` which results to send again, and can go on with others in the meantime.\n",
        "tags": [
          "reports"
        ],
        "security": [
          {
            "monitorKey": []
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ResultsRequest"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Stored.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ResultsResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/MonitorDisabled"
          },
          "413": {
            "description": "The body exceeds 1 MiB, decompressed. Send the results in smaller batches.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "text/plain": {
                "schema": {
                  "$ref": "#/components/schemas/ErrorLine"
                },
                "example": "the body must hold at most 1048576 bytes"
              }
            }
          },
          "429": {
            "$ref": "#/components/responses/TooManyRequests"
          },
          "500": {
            "$ref": "#/components/responses/InternalServerError"
          },
          "503": {
            "$ref": "#/components/responses/Overloaded"
          }
        }
      }
    },
    "/status": {
      "post": {
        "operationId": "reportStatus",
        "summary": "Report how this monitor is doing",
        "description": "Replaces the snapshot that the server shows for the calling monitor. The caller is known by its key; no id is\ntaken from the body. The body may hold at most 16 KiB.\n",
        "tags": [
          "reports"
        ],
        "security": [
          {
            "monitorKey": []
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/MonitorStatus"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Noted.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/OKResponse"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/MonitorDisabled"
          },
          "429": {
            "$ref": "#/components/responses/TooManyRequests"
          },
          "500": {
            "$ref": "#/components/responses/InternalServerError"
          },
          "503": {
            "$ref": "#/components/responses/Overloaded"
          }
        }
      }
    }
  },
  "components": {
    "securitySchemes": {
      "monitorKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "The API key that `enroll` returned, `dogwatch_key_...`. The agent keeps it together with its monitor id."
      },
      "enrollmentToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token that lets monitors in, `dogwatch_enroll_...`: an organisation's (valid 24 hours, reusable, revocable) or the shared fleet's (valid one hour)."
      }
    },
    "responses": {
      "MonitorDisabled": {
        "description": "The key is valid, but the monitor is disabled by its organisation or by the platform.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        },
        "content": {
          "text/plain": {
            "schema": {
              "$ref": "#/components/schemas/ErrorLine"
            },
            "example": "this monitor is disabled"
          }
        }
      },
      "BadRequest": {
        "description": "The request breaks the contract. The line names the field at fault and what it must be. Nothing was stored; sending the same request again gives the same answer.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        },
        "content": {
          "text/plain": {
            "schema": {
              "$ref": "#/components/schemas/ErrorLine"
            },
            "example": "results[3].ran_at must be an RFC 3339 date-time"
          }
        }
      },
      "Unauthorized": {
        "description": "The credential is missing, malformed, unknown, revoked or expired. The cases look alike on purpose.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          },
          "WWW-Authenticate": {
            "$ref": "#/components/headers/BearerChallenge"
          }
        },
        "content": {
          "text/plain": {
            "schema": {
              "$ref": "#/components/schemas/ErrorLine"
            },
            "example": "missing, malformed or unknown credential"
          }
        }
      },
      "TooManyRequests": {
        "description": "A rate limit is exceeded. Wait as long as `Retry-After` says; nothing was done.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          },
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          }
        },
        "content": {
          "text/plain": {
            "schema": {
              "$ref": "#/components/schemas/ErrorLine"
            },
            "example": "rate limit exceeded"
          }
        }
      },
      "InternalServerError": {
        "description": "The server failed. The cause is in its log under the `X-Request-Id` of this answer.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          }
        },
        "content": {
          "text/plain": {
            "schema": {
              "$ref": "#/components/schemas/ErrorLine"
            },
            "example": "internal server error"
          }
        }
      },
      "Overloaded": {
        "description": "The server has more work than it can take. Wait as long as `Retry-After` says; nothing was done.",
        "headers": {
          "X-Request-Id": {
            "$ref": "#/components/headers/RequestId"
          },
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          }
        },
        "content": {
          "text/plain": {
            "schema": {
              "$ref": "#/components/schemas/ErrorLine"
            },
            "example": "overloaded; try again later"
          }
        }
      }
    },
    "schemas": {
      "Check": {
        "description": "A target and the rule that decides whether it is healthy. The scheme of `url` selects the kind: `http` and\n`https` fetch it (userinfo is sent as basic auth), `tcp://host:port` connects, `tls://host:port` does a bare TLS\nhandshake.\n\nA check whose content is empty, `url` included, and which is not `deleted`, has a private definition: it is in a\nfile on the agent's machine.\n",
        "type": "object",
        "required": [
          "guid",
          "name",
          "url",
          "enabled",
          "deleted",
          "interval_sec",
          "match_string",
          "result_detail_max_chars",
          "updated_at"
        ],
        "properties": {
          "guid": {
            "description": "Identifies the check everywhere. Compare it as text.",
            "type": "string",
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          },
          "name": {
            "description": "What people call it. Empty on a tombstone.",
            "type": "string"
          },
          "url": {
            "description": "The target. Empty for a private definition and on a tombstone.",
            "type": "string",
            "example": "https://shop.example.com/health"
          },
          "enabled": {
            "description": "False means that the check is paused; do not run it.",
            "type": "boolean"
          },
          "deleted": {
            "description": "True means stop running it: the check was deleted, or is no longer assigned to this monitor. Its content is blank then.",
            "type": "boolean"
          },
          "interval_sec": {
            "description": "Seconds between two runs of the check, counted over all its monitors together. With `monitor_count` above 1 this monitor runs it each `interval_sec` x `monitor_count` seconds, offset by its `monitor_rank`: the section Turns says exactly when.",
            "type": "integer",
            "format": "int32",
            "minimum": 1
          },
          "monitor_count": {
            "description": "How many monitors are active on the check (assigned, enabled, not disabled by the platform), as of this answer. 0, 1 or absent: this monitor runs each turn.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "monitor_rank": {
            "description": "This monitor's position among the active ones, from 0, in byte order of their ids. It runs the slots for which slot mod `monitor_count` is this: see Turns.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "timeout_sec": {
            "description": "Bounds one run, in seconds. 0 or absent means 10.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 60
          },
          "disable_redirects": {
            "description": "Judge the first answer of an http or https target as it is, without following redirects.",
            "type": "boolean"
          },
          "insecure_skip_verify": {
            "description": "Do not verify the certificate. Has a meaning for https and tls only.",
            "type": "boolean"
          },
          "headers": {
            "description": "Further request headers for http and https, at most 10.",
            "type": "object",
            "maxProperties": 10,
            "additionalProperties": {
              "type": "string"
            }
          },
          "post_data": {
            "description": "When not empty, the request is a POST with this body.",
            "type": "string"
          },
          "match_string": {
            "description": "What to look for in the body (http, https), in the banner sent on connect (tcp) or in a line about the certificate (tls), `subject=...; san=...; issuer=...; not_after=...`. Empty asserts nothing.",
            "type": "string"
          },
          "match_mode": {
            "description": "How to look. Absent means `contains`. The regular expressions are RE2, and case-sensitive.",
            "type": "string",
            "x-extensible-enum": [
              "contains",
              "not_contains",
              "regex",
              "not_regex"
            ]
          },
          "status_code_op": {
            "description": "Replaces the rule that a status of 400 or above fails: the run passes when the status stands in this relation to `status_code_value`.",
            "type": "string",
            "x-extensible-enum": [
              "eq",
              "ne",
              "lt",
              "lte",
              "gt",
              "gte"
            ]
          },
          "status_code_value": {
            "description": "What `status_code_op` compares with.",
            "type": "integer",
            "format": "int32",
            "minimum": 100,
            "maximum": 599
          },
          "cert_expiry_warn_days": {
            "description": "For https and tls: fail once the certificate has this many days or fewer left; exactly this many fails. 0 or absent: no rule.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "max_response_time_ms": {
            "description": "Fail an answer that arrives later than this many milliseconds. 0 or absent means no rule.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "invert_result": {
            "description": "Flip the verdict after every other rule, for every scheme.",
            "type": "boolean"
          },
          "result_detail_max_chars": {
            "description": "How many characters of `error` and of `response_sample` a result may carry. 0 means send neither.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "retry_count": {
            "description": "How often to run the check again after a failure before the failure counts. 0 or absent: the first failure is the result. See Retries.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "retry_interval_sec": {
            "description": "Seconds from the end of a failed run to its retry. 0 or absent means 5.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "down_interval_sec": {
            "description": "How many failures in a row make the check down; the name is historical, and the unit is not seconds. Concerns the server's alerting. Monitors ignore it.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "resend_interval_sec": {
            "description": "Concerns the server's alerting. Monitors ignore it.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "updated_at": {
            "description": "When this monitor's view of the check last changed. Fixed width, so that text order is time order.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          }
        }
      },
      "ChecksResponse": {
        "description": "What changed for this monitor.",
        "type": "object",
        "required": [
          "checks",
          "server_time"
        ],
        "properties": {
          "checks": {
            "description": "Changed checks, oldest change first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Check"
            }
          },
          "server_time": {
            "description": "Use it as the next `since`, and for nothing else. It counts changes: while one is being written it stands still, and it never goes back, whatever the server's clock does.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          },
          "now": {
            "description": "The time at the server, read while it answered. Monitors set their clocks by it: slots are counted and results are dated on this time. It is absent while the server doubts its own clock, and from servers that do not know the field. A monitor that has had it before keeps the time it has until `now` comes again.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          },
          "class": {
            "description": "`private` belongs to one organisation; `shared` to the fleet that runs checks of many. An agent that is told `shared` dials no address that is not public, whatever it was started with, also after a redirect and after a restart. Absent from servers that do not know the field: an agent keeps what it was told last.",
            "type": "string",
            "x-extensible-enum": [
              "private",
              "shared"
            ],
            "example": "shared"
          },
          "runs": {
            "description": "Runs that a person asked this monitor for, each told once. Do each of them once and at once, and report it in `runs` of `POST /results`. Agents that do not know the field ignore it. Absent when nothing was asked for.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/RunRequest"
            }
          },
          "wait_sec": {
            "description": "For so many seconds at most the server holds a `GET /ping` that asks for it with `wait_sec`, and answers it early when a sync would contain a run or a change. Absent from servers that hold none.",
            "type": "integer",
            "format": "int32",
            "minimum": 1,
            "example": 25
          }
        }
      },
      "RunRequest": {
        "description": "A run that a person waits for, out of turn. It has either `check_guid` or `check`; an agent does not do one that has\nneither.\n",
        "type": "object",
        "required": [
          "id"
        ],
        "properties": {
          "id": {
            "description": "What its report names.",
            "type": "string",
            "example": "4c0f1f36-5d0e-4f61-9f0f-6a5f3c1b2a77"
          },
          "check_guid": {
            "description": "A check of this monitor. Its result is uploaded like that of any other run, with a `ran_at` of its own. When the check is being run already, that run is the one that was asked for.",
            "type": "string",
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          },
          "check": {
            "description": "A definition that somebody tries before it is saved. There is no check of its `guid`: it has no result, and nothing of it is kept after the report.",
            "allOf": [
              {
                "$ref": "#/components/schemas/Check"
              }
            ]
          }
        }
      },
      "RunReport": {
        "description": "The outcome of a requested run. Of a private definition it has nothing but `id`, `success`, `kind`,\n`http_status` and `latency_ms`.\n",
        "type": "object",
        "required": [
          "id"
        ],
        "properties": {
          "id": {
            "description": "That of the `RunRequest`.",
            "type": "string"
          },
          "success": {
            "description": "The verdict. Absent when there is none, and `not_run` says why.",
            "type": "boolean"
          },
          "not_run": {
            "description": "Why there is no verdict. `unknown_check`: the monitor does not run this check, or has no definition of it. `no_verdict`: the monitor's own network or machine was in trouble. `busy`: it has too much to do.",
            "type": "string",
            "maxLength": 200,
            "x-extensible-enum": [
              "unknown_check",
              "no_verdict",
              "busy"
            ]
          },
          "ran_at": {
            "description": "When the run began.",
            "type": "string",
            "format": "date-time"
          },
          "kind": {
            "description": "`ok`, the rule that failed, or the kind of error: `status`, `match`, `cert_expiry`, `slow`, `inverted`, `config`, `dns`, `refused`, `timeout`, `unreachable`, `reset`, `tls`, `http`, `redirect`, `blocked`.",
            "type": "string",
            "maxLength": 200
          },
          "error": {
            "description": "Why it failed, in a line.",
            "type": "string",
            "maxLength": 2048
          },
          "http_status": {
            "description": "The status of the last http answer; 0 when there was none.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 999
          },
          "latency_ms": {
            "description": "How long the target took, in milliseconds.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "phases": {
            "description": "Milliseconds of each part of the run, summed over redirects. A part that it did not come to is absent.",
            "type": "object",
            "properties": {
              "dns": {
                "type": "number",
                "minimum": 0
              },
              "connect": {
                "type": "number",
                "minimum": 0
              },
              "tls": {
                "type": "number",
                "minimum": 0
              },
              "first_byte": {
                "type": "number",
                "minimum": 0
              },
              "body": {
                "type": "number",
                "minimum": 0
              }
            }
          },
          "address": {
            "description": "The address that was dialled last.",
            "type": "string",
            "maxLength": 100
          },
          "certificate_days": {
            "description": "How many whole days the certificate that ends first has left; negative when it has ended. Absent when none was presented.",
            "type": "integer",
            "format": "int32",
            "minimum": -2147483648
          },
          "redirects": {
            "description": "Where the target redirected to, in order, without user, password, query and fragment. Absent when it did not.",
            "type": "array",
            "maxItems": 10,
            "items": {
              "type": "string",
              "maxLength": 2048
            }
          },
          "response_sample": {
            "description": "The first characters of what the target sent back, body or banner. Absent when the check's `result_detail_max_chars` is 0.",
            "type": "string",
            "maxLength": 2048
          }
        }
      },
      "EnrollRequest": {
        "description": "The name and location of a monitor.",
        "type": "object",
        "required": [
          "name",
          "region",
          "country",
          "city"
        ],
        "properties": {
          "name": {
            "description": "What people call the monitor. May be empty.",
            "type": "string",
            "maxLength": 200,
            "example": "rack 4"
          },
          "region": {
            "description": "For example a continent or a cloud region. Not blank.",
            "type": "string",
            "maxLength": 200,
            "pattern": "\\S",
            "example": "eu-central"
          },
          "country": {
            "description": "Not blank.",
            "type": "string",
            "maxLength": 200,
            "pattern": "\\S",
            "example": "DE"
          },
          "city": {
            "description": "Not blank.",
            "type": "string",
            "maxLength": 200,
            "pattern": "\\S",
            "example": "Frankfurt"
          },
          "id": {
            "description": "Left out or empty to enroll as a new monitor. Set to reclaim that monitor after it was reset.",
            "type": "string",
            "example": "7k2m9x0c4v5b"
          }
        }
      },
      "EnrollResponse": {
        "description": "The new identity. Store both parts before anything else.",
        "type": "object",
        "required": [
          "api_key",
          "monitor_id"
        ],
        "properties": {
          "api_key": {
            "description": "The credential for every other operation. Returned this once; only a reset replaces it.",
            "type": "string",
            "example": "dogwatch_key_..."
          },
          "monitor_id": {
            "description": "Twelve characters of lower-case Crockford base32, unique over all organisations and the shared fleet.",
            "type": "string",
            "minLength": 12,
            "maxLength": 12,
            "pattern": "^[0-9a-hjkmnp-tv-z]{12}$",
            "example": "7k2m9x0c4v5b"
          },
          "class": {
            "description": "`private` belongs to one organisation; `shared` to the fleet that runs checks of many. An agent that is told `shared` dials no address that is not public, whatever it was started with, also after a redirect and after a restart. Absent from servers that do not know the field: an agent keeps what it was told last.",
            "type": "string",
            "x-extensible-enum": [
              "private",
              "shared"
            ],
            "example": "shared"
          }
        }
      },
      "Result": {
        "description": "What one run of one check found.",
        "type": "object",
        "required": [
          "check_guid",
          "monitor_id",
          "ran_at",
          "success",
          "latency_ms",
          "http_status"
        ],
        "properties": {
          "check_guid": {
            "description": "The check that was run.",
            "type": "string"
          },
          "monitor_id": {
            "description": "Ignored. The server stamps the caller's own id.",
            "type": "string"
          },
          "ran_at": {
            "description": "When the run began; after retries, when the last of them began. Digits past the microsecond are cut. A result that ran more than 400 days ago or more than 10 minutes ahead of the server's clock is dropped like one for a check that is not assigned.",
            "type": "string",
            "format": "date-time"
          },
          "success": {
            "description": "The verdict.",
            "type": "boolean"
          },
          "latency_ms": {
            "description": "How long the target took, in milliseconds.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "http_status": {
            "description": "The status of the last http answer; 0 when there was none.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 999
          },
          "error": {
            "description": "Why it failed; empty or absent on success. Cut to the check's `result_detail_max_chars`.",
            "type": "string"
          },
          "response_sample": {
            "description": "The first characters of what the target sent back, body or banner. Cut to the check's `result_detail_max_chars`.",
            "type": "string"
          },
          "timings": {
            "description": "How `latency_ms` divides into the parts of the run, in whole milliseconds, each summed over redirects. A part that the run did not come to is absent. Together they are `latency_ms`, except for a few milliseconds of rounding. Values above 65535 are stored as 65535.",
            "type": "object",
            "properties": {
              "dns_ms": {
                "description": "Looking up the name. Absent when the target is an address.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "connect_ms": {
                "description": "Opening the TCP connection.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "tls_ms": {
                "description": "The TLS handshake.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "first_byte_ms": {
                "description": "From the open connection until the answer begins.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "transfer_ms": {
                "description": "From the beginning of the answer to its end, or to as much of it as is read.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              }
            }
          },
          "cert_expires_at": {
            "description": "For https and tls: when the first certificate ends of those by which the target is trusted, its own and those of its issuers (of the presented one alone where nothing is verified); over redirects, the first of all. Absent when none was presented. For a private definition it is cut to the day, so that nobody can look the certificate up by it.",
            "type": "string",
            "format": "date-time"
          },
          "retries": {
            "description": "How many runs failed before this one, which were repeated by `retry_count` of the check and are not reported themselves: see Retries. An agent that retries sends it with each result of a check that has a `retry_count`, 0 included; one that does not retry leaves it out.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          }
        }
      },
      "ResultsRequest": {
        "description": "A batch of results.",
        "type": "object",
        "required": [
          "results"
        ],
        "properties": {
          "results": {
            "description": "At most 500, in any order, of any number of checks.",
            "type": "array",
            "maxItems": 500,
            "items": {
              "$ref": "#/components/schemas/Result"
            }
          },
          "sent_at": {
            "description": "What the sender's own clock shows as it sends this request: the clock that `ran_at` comes from. The server measures by it how far that clock is off, and orders verdicts by the corrected times. `ran_at` is stored as it was sent, unless that clock is more than 400 days behind or 10 minutes ahead: then the corrected time is stored.",
            "type": "string",
            "format": "date-time"
          },
          "remaining": {
            "description": "How many results still wait at the sender after this batch. While it is above 0 the sender is catching up, and what it uploads late is judged when it has caught up. Leave it out when you do not know.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "partial": {
            "description": "True: the sender keeps the results that `again` of the answer names, and sends them again later. Without it, a batch of which a part cannot be stored for now is answered 503 or 429, although the rest of it is stored.",
            "type": "boolean"
          },
          "runs": {
            "description": "Reports of runs that `runs` of `ChecksResponse` asked for. Send one as soon as its run is over, with `results` empty if there is nothing else to upload. One that nobody waits for any more is dropped without an error.",
            "type": "array",
            "maxItems": 10,
            "items": {
              "$ref": "#/components/schemas/RunReport"
            }
          }
        }
      },
      "ResultsResponse": {
        "description": "What became of a batch.",
        "type": "object",
        "required": [
          "accepted"
        ],
        "properties": {
          "accepted": {
            "description": "How many of the results are for checks assigned to the caller and ran at a time that can be, repeats of stored ones included. The others were dropped. Do not send them again, except for those that `again` names.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "again": {
            "description": "Where in `results` those are, from 0 and upwards, that could not be stored for now and are not counted in `accepted`: send them again, after a pause that grows with each attempt up to a minute. Only in answers to requests with `partial`, and absent when there are none.",
            "type": "array",
            "maxItems": 500,
            "items": {
              "type": "integer",
              "format": "int32",
              "minimum": 0,
              "maximum": 499
            }
          }
        }
      },
      "MonitorStatus": {
        "description": "An agent's own health.",
        "type": "object",
        "required": [
          "version",
          "uptime_sec",
          "unsent_results"
        ],
        "properties": {
          "version": {
            "description": "The agent's version.",
            "type": "string",
            "maxLength": 200,
            "example": "1.4.0"
          },
          "uptime_sec": {
            "description": "Seconds since the agent started.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "unsent_results": {
            "description": "Results that wait in the agent's buffer.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "last_outage_sec": {
            "description": "How long the agent's last completed loss of its own connectivity lasted, in seconds.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "last_outage_ended_at": {
            "description": "When that loss ended. Absent until one has ended since the agent started.",
            "type": "string",
            "format": "date-time"
          },
          "sent_at": {
            "description": "What the agent's own clock shows as it sends this report, as in `ResultsRequest`.",
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "OKResponse": {
        "description": "The request succeeded.",
        "type": "object",
        "properties": {
          "status": {
            "description": "Always `ok`.",
            "type": "string",
            "example": "ok"
          },
          "sync": {
            "description": "True when a sync would tell of a run that a person asked for. Only in the answer to a ping with `wait_sec`.",
            "type": "boolean"
          }
        }
      },
      "ErrorLine": {
        "description": "One line of plain text, lower case, that says what is wrong.",
        "type": "string"
      }
    },
    "headers": {
      "RequestId": {
        "description": "Names this request in the server's log. Quote it when you ask for help.",
        "required": true,
        "schema": {
          "type": "string"
        },
        "example": "r-5f0c1c2b7d3e4a90"
      },
      "BearerChallenge": {
        "description": "Always `Bearer`.",
        "required": true,
        "schema": {
          "type": "string"
        },
        "example": "Bearer"
      },
      "RetryAfter": {
        "description": "Whole seconds to wait before the next attempt, at least 1.",
        "required": true,
        "schema": {
          "type": "integer",
          "minimum": 1
        },
        "example": 3
      }
    }
  },
  "x-turns": [
    {
      "guid": "abc",
      "interval_sec": 60,
      "phase_ms": 43703.695,
      "at": "2026-11-20T10:00:00.000Z",
      "slot": 29919479,
      "runs": true
    },
    {
      "guid": "abc",
      "interval_sec": 60,
      "monitor_count": 0,
      "phase_ms": 43703.695,
      "at": "2026-11-20T10:00:00.000Z",
      "slot": 29919479,
      "runs": true
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 60,
      "monitor_count": 1,
      "monitor_rank": 0,
      "phase_ms": 21001.927,
      "at": "2026-11-20T10:00:00.000Z",
      "slot": 29919479,
      "runs": true
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 60,
      "monitor_count": 2,
      "monitor_rank": 0,
      "phase_ms": 21001.927,
      "at": "2026-11-20T10:00:21.001Z",
      "slot": 29919479,
      "runs": false
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 60,
      "monitor_count": 2,
      "monitor_rank": 1,
      "phase_ms": 21001.927,
      "at": "2026-11-20T10:00:21.001Z",
      "slot": 29919479,
      "runs": true
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 60,
      "monitor_count": 2,
      "monitor_rank": 0,
      "phase_ms": 21001.927,
      "at": "2026-11-20T10:00:21.002Z",
      "slot": 29919480,
      "runs": true
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 60,
      "monitor_count": 2,
      "monitor_rank": 1,
      "phase_ms": 21001.927,
      "at": "2026-11-20T10:00:21.002Z",
      "slot": 29919480,
      "runs": false
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 60,
      "monitor_count": 2,
      "monitor_rank": 0,
      "phase_ms": 21001.927,
      "at": "2026-11-20T10:01:21.002Z",
      "slot": 29919481,
      "runs": false
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 60,
      "monitor_count": 2,
      "monitor_rank": 1,
      "phase_ms": 21001.927,
      "at": "2026-11-20T10:01:21.002Z",
      "slot": 29919481,
      "runs": true
    },
    {
      "guid": "0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80",
      "interval_sec": 30,
      "monitor_count": 3,
      "monitor_rank": 0,
      "phase_ms": 15679.364,
      "at": "2026-11-20T10:00:15.679Z",
      "slot": 59838959,
      "runs": false
    },
    {
      "guid": "0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80",
      "interval_sec": 30,
      "monitor_count": 3,
      "monitor_rank": 0,
      "phase_ms": 15679.364,
      "at": "2026-11-20T10:00:15.680Z",
      "slot": 59838960,
      "runs": true
    },
    {
      "guid": "0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80",
      "interval_sec": 30,
      "monitor_count": 3,
      "monitor_rank": 1,
      "phase_ms": 15679.364,
      "at": "2026-11-20T10:00:15.680Z",
      "slot": 59838960,
      "runs": false
    },
    {
      "guid": "0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80",
      "interval_sec": 30,
      "monitor_count": 3,
      "monitor_rank": 2,
      "phase_ms": 15679.364,
      "at": "2026-11-20T10:00:15.680Z",
      "slot": 59838960,
      "runs": false
    },
    {
      "guid": "0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80",
      "interval_sec": 30,
      "monitor_count": 3,
      "monitor_rank": 2,
      "phase_ms": 15679.364,
      "at": "2026-11-20T10:00:45.679Z",
      "slot": 59838960,
      "runs": false
    },
    {
      "guid": "0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80",
      "interval_sec": 30,
      "monitor_count": 3,
      "monitor_rank": 2,
      "phase_ms": 15679.364,
      "at": "2026-11-20T10:00:45.680Z",
      "slot": 59838961,
      "runs": false
    },
    {
      "guid": "0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80",
      "interval_sec": 30,
      "monitor_count": 3,
      "monitor_rank": 0,
      "phase_ms": 15679.364,
      "at": "2026-11-20T10:00:45.680Z",
      "slot": 59838961,
      "runs": false
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 300,
      "monitor_count": 2,
      "monitor_rank": 1,
      "phase_ms": 105009.635,
      "at": "2026-11-20T10:01:45.009Z",
      "slot": 5983895,
      "runs": true
    },
    {
      "guid": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",
      "interval_sec": 300,
      "monitor_count": 2,
      "monitor_rank": 1,
      "phase_ms": 105009.635,
      "at": "2026-11-20T10:01:45.010Z",
      "slot": 5983896,
      "runs": false
    },
    {
      "guid": "0b5a7c2e-9d41-4c36-8f27-3e1d5a6b7c80",
      "interval_sec": 86400,
      "monitor_count": 7,
      "monitor_rank": 3,
      "phase_ms": 45156569.231,
      "at": "2026-11-20T10:00:00.000Z",
      "slot": 20776,
      "runs": false
    }
  ]
});
