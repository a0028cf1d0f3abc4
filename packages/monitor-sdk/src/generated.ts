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
         * Get changes to the checks of this monitor
         * @description Returns every check of this monitor whose `updated_at` is strictly after `since`, including checks that were deleted
         *     or unassigned (`deleted: true`). Store `server_time` of the response, not the time of your own clock, and send it as
         *     the next `since`. To get all checks, omit `since`. Do this from time to time, and replace your stored checks.
         *
         *     `server_time` is only a cursor. It can stay the same for minutes while a change is being written, and it can be ahead
         *     of or behind the actual time. Set your clock by `now`.
         *
         *     If the set of active monitors of a check changes, the `monitor_rank` and `monitor_count` of the other monitors change
         *     too, so `updated_at` of the check also changes.
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
         * Enroll as a new monitor, or reclaim a monitor
         * @description Only the token decides which organisation the monitor joins, or whether it joins the shared fleet. Without `id`, the
         *     server creates a new monitor. With `id`, the agent reclaims an existing monitor of the organisation. This works only
         *     after the monitor has been reset. The name and location in the request replace those of the monitor.
         *
         *     The response is the only place that contains the API key. **Do not repeat an enrollment whose response was lost**,
         *     because this would create a second monitor. Instead, have the monitor reset, and then reclaim it.
         *
         *     The body can have at most 16 KiB.
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
         * Report that this monitor is online
         * @description Updates the monitor's `last_seen_at`, as every authenticated request does. It has no other effect.
         *
         *     With `wait_sec`, the server holds the request for up to this time. It responds early, with `sync` set to true, if a
         *     sync would contain a run on demand or a change. In this case, sync at once. A monitor can have one held request: a
         *     second one ends the first. Send `wait_sec` only if `ChecksResponse` contains `wait_sec`, and send no larger value.
         *
         *     The server also holds such a request from a disabled monitor. It responds with 403 after `wait_sec`, or with 200 and
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
         * @description Accepts at most 500 results and 1 MiB per request; send more results in further requests. Storing is idempotent: for
         *     each check, monitor and `ran_at`, the server keeps the first result that it stored, and a repeated batch gets the same
         *     response. If a response is lost, send the same batch again.
         *
         *     The body can have `Content-Encoding: gzip`. The size limit applies to the decompressed body.
         *
         *     The server drops some results without an error and does not count them: results for a check that is not assigned to
         *     the caller, and results whose `ran_at` is more than 400 days behind or 10 minutes ahead of the server's clock. A wrong
         *     `ran_at` is accepted if `sent_at` shows that the sender's clock is wrong. If a result breaks the schema, the server
         *     responds with a 400 that names the index of the result, and stores nothing of the batch.
         *
         *     Sometimes the server cannot store the results of some organisations for a while. It then stores the other results and
         *     responds with 503. It also limits how many results it stores per organisation, to a generous multiple of the number
         *     that the organisation's checks can produce. If a batch exceeds this limit, it responds with 429. In both cases, send
         *     the whole batch again: the server drops no valid result. A sender that sets `partial` learns from `again` which
         *     results to resend, and can send other results in the meantime.
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
         * Report the health of this monitor
         * @description Replaces the status that the server shows for the calling monitor. The API key identifies the monitor; the server
         *     ignores any id in the body. The body can have at most 16 KiB.
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
         * @description A target and the rules that decide whether the target is healthy. The scheme of `url` selects the kind of check:
         *     `http` and `https` fetch the URL, and send its userinfo as basic auth. `tcp://host:port` opens a connection.
         *     `tls://host:port` performs a bare TLS handshake. `dns://resolver/name` and `dns:///name` query a DNS record
         *     (RFC 4501). `icmp://host` sends echo requests, `udp://host:port` a datagram, and `ntp://host` asks for the time.
         *     `ws` and `wss` open a WebSocket, `grpc` and `grpcs` ask the health service, `mqtt` and `mqtts` connect to a
         *     broker, and `postgres` and `mysql` sign in to a database.
         *     `smtp`, `imap`, `pop3`, `ftp`, `ssh`, `redis` and `ldap` contact a server by its protocol, and `smtps`, `imaps`,
         *     `pop3s`, `ftps`, `rediss` and `ldaps` with TLS from the start. Their userinfo signs in. Options of a kind stand in
         *     the query of the URL, except for `http`, `https`, `ws` and `wss`. With the options `expect`, `send` and `starttls`,
         *     which can occur several times, `tcp` is a dialogue: the agent performs them in their order.
         *
         *     If all content fields, including `url`, are empty and `deleted` is false, the check has a private definition: its
         *     definition is in a file on the agent's machine.
         */
        Check: {
            /**
             * @description Identifier of the check. Compare it as text.
             * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
             */
            guid: string;
            /** @description Name of the check. Empty if `deleted` is true. */
            name: string;
            /**
             * @description Target of the check. Empty if the check has a private definition or `deleted` is true.
             * @example https://shop.example.com/health
             */
            url: string;
            /** @description False if the check is paused. Do not run a paused check. */
            enabled: boolean;
            /** @description True if the monitor must no longer run the check, because the check was deleted or unassigned, or needs an ability that the monitor does not have. All content fields are then empty. */
            deleted: boolean;
            /**
             * Format: int32
             * @description Number of seconds between two runs, over all monitors of the check together. If `monitor_count` is above 1, this monitor runs the check every `interval_sec` x `monitor_count` seconds, offset by its `monitor_rank`. The README of the monitor SDK defines the exact times under Turns, as does the start of this document.
             */
            interval_sec: number;
            /**
             * Format: int32
             * @description Number of active monitors of the check (assigned, enabled, not disabled by the platform, with all abilities that the check needs) at the time of this response. If 0, 1 or absent, this monitor runs the check in every slot.
             */
            monitor_count?: number;
            /**
             * Format: int32
             * @description Position of this monitor among the active monitors of the check, in byte order of their ids, starting at 0. The monitor runs the check in each slot for which slot mod `monitor_count` equals this position. The README of the monitor SDK explains slots under Turns, as does the start of this document.
             */
            monitor_rank?: number;
            /**
             * Format: int32
             * @description Maximum duration of one run, in seconds. 0 or absent means 10.
             */
            timeout_sec?: number;
            /**
             * @description Method of the request for http and https, in capital letters. Absent: GET, or POST if there is a `post_data`.
             * @example PUT
             */
            method?: string;
            /** @description Whether to judge the first response of an http or https target without following redirects. Default: false. */
            disable_redirects?: boolean;
            /** @description Whether to skip the verification of the certificate. Applies only to https and tls. Default: false. */
            insecure_skip_verify?: boolean;
            /** @description Additional request headers for http and https, at most 10. */
            headers?: {
                [key: string]: string;
            };
            /** @description Request body for http and https. If not empty, the request is a POST with this body, or has the `method`. */
            post_data?: string;
            /**
             * Format: int32
             * @description Maximum number of redirects to follow. A further redirect fails the check. 0 or absent means 10.
             */
            max_redirects?: number;
            /** @description Version of IP with which runs connect. `both`: each run checks the target over IPv4 and over IPv6, and passes if both do. Absent means `any`. */
            ip_family?: string;
            /**
             * @description Proxy for http and https: `http://host:port` or `socks5://host:port`, with an optional `user:password@`. Only the organisation's own monitors run a check with a proxy. Absent: no proxy.
             * @example http://proxy.example.com:3128
             */
            proxy?: string;
            /** @description Text to match against the body (http, https), the banner that the service sends after connecting (tcp), or a line about the certificate (tls): `subject=...; san=...; issuer=...; not_after=...`. Empty: the content is not checked. */
            match_string: string;
            /** @description How to compare `match_string`. Absent means `contains`. Regular expressions use RE2 syntax and are case-sensitive. */
            match_mode?: string;
            /** @description Comparison of the status code with `status_code_value`. A run passes if the comparison is true. Absent: a status of 400 or above fails. */
            status_code_op?: string;
            /**
             * Format: int32
             * @description Status code with which `status_code_op` compares.
             */
            status_code_value?: number;
            /**
             * @description Status codes with which a run passes, for http and https: single ones and ranges. Must not be set together with `status_code_op`. Absent: `status_code_op` decides.
             * @example [
             *       "200-299",
             *       "301"
             *     ]
             */
            status_codes?: string[];
            /**
             * Format: int32
             * @description For https and tls: the check fails if its certificate expires in this number of days or fewer. With 14, a certificate with exactly 14 days left fails. 0 or absent means no limit.
             */
            cert_expiry_warn_days?: number;
            /**
             * Format: int32
             * @description Maximum response time in milliseconds. A slower response fails. 0 or absent means no limit.
             */
            max_response_time_ms?: number;
            /** @description Rules on single parts of the response, in addition to the other fields. All must pass. */
            assertions?: components["schemas"]["Assertion"][];
            /** @description Whether to flip the verdict, after all other rules and for every scheme. Default: false. */
            invert_result?: boolean;
            /**
             * Format: int32
             * @description Maximum number of characters in `error` and in `response_sample` of a result. 0 means that neither is sent.
             */
            result_detail_max_chars: number;
            /**
             * Format: int32
             * @description Maximum number of retries after a failed run, before the failure counts. 0 or absent means no retries. The README of the monitor SDK has the rules under Retries of a check, as does the start of this document under Retries.
             */
            retry_count?: number;
            /**
             * Format: int32
             * @description Number of seconds between the end of a failed run and its retry. 0 or absent means 5.
             */
            retry_interval_sec?: number;
            /**
             * Format: int32
             * @description The server warns if the certificate has less than this share of its lifetime left, in percent. If above 0, the monitor sends `cert_issued_at` with each result. 0 or absent means no warning.
             */
            cert_warn_percent?: number;
            /**
             * Format: int32
             * @description Number of consecutive failures after which the check is down. Despite its name, the field is not in seconds. Only the server uses this field; monitors ignore it.
             */
            down_interval_sec?: number;
            /**
             * Format: int32
             * @description Number of seconds between reminders while the check is down. Only the server uses this field; monitors ignore it.
             */
            resend_interval_sec?: number;
            /**
             * Format: date-time
             * @description Time of the last change to the check, as this monitor sees it. The width is fixed, so text order is chronological order.
             * @example 2026-11-20T10:00:00.123456Z
             */
            updated_at: string;
        };
        /** @description Changes to the checks of this monitor. */
        ChecksResponse: {
            /** @description Changed checks, in the order of their changes, oldest first. */
            checks: components["schemas"]["Check"][];
            /**
             * Format: date-time
             * @description Cursor to send as the next `since`. Do not use it as a time: it can stay the same while a change is being written. It never moves backwards, even if the server's clock does.
             * @example 2026-11-20T10:00:00.123456Z
             */
            server_time: string;
            /**
             * Format: date-time
             * @description The server's time when it created the response. Monitors set their clocks by it, because slots and results use this time. Absent if the server does not trust its own clock, or does not know this field. If it is absent, a monitor that has received `now` before keeps its current time.
             * @example 2026-11-20T10:00:00.123456Z
             */
            now?: string;
            /**
             * @description `private`: the monitor belongs to one organisation. `shared`: the monitor belongs to the shared fleet, which runs checks of many organisations. A shared agent must never connect to an address that is not public. This also applies after a redirect or a restart, and no start option overrides it. If absent, the server does not know this field, and the agent keeps the last value that it received.
             * @example shared
             */
            class?: string;
            /** @description Runs on demand, which people requested from this monitor. Each run is sent only once. Run each one once, at once, and report it in `runs` of `POST /results`. Agents that do not know this field ignore it. Absent if no run was requested. */
            runs?: components["schemas"]["RunRequest"][];
            /**
             * Format: int32
             * @description Maximum number of seconds for which the server holds a `GET /ping` with `wait_sec`. The server responds earlier if a sync would contain a run on demand or a change. Absent if the server does not hold requests.
             * @example 25
             */
            wait_sec?: number;
        };
        /**
         * @description A run on demand: a person is waiting for this run, which is out of turn. It has either `check_guid` or `check`. If it
         *     has neither, the agent makes no run, and reports it with `not_run`.
         */
        RunRequest: {
            /**
             * @description Identifier of the run, to send as `id` of the `RunReport`.
             * @example 4c0f1f36-5d0e-4f61-9f0f-6a5f3c1b2a77
             */
            id: string;
            /**
             * @description A check of this monitor. Upload its result like the result of any other run, with its own `ran_at`. If the check is already running, the current run counts as the requested run.
             * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
             */
            check_guid?: string;
            /** @description A definition that a person tests before saving it. No check has its `guid`, so do not upload a result. Nothing about it is kept after the report. */
            check?: components["schemas"]["Check"];
        };
        /**
         * @description The outcome of a run on demand. For a private definition, it contains only `id`, `success`, `kind`,
         *     `http_status` and `latency_ms`.
         */
        RunReport: {
            /** @description The `id` of the `RunRequest`. */
            id: string;
            /** @description Whether the run passed. Absent if there is no verdict; `not_run` then contains the reason. */
            success?: boolean;
            /** @description Reason why there is no verdict. `unknown_check`: the monitor does not run this check, or has no definition of it. `no_verdict`: the monitor's own network or machine had a problem. `busy`: the monitor has too many runs in progress. Absent if there is a verdict. */
            not_run?: string;
            /**
             * Format: date-time
             * @description Start time of the run.
             */
            ran_at?: string;
            /** @description `ok`, the rule that failed, or the kind of error: `status`, `match`, `cert_expiry`, `slow`, `assertion`, `inverted`, `config`, `dns`, `refused`, `timeout`, `unreachable`, `reset`, `tls`, `http`, `redirect`, `blocked`. */
            kind?: string;
            /** @description Reason for the failure, in one line. Absent if the run passed. */
            error?: string;
            /**
             * Format: int32
             * @description Status code of the last http response. 0 if there was no http response.
             */
            http_status?: number;
            /**
             * Format: int32
             * @description Response time in milliseconds.
             */
            latency_ms?: number;
            /** @description Duration of each phase of the run in milliseconds, summed over redirects. A phase that the run did not reach is absent. */
            phases?: {
                dns?: number;
                connect?: number;
                tls?: number;
                first_byte?: number;
                body?: number;
            };
            /** @description Last IP address to which the monitor connected. */
            address?: string;
            /**
             * Format: int32
             * @description Number of whole days until the certificate that expires first. Negative if it has expired. Absent if the target presented no certificate.
             */
            certificate_days?: number;
            /** @description URLs of the redirects, in order, without user, password, query and fragment. Absent if there was no redirect. */
            redirects?: string[];
            /** @description Outcomes of the `assertions` of the check, in their order. Absent if they were not judged. */
            assertions?: {
                /** @description Whether the rule passed. Absent if it cannot be judged. */
                passed?: boolean;
                /**
                 * @description The value that the monitor saw, in one short line.
                 * @example "down"
                 */
                seen: string;
            }[];
            /** @description First characters of the response: body or banner. Absent if `result_detail_max_chars` of the check is 0. */
            response_sample?: string;
        };
        /** @description The name and location of a monitor. */
        EnrollRequest: {
            /**
             * @description Name of the monitor. Can be empty.
             * @example rack 4
             */
            name: string;
            /**
             * @description Region of the monitor, for example a continent or a cloud region. Must not be blank.
             * @example eu-central
             */
            region: string;
            /**
             * @description Country of the monitor. Must not be blank.
             * @example DE
             */
            country: string;
            /**
             * @description City of the monitor. Must not be blank.
             * @example Frankfurt
             */
            city: string;
            /**
             * @description Id of the monitor to reclaim after a reset. Omit it, or leave it empty, to enroll as a new monitor.
             * @example 7k2m9x0c4v5b
             */
            id?: string;
            /**
             * @description Everything that the agent can do. The README of the monitor SDK lists the names under Abilities, as does the start of this document. If absent, the monitor has the abilities `http`, `tcp` and `tls`.
             * @example [
             *       "http",
             *       "tcp",
             *       "tls"
             *     ]
             */
            abilities?: string[];
        };
        /** @description Identity of the monitor. Store both the key and the id before you do anything else. */
        EnrollResponse: {
            /**
             * @description Credential for every operation except `enroll`. It is returned only once. Only a reset replaces it.
             * @example dogwatch_key_...
             */
            api_key: string;
            /**
             * @description Identifier of the monitor: twelve characters of lower-case Crockford base32, unique across all organisations and the shared fleet.
             * @example 7k2m9x0c4v5b
             */
            monitor_id: string;
            /**
             * @description `private`: the monitor belongs to one organisation. `shared`: the monitor belongs to the shared fleet, which runs checks of many organisations. A shared agent must never connect to an address that is not public. This also applies after a redirect or a restart, and no start option overrides it. If absent, the server does not know this field, and the agent keeps the last value that it received.
             * @example shared
             */
            class?: string;
        };
        /** @description Outcome of one run of one check. */
        Result: {
            /** @description Identifier of the check. */
            check_guid: string;
            /** @description Ignored: the server uses the id of the caller. */
            monitor_id: string;
            /**
             * Format: date-time
             * @description Start time of the run; after retries, the start time of the last retry. Digits beyond microseconds are truncated. The server drops a result whose time is more than 400 days behind or 10 minutes ahead of its clock, unless `sent_at` shows that the sender's clock is wrong.
             */
            ran_at: string;
            /** @description Whether the run passed. */
            success: boolean;
            /**
             * Format: int32
             * @description Response time in milliseconds.
             */
            latency_ms: number;
            /**
             * Format: int32
             * @description Status code of the last http response. 0 if there was no http response.
             */
            http_status: number;
            /** @description Reason for the failure, truncated to `result_detail_max_chars` of the check. Empty or absent if the run passed. */
            error?: string;
            /** @description First characters of the response (body or banner), truncated to `result_detail_max_chars` of the check. */
            response_sample?: string;
            /** @description Duration of each phase of the run in whole milliseconds, summed over redirects. A phase that the run did not reach is absent. The sum of all phases is `latency_ms`, except for a rounding error of a few milliseconds. Values above 65535 are stored as 65535. */
            timings?: {
                /**
                 * Format: int32
                 * @description DNS lookup. Absent if the host of the target is an IP address.
                 */
                dns_ms?: number;
                /**
                 * Format: int32
                 * @description TCP connect.
                 */
                connect_ms?: number;
                /**
                 * Format: int32
                 * @description TLS handshake.
                 */
                tls_ms?: number;
                /**
                 * Format: int32
                 * @description Time from the open connection to the first byte of the response.
                 */
                first_byte_ms?: number;
                /**
                 * Format: int32
                 * @description Time from the first byte of the response to its end, or to the last byte that the monitor reads.
                 */
                transfer_ms?: number;
            };
            /**
             * Format: date-time
             * @description For https and tls: the earliest expiry of the certificates in the verified chain. If verification is skipped, only the presented certificate counts. After redirects, the earliest expiry of all hosts. Absent if no certificate was presented. For a private definition, truncate the time to the day, so that no one can identify the certificate by it.
             */
            cert_expires_at?: string;
            /**
             * Format: date-time
             * @description Start of the validity of the certificate that expires at `cert_expires_at`. Absent if unknown, or if the check has no `cert_warn_percent`. For a private definition, truncate the time to the day.
             */
            cert_issued_at?: string;
            /**
             * Format: int32
             * @description Number of failed runs before this run, which were repeated because of `retry_count` and are not reported. An agent that supports retries sends this field, even if it is 0, with each result of a check that has a `retry_count`. Other agents omit it.
             */
            retries?: number;
        };
        /** @description A batch of results. */
        ResultsRequest: {
            /** @description At most 500 results of any checks, in any order. */
            results: components["schemas"]["Result"][];
            /**
             * Format: date-time
             * @description The sender's time when it sends this request, from the clock that it uses for `ran_at`. The server computes from it how far this clock is off, and uses corrected times for verdicts. `ran_at` is stored as sent, unless the clock is more than 400 days behind or 10 minutes ahead; then the corrected time is stored.
             */
            sent_at?: string;
            /**
             * Format: int64
             * @description Number of results that the sender still has after this batch. While it is above 0, the sender is catching up, and the server judges the late results only when the sender has caught up. Omit it if unknown.
             */
            remaining?: number;
            /** @description Set to true if the sender resends the results that `again` of the response lists. If false or absent and a part of the batch cannot be stored now, the server responds with 503 or 429, although it stores the rest. */
            partial?: boolean;
            /** @description Reports of runs on demand (`runs` of `ChecksResponse`). Send each report as soon as the run has ended, with empty `results` if there is nothing else to upload. The server drops reports for which no one is waiting, without an error. */
            runs?: components["schemas"]["RunReport"][];
        };
        /** @description Outcome of an upload. */
        ResultsResponse: {
            /**
             * Format: int32
             * @description Number of accepted results: those for checks assigned to the caller, with a possible `ran_at`. Results that were already stored count too. The server dropped the others; do not resend them, except those that `again` lists.
             */
            accepted: number;
            /** @description Positions in `results`, starting at 0, of the results that could not be stored now. They are not counted in `accepted`. Resend them after a pause that grows with each attempt, up to one minute. Present only if the request set `partial`. Absent if there are none. */
            again?: number[];
        };
        /** @description Health of the agent. */
        MonitorStatus: {
            /**
             * @description Version of the agent.
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
             * @description Number of results in the agent's buffer that are not uploaded yet.
             */
            unsent_results: number;
            /**
             * Format: int64
             * @description Duration in seconds of the agent's last completed loss of connectivity. Absent if there was none since the agent started.
             */
            last_outage_sec?: number;
            /**
             * Format: date-time
             * @description End of the agent's last completed loss of connectivity. Absent if there was none since the agent started.
             */
            last_outage_ended_at?: string;
            /**
             * Format: date-time
             * @description The agent's time when it sends this report, as in `ResultsRequest`.
             */
            sent_at?: string;
            /**
             * @description Everything that the agent can do. The README of the monitor SDK lists the names under Abilities, as does the start of this document. If absent, the monitor has the abilities `http`, `tcp` and `tls`.
             * @example [
             *       "http",
             *       "tcp",
             *       "tls"
             *     ]
             */
            abilities?: string[];
        };
        /** @description The request succeeded. */
        OKResponse: {
            /**
             * @description Always `ok`.
             * @example ok
             */
            status?: string;
            /** @description True if a sync would contain a run on demand or a change, so a sync is due at once. Present only in the response to a ping with `wait_sec`. Absent if false. */
            sync?: boolean;
        };
        /**
         * @description A rule on one part of the response. The run fails if a rule does not pass. All parts are those of the last response, after
         *     redirects.
         *
         *     - `json`: the value at the JSON path `at` in the body. The path has names and indexes only (a singular query of RFC 9535).
         *     - `header`: the header named `at`. `body`: the text of the body. `size`: its length in bytes, decoded.
         *     - `redirects`: number of redirects. `final_url`: URL of the last response, without query and fragment. `http_version`: such
         *       as `1.1`.
         *     - `timing`: the duration of a phase in milliseconds. `at` is `dns`, `connect`, `tls`, `first_byte`, `body` or `total`.
         *     - `certificate`: a property of the certificate. `at` is `issuer`, `subject`, `names`, `key` (such as `RSA 2048`), `signature`,
         *       `tls_version` (such as `TLSv1.3`), `fingerprint` (SHA-256), `days_left` or `lifetime_left_percent`.
         *     - `banner`: the text that a target other than http and https sends.
         *     - `dns_answer`, `dns_count`, `dns_rcode`, `dns_ttl`, `dns_ad`, `dns_serials`: records, their number, response code, lowest TTL,
         *       the AD flag and the serial numbers of the zone.
         *     - `loss` (percent) and `jitter_ms`, for icmp. `offset_ms`, `stratum` and `leap`, for ntp.
         *     - `grpc_status` (such as `OK`) and `grpc_health` (such as `SERVING`), for grpc. `value`: the first value of the result of a
         *       query.
         *
         *     Values are compared by their JSON type: a text never equals a number. A value that does not exist passes only `absent`.
         *     `lt`, `lte`, `gt` and `gte` pass only for numbers. `contains` finds a text within a text, and an entry of a list. `eq` and `ne`
         *     take a list of names or records with one entry as this entry. Regular expressions use RE2 syntax and are case-sensitive.
         */
        Assertion: {
            /**
             * @description Part of the response.
             * @example json
             */
            on: string;
            /**
             * @description Path, header name, phase or property. Absent for other parts.
             * @example $.db.status
             */
            at?: string;
            /**
             * @description Comparison.
             * @example eq
             */
            is: string;
            /**
             * @description Value to compare with: a string of at most 1000 characters, a number, true, false or null. Absent for `exists` and `absent`.
             * @example up
             */
            value?: unknown;
        };
        /** @description One line of plain text in lower case that describes the error. */
        ErrorLine: string;
    };
    responses: {
        /** @description The key is valid, but the organisation or the platform has disabled the monitor. */
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
        /** @description The request breaks the contract. The line names the field and what it must be. Nothing was stored. If you repeat the same request, the response is the same. */
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
        /** @description The credential is missing, malformed, unknown, revoked or expired. On purpose, the response does not reveal which of these applies. */
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
        /** @description A rate limit is exceeded, and nothing was done. Wait for the number of seconds in `Retry-After`. */
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
        /** @description The server failed. The cause is in the server's log, under the `X-Request-Id` of this response. */
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
        /** @description The server is overloaded, and nothing was done. Wait for the number of seconds in `Retry-After`. */
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
         * @description Identifier of this request in the server's log. Quote it when you ask for help.
         * @example r-5f0c1c2b7d3e4a90
         */
        RequestId: string;
        /**
         * @description Always `Bearer`.
         * @example Bearer
         */
        BearerChallenge: string;
        /**
         * @description Number of whole seconds to wait before the next attempt, at least 1.
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
export type Assertion = components['schemas']['Assertion'];
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
                 * @description `server_time` of an earlier response. Default: the Unix epoch, which returns all checks.
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
            /** @description The changes since `since`, and the next cursor. */
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
            /** @description The agent is enrolled. */
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
            /** @description `id` was sent, but the token's organisation has no monitor with this id. */
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
             * @description Either `id` was sent and this monitor is already enrolled, so it must be reset first. Or `id` was not sent and the
             *     organisation already has the maximum number of monitors, so a monitor must be retired first.
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
                 * @description Maximum number of seconds for which the server may hold the request. 0 or absent: the server responds at once.
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
            /** @description `last_seen_at` of the monitor was updated. */
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
            /** @description The batch was stored. */
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
            /** @description The decompressed body exceeds 1 MiB. Send the results in smaller batches. */
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
            /** @description The status was stored. */
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
