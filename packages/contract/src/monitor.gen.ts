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
    "description": "The contract between the Dogwatch server and its monitors, which are the agents that run checks.\n\n**Errors are `text/plain`**: one line each, never JSON. Do not parse a response with a status of 400 or above as JSON.\n\nA monitor enrolls once. After that, it repeatedly requests changes to its checks, runs the checks, uploads results\nand reports its own health. Every operation except `enroll` needs the monitor API key that `enroll` returned.\n\nThe server sends timestamps in UTC with exactly six fractional digits (`2026-11-20T10:00:00.123456Z`), so lexical\norder is chronological order. The server accepts any RFC 3339 date-time.\n\nWithin version 1 of the path, changes are additive: new fields can appear. Ignore fields that you do not know.\n\n# Turns\n\nThe monitors of a check take turns without communicating, because they all count the same slots by the server's time.\nTo keep the server's time, an agent takes `now` from `ChecksResponse` and adds the elapsed time of a monotonic clock.\nWith `interval_sec` = I:\n\n- phase = (the first 4 bytes of SHA-256(`guid`), as a big-endian number) / 2^32 x I, in seconds with a fraction.\n  The input of the hash is the exact UTF-8 text of `guid`.\n- slot = floor((t - phase) / I), where t is the time in seconds since the Unix epoch, with a fraction.\n- A monitor runs the check at the beginning of each slot for which slot mod `monitor_count` = `monitor_rank`. If\n  `monitor_count` is 0, 1 or absent, the monitor runs the check in every slot.\n\nA missed slot is not made up. If the rank, count or interval changes, the next run follows the new turns.\n\nIf a change of the rank or count gives an agent the current slot, the agent may also run this slot late, because the\nmonitor that had the slot may have left. The slot must have begun after `updated_at` or shortly before it, and no more\nthan 5 s ago (or half of the interval, if this is shorter).\n\nAn agent that computes its phase differently still runs the check often enough, but not evenly between the other\nmonitors. For example, two monitors may run the check at 0.5 s and 59.5 s of a minute instead of every 30 s.\n\n`x-turns` at the end of this document contains test vectors. For the time `at`, each vector gives the current slot\nand whether this monitor runs it. The vectors include the last millisecond before a slot and the first millisecond\nof a slot.\n\n# Retries\n\nIf a check has a `retry_count` and a run fails, the monitor retries the check before the failure counts. Each retry\nstarts `retry_interval_sec` after the end of the failed run. The retries end when a run succeeds or when\n`retry_count` retries have failed.\n\n- The agent reports only the last of these runs, as one result with its own `ran_at`. The field `retries` contains\n  the number of failed runs before it.\n- A retry must not start if it could last until the monitor's next turn, given `timeout_sec`. In this case, the agent\n  reports the failure at once. It also reports the failure if it shuts down before the retry.\n- If a retry shows nothing about the target, for example because the agent was offline, the agent reports the failure\n  before this retry.\n- The agent reports a run on demand (`runs` of `ChecksResponse`) without retries. If such a run starts while a retry\n  is waiting, the run replaces the retry.\n- With `invert_result`, the flipped verdict decides whether a run failed. If a definition cannot be run, there is no\n  retry.\n\nAn agent that does not know these fields reports each failure at once, without retries.\n\n# Abilities\n\nAn agent lists what it can do as `abilities`, in `enroll` and in each status report. The names are those of the kinds\nof checks, and of the fields that agents of the first release do not know:\n\n- `http`: targets with `http://` or `https://`.\n- `ws`, `grpc`, `mqtt`, `smtp`, `imap`, `pop3`, `ftp`, `redis`, `ldap`: targets with this scheme, or with the same scheme\n  and an `s` for TLS.\n- `tcp`, `tls`, `dns`, `icmp`, `udp`, `ntp`, `ssh`, `postgres`, `mysql`: targets with this scheme.\n- `dialogue`: `tcp://` targets with options. `tls_addresses`: `tls://` targets with options.\n- `method`, `max_redirects`, `ip_family`, `proxy`, `status_codes`, `assertions`: checks with this field. `any` as\n  `ip_family` needs no ability.\n\nThe server sends a check only to monitors that have all abilities that the check needs, and counts only these monitors\nin `monitor_count` and `monitor_rank`. To other monitors, the check looks unassigned (`deleted: true`), although results\nthat they still send are stored. A private definition needs no ability, because the server does not know it.\n\nEach list replaces the previous one, so an agent that sends no list has the abilities `http`, `tcp` and `tls`. An agent\nsends its status before its first sync after each start, so that its first sync follows its new list. The server\naccepts one change per monitor and minute; a later report repeats a list that came too soon. List only what the agent\ncan really run. Do not list names that this document does not contain.\n\n# Edits\n\nAfter an edit of a definition, an agent may run the check once out of turn. If the check has several monitors, the\nmonitor whose slot follows `updated_at` does this. The extra run must not replace the run of a slot.\n"
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
      "description": "Enrollment of agents as monitors."
    },
    {
      "name": "checks",
      "description": "The checks that a monitor runs."
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
        "summary": "Get changes to the checks of this monitor",
        "description": "Returns every check of this monitor whose `updated_at` is strictly after `since`, including checks that were deleted\nor unassigned (`deleted: true`). Store `server_time` of the response, not the time of your own clock, and send it as\nthe next `since`. To get all checks, omit `since`. Do this from time to time, and replace your stored checks.\n\n`server_time` is only a cursor. It can stay the same for minutes while a change is being written, and it can be ahead\nof or behind the actual time. Set your clock by `now`.\n\nIf the set of active monitors of a check changes, the `monitor_rank` and `monitor_count` of the other monitors change\ntoo, so `updated_at` of the check also changes.\n",
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
            "description": "`server_time` of an earlier response. Default: the Unix epoch, which returns all checks.",
            "schema": {
              "type": "string",
              "format": "date-time"
            },
            "example": "2026-11-20T10:00:00.123456Z"
          }
        ],
        "responses": {
          "200": {
            "description": "The changes since `since`, and the next cursor.",
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
        "summary": "Enroll as a new monitor, or reclaim a monitor",
        "description": "Only the token decides which organisation the monitor joins, or whether it joins the shared fleet. Without `id`, the\nserver creates a new monitor. With `id`, the agent reclaims an existing monitor of the organisation. This works only\nafter the monitor has been reset. The name and location in the request replace those of the monitor.\n\nThe response is the only place that contains the API key. **Do not repeat an enrollment whose response was lost**,\nbecause this would create a second monitor. Instead, have the monitor reset, and then reclaim it.\n\nThe body can have at most 16 KiB.\n",
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
            "description": "The agent is enrolled.",
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
            "description": "`id` was sent, but the token's organisation has no monitor with this id.",
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
            "description": "Either `id` was sent and this monitor is already enrolled, so it must be reset first. Or `id` was not sent and the\norganisation already has the maximum number of monitors, so a monitor must be retired first.\n",
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
        "summary": "Report that this monitor is online",
        "description": "Updates the monitor's `last_seen_at`, as every authenticated request does. It has no other effect.\n\nWith `wait_sec`, the server holds the request for up to this time. It responds early, with `sync` set to true, if a\nsync would contain a run on demand or a change. In this case, sync at once. A monitor can have one held request: a\nsecond one ends the first. Send `wait_sec` only if `ChecksResponse` contains `wait_sec`, and send no larger value.\n\nThe server also holds such a request from a disabled monitor. It responds with 403 after `wait_sec`, or with 200 and\n`sync` as soon as the monitor is enabled.\n",
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
            "description": "Maximum number of seconds for which the server may hold the request. 0 or absent: the server responds at once.",
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
            "description": "`last_seen_at` of the monitor was updated.",
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
        "description": "Accepts at most 500 results and 1 MiB per request; send more results in further requests. Storing is idempotent: for\neach check, monitor and `ran_at`, the server keeps the first result that it stored, and a repeated batch gets the same\nresponse. If a response is lost, send the same batch again.\n\nThe body can have `Content-Encoding: gzip`. The size limit applies to the decompressed body.\n\nThe server drops some results without an error and does not count them: results for a check that is not assigned to\nthe caller, and results whose `ran_at` is more than 400 days behind or 10 minutes ahead of the server's clock. A wrong\n`ran_at` is accepted if `sent_at` shows that the sender's clock is wrong. If a result breaks the schema, the server\nresponds with a 400 that names the index of the result, and stores nothing of the batch.\n\nSometimes the server cannot store the results of some organisations for a while. It then stores the other results and\nresponds with 503. It also limits how many results it stores per organisation, to a generous multiple of the number\nthat the organisation's checks can produce. If a batch exceeds this limit, it responds with 429. In both cases, send\nthe whole batch again: the server drops no valid result. A sender that sets `partial` learns from `again` which\nresults to resend, and can send other results in the meantime.\n",
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
            "description": "The batch was stored.",
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
            "description": "The decompressed body exceeds 1 MiB. Send the results in smaller batches.",
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
        "summary": "Report the health of this monitor",
        "description": "Replaces the status that the server shows for the calling monitor. The API key identifies the monitor; the server\nignores any id in the body. The body can have at most 16 KiB.\n",
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
            "description": "The status was stored.",
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
        "description": "The API key that `enroll` returned, `dogwatch_key_...`. The agent stores it together with its monitor id."
      },
      "enrollmentToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token with which agents enroll, `dogwatch_enroll_...`. The token of an organisation is reusable and revocable, and by default expires after 24 hours. A token for the shared fleet expires after one hour."
      }
    },
    "responses": {
      "MonitorDisabled": {
        "description": "The key is valid, but the organisation or the platform has disabled the monitor.",
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
        "description": "The request breaks the contract. The line names the field and what it must be. Nothing was stored. If you repeat the same request, the response is the same.",
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
        "description": "The credential is missing, malformed, unknown, revoked or expired. On purpose, the response does not reveal which of these applies.",
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
        "description": "A rate limit is exceeded, and nothing was done. Wait for the number of seconds in `Retry-After`.",
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
        "description": "The server failed. The cause is in the server's log, under the `X-Request-Id` of this response.",
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
        "description": "The server is overloaded, and nothing was done. Wait for the number of seconds in `Retry-After`.",
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
        "description": "A target and the rules that decide whether the target is healthy. The scheme of `url` selects the kind of check:\n`http` and `https` fetch the URL, and send its userinfo as basic auth. `tcp://host:port` opens a connection.\n`tls://host:port` performs a bare TLS handshake. `dns://resolver/name` and `dns:///name` query a DNS record\n(RFC 4501). `icmp://host` sends echo requests, `udp://host:port` a datagram, and `ntp://host` asks for the time.\n`ws` and `wss` open a WebSocket, `grpc` and `grpcs` ask the health service, `mqtt` and `mqtts` connect to a\nbroker, and `postgres` and `mysql` sign in to a database.\n`smtp`, `imap`, `pop3`, `ftp`, `ssh`, `redis` and `ldap` contact a server by its protocol, and `smtps`, `imaps`,\n`pop3s`, `ftps`, `rediss` and `ldaps` with TLS from the start. Their userinfo signs in. Options of a kind stand in\nthe query of the URL, except for `http`, `https`, `ws` and `wss`. With the options `expect`, `send` and `starttls`,\nwhich can occur several times, `tcp` is a dialogue: the agent performs them in their order.\n\nIf all content fields, including `url`, are empty and `deleted` is false, the check has a private definition: its\ndefinition is in a file on the agent's machine.\n",
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
            "description": "Identifier of the check. Compare it as text.",
            "type": "string",
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          },
          "name": {
            "description": "Name of the check. Empty if `deleted` is true.",
            "type": "string"
          },
          "url": {
            "description": "Target of the check. Empty if the check has a private definition or `deleted` is true.",
            "type": "string",
            "example": "https://shop.example.com/health"
          },
          "enabled": {
            "description": "False if the check is paused. Do not run a paused check.",
            "type": "boolean"
          },
          "deleted": {
            "description": "True if the monitor must no longer run the check, because the check was deleted or unassigned, or needs an ability that the monitor does not have. All content fields are then empty.",
            "type": "boolean"
          },
          "interval_sec": {
            "description": "Number of seconds between two runs, over all monitors of the check together. If `monitor_count` is above 1, this monitor runs the check every `interval_sec` x `monitor_count` seconds, offset by its `monitor_rank`. The README of the monitor SDK defines the exact times under Turns, as does the start of this document.",
            "type": "integer",
            "format": "int32",
            "minimum": 1
          },
          "monitor_count": {
            "description": "Number of active monitors of the check (assigned, enabled, not disabled by the platform, with all abilities that the check needs) at the time of this response. If 0, 1 or absent, this monitor runs the check in every slot.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "monitor_rank": {
            "description": "Position of this monitor among the active monitors of the check, in byte order of their ids, starting at 0. The monitor runs the check in each slot for which slot mod `monitor_count` equals this position. The README of the monitor SDK explains slots under Turns, as does the start of this document.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "timeout_sec": {
            "description": "Maximum duration of one run, in seconds. 0 or absent means 10.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 60
          },
          "method": {
            "description": "Method of the request for http and https, in capital letters. Absent: GET, or POST if there is a `post_data`.",
            "type": "string",
            "maxLength": 20,
            "example": "PUT"
          },
          "disable_redirects": {
            "description": "Whether to judge the first response of an http or https target without following redirects. Default: false.",
            "type": "boolean"
          },
          "insecure_skip_verify": {
            "description": "Whether to skip the verification of the certificate. Applies only to https and tls. Default: false.",
            "type": "boolean"
          },
          "headers": {
            "description": "Additional request headers for http and https, at most 10.",
            "type": "object",
            "maxProperties": 10,
            "additionalProperties": {
              "type": "string"
            }
          },
          "post_data": {
            "description": "Request body for http and https. If not empty, the request is a POST with this body, or has the `method`.",
            "type": "string"
          },
          "max_redirects": {
            "description": "Maximum number of redirects to follow. A further redirect fails the check. 0 or absent means 10.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 20
          },
          "ip_family": {
            "description": "Version of IP with which runs connect. `both`: each run checks the target over IPv4 and over IPv6, and passes if both do. Absent means `any`.",
            "type": "string",
            "x-extensible-enum": [
              "any",
              "4",
              "6",
              "both"
            ]
          },
          "proxy": {
            "description": "Proxy for http and https: `http://host:port` or `socks5://host:port`, with an optional `user:password@`. Only the organisation's own monitors run a check with a proxy. Absent: no proxy.",
            "type": "string",
            "maxLength": 2048,
            "example": "http://proxy.example.com:3128"
          },
          "match_string": {
            "description": "Text to match against the body (http, https), the banner that the service sends after connecting (tcp), or a line about the certificate (tls): `subject=...; san=...; issuer=...; not_after=...`. Empty: the content is not checked.",
            "type": "string"
          },
          "match_mode": {
            "description": "How to compare `match_string`. Absent means `contains`. Regular expressions use RE2 syntax and are case-sensitive.",
            "type": "string",
            "x-extensible-enum": [
              "contains",
              "not_contains",
              "regex",
              "not_regex"
            ]
          },
          "status_code_op": {
            "description": "Comparison of the status code with `status_code_value`. A run passes if the comparison is true. Absent: a status of 400 or above fails.",
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
            "description": "Status code with which `status_code_op` compares.",
            "type": "integer",
            "format": "int32",
            "minimum": 100,
            "maximum": 599
          },
          "status_codes": {
            "description": "Status codes with which a run passes, for http and https: single ones and ranges. Must not be set together with `status_code_op`. Absent: `status_code_op` decides.",
            "type": "array",
            "maxItems": 20,
            "items": {
              "type": "string",
              "maxLength": 7
            },
            "example": [
              "200-299",
              "301"
            ]
          },
          "cert_expiry_warn_days": {
            "description": "For https and tls: the check fails if its certificate expires in this number of days or fewer. With 14, a certificate with exactly 14 days left fails. 0 or absent means no limit.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "max_response_time_ms": {
            "description": "Maximum response time in milliseconds. A slower response fails. 0 or absent means no limit.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "assertions": {
            "description": "Rules on single parts of the response, in addition to the other fields. All must pass.",
            "type": "array",
            "maxItems": 20,
            "items": {
              "$ref": "#/components/schemas/Assertion"
            }
          },
          "invert_result": {
            "description": "Whether to flip the verdict, after all other rules and for every scheme. Default: false.",
            "type": "boolean"
          },
          "result_detail_max_chars": {
            "description": "Maximum number of characters in `error` and in `response_sample` of a result. 0 means that neither is sent.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "retry_count": {
            "description": "Maximum number of retries after a failed run, before the failure counts. 0 or absent means no retries. The README of the monitor SDK has the rules under Retries of a check, as does the start of this document under Retries.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "retry_interval_sec": {
            "description": "Number of seconds between the end of a failed run and its retry. 0 or absent means 5.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "cert_warn_percent": {
            "description": "The server warns if the certificate has less than this share of its lifetime left, in percent. If above 0, the monitor sends `cert_issued_at` with each result. 0 or absent means no warning.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 99
          },
          "down_interval_sec": {
            "description": "Number of consecutive failures after which the check is down. Despite its name, the field is not in seconds. Only the server uses this field; monitors ignore it.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "resend_interval_sec": {
            "description": "Number of seconds between reminders while the check is down. Only the server uses this field; monitors ignore it.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "updated_at": {
            "description": "Time of the last change to the check, as this monitor sees it. The width is fixed, so text order is chronological order.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          }
        }
      },
      "ChecksResponse": {
        "description": "Changes to the checks of this monitor.",
        "type": "object",
        "required": [
          "checks",
          "server_time"
        ],
        "properties": {
          "checks": {
            "description": "Changed checks, in the order of their changes, oldest first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Check"
            }
          },
          "server_time": {
            "description": "Cursor to send as the next `since`. Do not use it as a time: it can stay the same while a change is being written. It never moves backwards, even if the server's clock does.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          },
          "now": {
            "description": "The server's time when it created the response. Monitors set their clocks by it, because slots and results use this time. Absent if the server does not trust its own clock, or does not know this field. If it is absent, a monitor that has received `now` before keeps its current time.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          },
          "class": {
            "description": "`private`: the monitor belongs to one organisation. `shared`: the monitor belongs to the shared fleet, which runs checks of many organisations. A shared agent must never connect to an address that is not public. This also applies after a redirect or a restart, and no start option overrides it. If absent, the server does not know this field, and the agent keeps the last value that it received.",
            "type": "string",
            "x-extensible-enum": [
              "private",
              "shared"
            ],
            "example": "shared"
          },
          "runs": {
            "description": "Runs on demand, which people requested from this monitor. Each run is sent only once. Run each one once, at once, and report it in `runs` of `POST /results`. Agents that do not know this field ignore it. Absent if no run was requested.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/RunRequest"
            }
          },
          "wait_sec": {
            "description": "Maximum number of seconds for which the server holds a `GET /ping` with `wait_sec`. The server responds earlier if a sync would contain a run on demand or a change. Absent if the server does not hold requests.",
            "type": "integer",
            "format": "int32",
            "minimum": 1,
            "example": 25
          }
        }
      },
      "RunRequest": {
        "description": "A run on demand: a person is waiting for this run, which is out of turn. It has either `check_guid` or `check`. If it\nhas neither, the agent makes no run, and reports it with `not_run`.\n",
        "type": "object",
        "required": [
          "id"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the run, to send as `id` of the `RunReport`.",
            "type": "string",
            "example": "4c0f1f36-5d0e-4f61-9f0f-6a5f3c1b2a77"
          },
          "check_guid": {
            "description": "A check of this monitor. Upload its result like the result of any other run, with its own `ran_at`. If the check is already running, the current run counts as the requested run.",
            "type": "string",
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          },
          "check": {
            "description": "A definition that a person tests before saving it. No check has its `guid`, so do not upload a result. Nothing about it is kept after the report.",
            "allOf": [
              {
                "$ref": "#/components/schemas/Check"
              }
            ]
          }
        }
      },
      "RunReport": {
        "description": "The outcome of a run on demand. For a private definition, it contains only `id`, `success`, `kind`,\n`http_status` and `latency_ms`.\n",
        "type": "object",
        "required": [
          "id"
        ],
        "properties": {
          "id": {
            "description": "The `id` of the `RunRequest`.",
            "type": "string"
          },
          "success": {
            "description": "Whether the run passed. Absent if there is no verdict; `not_run` then contains the reason.",
            "type": "boolean"
          },
          "not_run": {
            "description": "Reason why there is no verdict. `unknown_check`: the monitor does not run this check, or has no definition of it. `no_verdict`: the monitor's own network or machine had a problem. `busy`: the monitor has too many runs in progress. Absent if there is a verdict.",
            "type": "string",
            "maxLength": 200,
            "x-extensible-enum": [
              "unknown_check",
              "no_verdict",
              "busy"
            ]
          },
          "ran_at": {
            "description": "Start time of the run.",
            "type": "string",
            "format": "date-time"
          },
          "kind": {
            "description": "`ok`, the rule that failed, or the kind of error: `status`, `match`, `cert_expiry`, `slow`, `assertion`, `inverted`, `config`, `dns`, `refused`, `timeout`, `unreachable`, `reset`, `tls`, `http`, `redirect`, `blocked`.",
            "type": "string",
            "maxLength": 200
          },
          "error": {
            "description": "Reason for the failure, in one line. Absent if the run passed.",
            "type": "string",
            "maxLength": 2048
          },
          "http_status": {
            "description": "Status code of the last http response. 0 if there was no http response.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 999
          },
          "latency_ms": {
            "description": "Response time in milliseconds.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "phases": {
            "description": "Duration of each phase of the run in milliseconds, summed over redirects. A phase that the run did not reach is absent.",
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
            "description": "Last IP address to which the monitor connected.",
            "type": "string",
            "maxLength": 100
          },
          "certificate_days": {
            "description": "Number of whole days until the certificate that expires first. Negative if it has expired. Absent if the target presented no certificate.",
            "type": "integer",
            "format": "int32",
            "minimum": -2147483648
          },
          "redirects": {
            "description": "URLs of the redirects, in order, without user, password, query and fragment. Absent if there was no redirect.",
            "type": "array",
            "maxItems": 10,
            "items": {
              "type": "string",
              "maxLength": 2048
            }
          },
          "assertions": {
            "description": "Outcomes of the `assertions` of the check, in their order. Absent if they were not judged.",
            "type": "array",
            "maxItems": 20,
            "items": {
              "type": "object",
              "required": [
                "seen"
              ],
              "properties": {
                "passed": {
                  "description": "Whether the rule passed. Absent if it cannot be judged.",
                  "type": "boolean"
                },
                "seen": {
                  "description": "The value that the monitor saw, in one short line.",
                  "type": "string",
                  "maxLength": 1024,
                  "example": "\"down\""
                }
              }
            }
          },
          "response_sample": {
            "description": "First characters of the response: body or banner. Absent if `result_detail_max_chars` of the check is 0.",
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
            "description": "Name of the monitor. Can be empty.",
            "type": "string",
            "maxLength": 200,
            "example": "rack 4"
          },
          "region": {
            "description": "Region of the monitor, for example a continent or a cloud region. Must not be blank.",
            "type": "string",
            "maxLength": 200,
            "pattern": "\\S",
            "example": "eu-central"
          },
          "country": {
            "description": "Country of the monitor. Must not be blank.",
            "type": "string",
            "maxLength": 200,
            "pattern": "\\S",
            "example": "DE"
          },
          "city": {
            "description": "City of the monitor. Must not be blank.",
            "type": "string",
            "maxLength": 200,
            "pattern": "\\S",
            "example": "Frankfurt"
          },
          "id": {
            "description": "Id of the monitor to reclaim after a reset. Omit it, or leave it empty, to enroll as a new monitor.",
            "type": "string",
            "example": "7k2m9x0c4v5b"
          },
          "abilities": {
            "description": "Everything that the agent can do. The README of the monitor SDK lists the names under Abilities, as does the start of this document. If absent, the monitor has the abilities `http`, `tcp` and `tls`.",
            "type": "array",
            "maxItems": 64,
            "items": {
              "type": "string",
              "maxLength": 32,
              "pattern": "^[a-z0-9_.]+$"
            },
            "example": [
              "http",
              "tcp",
              "tls"
            ]
          }
        }
      },
      "EnrollResponse": {
        "description": "Identity of the monitor. Store both the key and the id before you do anything else.",
        "type": "object",
        "required": [
          "api_key",
          "monitor_id"
        ],
        "properties": {
          "api_key": {
            "description": "Credential for every operation except `enroll`. It is returned only once. Only a reset replaces it.",
            "type": "string",
            "example": "dogwatch_key_..."
          },
          "monitor_id": {
            "description": "Identifier of the monitor: twelve characters of lower-case Crockford base32, unique across all organisations and the shared fleet.",
            "type": "string",
            "minLength": 12,
            "maxLength": 12,
            "pattern": "^[0-9a-hjkmnp-tv-z]{12}$",
            "example": "7k2m9x0c4v5b"
          },
          "class": {
            "description": "`private`: the monitor belongs to one organisation. `shared`: the monitor belongs to the shared fleet, which runs checks of many organisations. A shared agent must never connect to an address that is not public. This also applies after a redirect or a restart, and no start option overrides it. If absent, the server does not know this field, and the agent keeps the last value that it received.",
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
        "description": "Outcome of one run of one check.",
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
            "description": "Identifier of the check.",
            "type": "string"
          },
          "monitor_id": {
            "description": "Ignored: the server uses the id of the caller.",
            "type": "string"
          },
          "ran_at": {
            "description": "Start time of the run; after retries, the start time of the last retry. Digits beyond microseconds are truncated. The server drops a result whose time is more than 400 days behind or 10 minutes ahead of its clock, unless `sent_at` shows that the sender's clock is wrong.",
            "type": "string",
            "format": "date-time"
          },
          "success": {
            "description": "Whether the run passed.",
            "type": "boolean"
          },
          "latency_ms": {
            "description": "Response time in milliseconds.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "http_status": {
            "description": "Status code of the last http response. 0 if there was no http response.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 999
          },
          "error": {
            "description": "Reason for the failure, truncated to `result_detail_max_chars` of the check. Empty or absent if the run passed.",
            "type": "string"
          },
          "response_sample": {
            "description": "First characters of the response (body or banner), truncated to `result_detail_max_chars` of the check.",
            "type": "string"
          },
          "timings": {
            "description": "Duration of each phase of the run in whole milliseconds, summed over redirects. A phase that the run did not reach is absent. The sum of all phases is `latency_ms`, except for a rounding error of a few milliseconds. Values above 65535 are stored as 65535.",
            "type": "object",
            "properties": {
              "dns_ms": {
                "description": "DNS lookup. Absent if the host of the target is an IP address.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "connect_ms": {
                "description": "TCP connect.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "tls_ms": {
                "description": "TLS handshake.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "first_byte_ms": {
                "description": "Time from the open connection to the first byte of the response.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "transfer_ms": {
                "description": "Time from the first byte of the response to its end, or to the last byte that the monitor reads.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              }
            }
          },
          "cert_expires_at": {
            "description": "For https and tls: the earliest expiry of the certificates in the verified chain. If verification is skipped, only the presented certificate counts. After redirects, the earliest expiry of all hosts. Absent if no certificate was presented. For a private definition, truncate the time to the day, so that no one can identify the certificate by it.",
            "type": "string",
            "format": "date-time"
          },
          "cert_issued_at": {
            "description": "Start of the validity of the certificate that expires at `cert_expires_at`. Absent if unknown, or if the check has no `cert_warn_percent`. For a private definition, truncate the time to the day.",
            "type": "string",
            "format": "date-time"
          },
          "retries": {
            "description": "Number of failed runs before this run, which were repeated because of `retry_count` and are not reported. An agent that supports retries sends this field, even if it is 0, with each result of a check that has a `retry_count`. Other agents omit it.",
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
            "description": "At most 500 results of any checks, in any order.",
            "type": "array",
            "maxItems": 500,
            "items": {
              "$ref": "#/components/schemas/Result"
            }
          },
          "sent_at": {
            "description": "The sender's time when it sends this request, from the clock that it uses for `ran_at`. The server computes from it how far this clock is off, and uses corrected times for verdicts. `ran_at` is stored as sent, unless the clock is more than 400 days behind or 10 minutes ahead; then the corrected time is stored.",
            "type": "string",
            "format": "date-time"
          },
          "remaining": {
            "description": "Number of results that the sender still has after this batch. While it is above 0, the sender is catching up, and the server judges the late results only when the sender has caught up. Omit it if unknown.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "partial": {
            "description": "Set to true if the sender resends the results that `again` of the response lists. If false or absent and a part of the batch cannot be stored now, the server responds with 503 or 429, although it stores the rest.",
            "type": "boolean"
          },
          "runs": {
            "description": "Reports of runs on demand (`runs` of `ChecksResponse`). Send each report as soon as the run has ended, with empty `results` if there is nothing else to upload. The server drops reports for which no one is waiting, without an error.",
            "type": "array",
            "maxItems": 10,
            "items": {
              "$ref": "#/components/schemas/RunReport"
            }
          }
        }
      },
      "ResultsResponse": {
        "description": "Outcome of an upload.",
        "type": "object",
        "required": [
          "accepted"
        ],
        "properties": {
          "accepted": {
            "description": "Number of accepted results: those for checks assigned to the caller, with a possible `ran_at`. Results that were already stored count too. The server dropped the others; do not resend them, except those that `again` lists.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "again": {
            "description": "Positions in `results`, starting at 0, of the results that could not be stored now. They are not counted in `accepted`. Resend them after a pause that grows with each attempt, up to one minute. Present only if the request set `partial`. Absent if there are none.",
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
        "description": "Health of the agent.",
        "type": "object",
        "required": [
          "version",
          "uptime_sec",
          "unsent_results"
        ],
        "properties": {
          "version": {
            "description": "Version of the agent.",
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
            "description": "Number of results in the agent's buffer that are not uploaded yet.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "last_outage_sec": {
            "description": "Duration in seconds of the agent's last completed loss of connectivity. Absent if there was none since the agent started.",
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991
          },
          "last_outage_ended_at": {
            "description": "End of the agent's last completed loss of connectivity. Absent if there was none since the agent started.",
            "type": "string",
            "format": "date-time"
          },
          "sent_at": {
            "description": "The agent's time when it sends this report, as in `ResultsRequest`.",
            "type": "string",
            "format": "date-time"
          },
          "abilities": {
            "description": "Everything that the agent can do. The README of the monitor SDK lists the names under Abilities, as does the start of this document. If absent, the monitor has the abilities `http`, `tcp` and `tls`.",
            "type": "array",
            "maxItems": 64,
            "items": {
              "type": "string",
              "maxLength": 32,
              "pattern": "^[a-z0-9_.]+$"
            },
            "example": [
              "http",
              "tcp",
              "tls"
            ]
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
            "description": "True if a sync would contain a run on demand or a change, so a sync is due at once. Present only in the response to a ping with `wait_sec`. Absent if false.",
            "type": "boolean"
          }
        }
      },
      "Assertion": {
        "description": "A rule on one part of the response. The run fails if a rule does not pass. All parts are those of the last response, after\nredirects.\n\n- `json`: the value at the JSON path `at` in the body. The path has names and indexes only (a singular query of RFC 9535).\n- `header`: the header named `at`. `body`: the text of the body. `size`: its length in bytes, decoded.\n- `redirects`: number of redirects. `final_url`: URL of the last response, without query and fragment. `http_version`: such\n  as `1.1`.\n- `timing`: the duration of a phase in milliseconds. `at` is `dns`, `connect`, `tls`, `first_byte`, `body` or `total`.\n- `certificate`: a property of the certificate. `at` is `issuer`, `subject`, `names`, `key` (such as `RSA 2048`), `signature`,\n  `tls_version` (such as `TLSv1.3`), `fingerprint` (SHA-256), `days_left` or `lifetime_left_percent`.\n- `banner`: the text that a target other than http and https sends.\n- `dns_answer`, `dns_count`, `dns_rcode`, `dns_ttl`, `dns_ad`, `dns_serials`: records, their number, response code, lowest TTL,\n  the AD flag and the serial numbers of the zone.\n- `loss` (percent) and `jitter_ms`, for icmp. `offset_ms`, `stratum` and `leap`, for ntp.\n- `grpc_status` (such as `OK`) and `grpc_health` (such as `SERVING`), for grpc. `value`: the first value of the result of a\n  query.\n\nValues are compared by their JSON type: a text never equals a number. A value that does not exist passes only `absent`.\n`lt`, `lte`, `gt` and `gte` pass only for numbers. `contains` finds a text within a text, and an entry of a list. `eq` and `ne`\ntake a list of names or records with one entry as this entry. Regular expressions use RE2 syntax and are case-sensitive.\n",
        "type": "object",
        "required": [
          "on",
          "is"
        ],
        "properties": {
          "on": {
            "description": "Part of the response.",
            "type": "string",
            "x-extensible-enum": [
              "json",
              "header",
              "body",
              "size",
              "redirects",
              "final_url",
              "http_version",
              "timing",
              "certificate",
              "banner",
              "dns_answer",
              "dns_count",
              "dns_rcode",
              "dns_ttl",
              "dns_ad",
              "dns_serials",
              "loss",
              "jitter_ms",
              "offset_ms",
              "stratum",
              "leap",
              "grpc_status",
              "grpc_health",
              "value"
            ],
            "example": "json"
          },
          "at": {
            "description": "Path, header name, phase or property. Absent for other parts.",
            "type": "string",
            "maxLength": 500,
            "example": "$.db.status"
          },
          "is": {
            "description": "Comparison.",
            "type": "string",
            "x-extensible-enum": [
              "eq",
              "ne",
              "lt",
              "lte",
              "gt",
              "gte",
              "contains",
              "not_contains",
              "regex",
              "not_regex",
              "exists",
              "absent"
            ],
            "example": "eq"
          },
          "value": {
            "description": "Value to compare with: a string of at most 1000 characters, a number, true, false or null. Absent for `exists` and `absent`.",
            "example": "up"
          }
        }
      },
      "ErrorLine": {
        "description": "One line of plain text in lower case that describes the error.",
        "type": "string"
      }
    },
    "headers": {
      "RequestId": {
        "description": "Identifier of this request in the server's log. Quote it when you ask for help.",
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
        "description": "Number of whole seconds to wait before the next attempt, at least 1.",
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
