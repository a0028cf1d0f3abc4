// Generated from openapi/account.yaml by `npm run generate`. Do not edit.
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
         * List the checks
         * @description Every check of the organisation, oldest first. The array has the shape of the check import and export file.
         */
        get: operations["listChecks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one check
         * @description One check of the organisation.
         */
        get: operations["getCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{guid}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the results of one check, page by page
         * @description Results come oldest first, at most 500 a page, in the order of (`ran_at`, `monitor_id`), which no two results of a
         *     check share. Ask for the next page with both parts of `next`; go on until a page comes empty and without `next`.
         *
         *     This order is that of the runs, not that of their arrival. A monitor that was offline uploads what it kept, and those
         *     results lie before a `next` that you already have: going on from a kept `next` misses them. To follow a check, take
         *     its arrivals instead.
         */
        get: operations["listResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{guid}/arrivals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the results of one check
         * @description Gives a reader that keeps following the cursor every stored result of the check **exactly once**, at most 500 a page.
         *     Begin without `cursor`, then always send the `cursor` of the page before. There is no last page: an empty one means
         *     that nothing new can be read yet, so wait some seconds before you ask again. Store the cursor together with what you
         *     made of its page, and go on from it whenever you like.
         *
         *     Results come in the order of (`ran_at`, `monitor_id`), about 30 seconds after they ran. A result that its monitor
         *     uploads later than that comes as soon as it is stored, so it may be older than results of earlier pages. A result
         *     that ran ahead of the server's clock comes when that clock is 30 seconds past it. Retention may delete results before
         *     a slow reader gets to them.
         */
        get: operations["listArrivals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export everything
         * @description The organisation's whole data as one JSON document: the parts before `results` first, then the results of each check,
         *     oldest first and unpaged. How alerts about a result were delivered is not part of it.
         *
         *     The answer is streamed. If the server fails midway the connection breaks and the document is cut short: treat an
         *     answer that does not parse as a failed export, and ask again.
         */
        get: operations["exportAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/heartbeats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the heartbeats
         * @description Every heartbeat of the organisation, oldest first. The token in its ping URL is never part of it.
         */
        get: operations["listHeartbeats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members
         * @description Owner first, then by email address.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/monitors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the monitors
         * @description The organisation's own monitors, enabled or not, then the monitors of the shared fleet that are enabled; each by id.
         */
        get: operations["listMonitors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notification channels
         * @description Where alerts go, oldest first, destinations and secrets unredacted.
         */
        get: operations["listNotificationChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings
         * @description The organisation, what its plan allows and what it uses, counted when asked.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
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
        /** @description A target and the rule that decides whether it is healthy, as the import and export file has it. */
        Check: {
            /**
             * @description Identifies the check everywhere. Compare it as text.
             * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
             */
            guid: string;
            /** @description What people call it. */
            name: string;
            /**
             * @description The target; its scheme (`http`, `https`, `tcp`, `tls`) selects the kind. Empty for a private definition, which only an agent holds.
             * @example https://shop.example.com/health
             */
            url: string;
            /** @description False means that the check is paused. */
            enabled: boolean;
            /**
             * Format: int32
             * @description Seconds between two runs, counted over all its monitors together, which take turns.
             */
            interval_sec: number;
            /**
             * Format: int32
             * @description Bounds one run, in seconds, at most 60. 0 or absent means 10.
             */
            timeout_sec?: number;
            /** @description The guid of another check of the organisation, or the id of a monitor. While that is down, alerts about this check wait. Absent when it depends on nothing. */
            depends_on?: string;
            /** @description Words that it is found by and that its alerts are routed by: in lower case and in order, each once. Absent when there are none. */
            tags?: string[];
            /** @description True when only the organisation's own monitors may run it: set by hand, or because its target is not a public address. */
            restricted: boolean;
            /** @description Judge the first answer of an http or https target as it is, without following redirects. */
            disable_redirects?: boolean;
            /** @description Do not verify the certificate. Has a meaning for https and tls only. */
            insecure_skip_verify?: boolean;
            /** @description When not empty, the request is a POST with this body. */
            post_data?: string;
            /** @description What to look for in the body (http, https), in the banner sent on connect (tcp) or in a line about the certificate (tls), `subject=...; san=...; issuer=...; not_after=...`. Empty asserts nothing. */
            match_string: string;
            /** @description How to look. Absent means `contains`. The regular expressions are RE2, and case-sensitive. */
            match_mode?: string;
            /** @description Replaces the rule that a status of 400 or above fails. The run passes when the status stands in this relation to `status_code_value`. */
            status_code_op?: string;
            /**
             * Format: int32
             * @description What `status_code_op` compares with, 100 to 599.
             */
            status_code_value?: number;
            /**
             * Format: int32
             * @description For https and tls, fail once the certificate has this many days or fewer left; exactly this many fails. 0 or absent means no rule.
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
             * @description How many characters of `error` and of `response_sample` a result may carry. 0 means neither is kept.
             */
            result_detail_max_chars: number;
            /**
             * Format: int32
             * @description How often a monitor runs the check again after a failure before the failure counts. 0 or absent: not at all.
             */
            retry_count?: number;
            /**
             * Format: int32
             * @description Seconds from the end of a failed run to its retry. 0 or absent means 5.
             */
            retry_interval_sec?: number;
            /**
             * Format: int32
             * @description Results slower than this many milliseconds make the check degraded, which is neither up nor down. 0 or absent means no threshold.
             */
            degraded_over_ms?: number;
            /**
             * Format: int32
             * @description How many slow results in a row make the check degraded. 0 or absent means 1.
             */
            degraded_after?: number;
            /**
             * Format: int32
             * @description The check is degraded once its certificate, or one by which that is trusted, has fewer than this many days left. 0 or absent means no warning.
             */
            cert_warn_days?: number;
            /**
             * Format: int32
             * @description How many failures in a row make the check down and raise an alert. 0 or absent means 1. The name is historical; the unit is not seconds.
             */
            down_interval_sec?: number;
            /** @description Whether the check is down only when a majority of the monitors with a fresh result is failing. Failures in a row then count for each monitor by itself. false or absent means no. */
            down_majority?: boolean;
            /**
             * Format: int32
             * @description How many of the monitors with a fresh result must be failing before the check is down, or all of them when they are fewer. Failures in a row then count for each monitor by itself. 0 or absent means that the failures of all monitors together decide. Ignored when `down_majority` is true.
             */
            down_places?: number;
            /** @description Alert on every change of state, even if the check is flapping. Otherwise a check that goes down and comes up too often is told once as flapping, and once when it has settled. false or absent means no. */
            alert_every_change?: boolean;
            /**
             * Format: int32
             * @description How many successes in a row make a check that is down up again. 0 or absent means 1.
             */
            up_successes?: number;
            /**
             * Format: int32
             * @description How often the DOWN notification of a check that is still failing repeats, in seconds. 0 or absent means never.
             */
            resend_interval_sec?: number;
            /** @description Further request headers for http and https, at most 10. */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description The current state of the check. Read-only: an import ignores it. `up` and `down` come from its results. `unmonitored`: nobody watches it, because none of its monitors is online or because those that are online have each missed two turns; its last result says nothing about now. `unknown`: there is no result to go by yet. `degraded`: it is up, but slower than its `degraded_over_ms`, or its certificate ends within its `cert_warn_days`. `paused`: it is not enabled. A check that was down when its monitors went away stays `down`. Absent in the export.
             * @example up
             */
            readonly state?: string;
            /**
             * Format: date-time
             * @description Since when the check has been in its `state`. Absent when that is not known, and for a check that was never down. Read-only: an import ignores it.
             * @example 2026-11-20T10:00:00.123456Z
             */
            readonly state_since?: string;
        };
        /** @description What one run of a check found. */
        Result: {
            /**
             * Format: date-time
             * @description When the run began.
             * @example 2026-11-20T10:00:00.123456Z
             */
            ran_at: string;
            /**
             * @description The monitor that ran it.
             * @example 7k2m9x0c4v5b
             */
            monitor_id: string;
            /** @description What people call that monitor. Absent when it has no name. */
            monitor_name?: string;
            /** @description The verdict. */
            success: boolean;
            /**
             * Format: int32
             * @description How long the target took, in milliseconds.
             */
            latency_ms: number;
            /**
             * Format: int32
             * @description The status of the last http answer. Absent when there was none.
             */
            http_status?: number;
            /** @description Why it failed. Absent on success. */
            error?: string;
            /** @description The first characters of what the target sent back, at most the check's `result_detail_max_chars`. */
            response_sample?: string;
            /** @description How `latency_ms` divides into the parts of the run, in milliseconds, each summed over redirects. A part that the run did not come to is absent, and so is the whole from an agent that does not send it. */
            timings?: {
                /**
                 * Format: int32
                 * @description Looking up the name.
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
                 * @description From the open connection until the answer began.
                 */
                first_byte_ms?: number;
                /**
                 * Format: int32
                 * @description From the beginning of the answer to its end.
                 */
                transfer_ms?: number;
            };
            /**
             * Format: date-time
             * @description When the first certificate ends of those by which the target is trusted, its own and those of its issuers. Cut to the day for a private definition. Absent when none was presented.
             * @example 2027-02-18T10:00:00.000000Z
             */
            cert_expires_at?: string;
            /**
             * Format: int32
             * @description How many runs failed before this one, which the monitor repeated by the check's `retry_count`. Absent when none did.
             */
            retries?: number;
        };
        /** @description Where a page ended. Send both parts to get the next one. */
        ResultsCursor: {
            /**
             * Format: date-time
             * @description Send as `after`.
             * @example 2026-11-20T10:00:00.123456Z
             */
            after: string;
            /**
             * @description Send as `after_monitor`.
             * @example 7k2m9x0c4v5b
             */
            after_monitor: string;
        };
        /** @description One page of results. */
        CheckResultsPage: {
            /** @description At most 500, oldest first. Empty on the last page. */
            results: components["schemas"]["Result"][];
            next?: components["schemas"]["ResultsCursor"];
        };
        /** @description Results that have arrived since a cursor was given out. */
        CheckArrivalsPage: {
            /** @description At most 500. Empty when nothing has arrived. */
            results: components["schemas"]["Result"][];
            /** @description Send as `cursor` to go on. Opaque: its form may change, and cursors that you hold stay good. */
            cursor: string;
        };
        /** @description An agent that runs checks. */
        Monitor: {
            /**
             * @description Unique over all organisations and the shared fleet.
             * @example 7k2m9x0c4v5b
             */
            id: string;
            /** @description What people call it. May be empty. */
            name: string;
            /** @description Where it stands. */
            region: string;
            /** @description Where it stands. */
            country: string;
            /** @description Where it stands. */
            city: string;
            /** @description `private` belongs to the organisation; `shared` to the fleet that all organisations use. */
            class: string;
            /** @description True when both the owner's switch and the platform's are on. The agent itself is told the same. */
            enabled: boolean;
            /** @description True when the monitor is enabled and made a request within the last 3 minutes. Checks of which no monitor is online are `unmonitored`. */
            online?: boolean;
            /**
             * Format: date-time
             * @description When it last made a request. Absent for a monitor that never made one.
             * @example 2026-11-20T10:00:00.123456Z
             */
            last_seen_at?: string;
        };
        /** @description A scheduled job that pings Dogwatch. A missing ping raises an alert. */
        Heartbeat: {
            /** @description Identifies the heartbeat. */
            guid: string;
            /** @description What people call it. */
            name: string;
            /**
             * Format: int32
             * @description Seconds in which the next ping is expected.
             */
            interval_sec: number;
            /**
             * Format: int32
             * @description Seconds allowed beyond `interval_sec` before a missing ping is a failure.
             */
            grace_sec: number;
            /** @description True when both the owner's switch and the platform's are on. */
            enabled: boolean;
            /** @description Whether the public status page shows it. */
            show_on_status_page: boolean;
            /** @description The stored state. It can be stale while `enabled` is false, since a paused heartbeat is not judged. */
            state: string;
            /**
             * Format: date-time
             * @description When it went down. Absent unless it is.
             */
            down_since?: string;
            /**
             * Format: date-time
             * @description When the last ping came. Absent before the first.
             */
            last_heartbeat_at?: string;
            /**
             * Format: int32
             * @description How often its DOWN notification repeats while it is down, in seconds. 0 or absent means never.
             */
            resend_interval_sec?: number;
            /**
             * @description The cron expression that it follows, in five fields: minute, hour, day of month, month, day of week. Absent when it is expected every `interval_sec`. With it, `interval_sec` is the longest time between two of its times.
             * @example 30 2 * * 1-5
             */
            cron?: string;
            /**
             * @description The time zone by whose clock `cron` is read. Absent without `cron`.
             * @example Europe/Paris
             */
            cron_zone?: string;
            /** @description Words that it is found by and that its alerts are routed by: in lower case and in order, each once. Absent when there are none. */
            tags?: string[];
        };
        /** @description A person in the organisation. */
        Member: {
            /**
             * Format: int64
             * @description Identifies the person.
             */
            id: number;
            /** @description The address they sign in with. */
            email: string;
            /** @description An organisation has one owner. */
            is_owner: boolean;
            /**
             * Format: date-time
             * @description When they joined.
             */
            joined_at: string;
        };
        /** @description Where alerts go. */
        NotificationChannel: {
            /**
             * Format: int64
             * @description Identifies the channel.
             */
            id: number;
            /** @description What people call it. */
            name: string;
            /** @description Which of the fields below says where it goes. */
            kind: string;
            /** @description False means that nothing is sent to it. */
            enabled: boolean;
            /** @description For kind `ntfy`. */
            ntfy_topic?: string;
            /** @description For kind `email`, one address. */
            email?: string;
            /** @description For the kinds `webhook` and `slack`. */
            webhook_url?: string;
            /** @description For kind `webhook`. Messages are signed with it; absent or empty means they are sent unsigned. */
            webhook_secret?: string;
            /** @description For kind `email`. True while the owner of the address has not confirmed that alerts may be sent there; absent otherwise. */
            unconfirmed?: boolean;
            /** @description For kinds that the fields above do not name. Where it goes, secrets included, by the names of the kind's own fields. */
            destination?: {
                [key: string]: string;
            };
        };
        /** @description The limits of the plan. The keys use this capitalisation for compatibility. */
        Entitlements: {
            /** @description The plan; `custom` when an operator set limits by hand. */
            Plan?: string;
            /**
             * Format: int32
             * @description 0 means unlimited.
             */
            MaxChecks?: number;
            /**
             * Format: int32
             * @description 0 means none at all; there is no unlimited.
             */
            MaxHeartbeats?: number;
            /**
             * Format: int32
             * @description 0 means unlimited.
             */
            MaxMembers?: number;
            /**
             * Format: int32
             * @description 0 means unlimited.
             */
            MaxNotificationChannels?: number;
            /**
             * Format: int32
             * @description The longest timeout a check may have.
             */
            MaxTimeoutSec?: number;
            /**
             * Format: int32
             * @description The shortest interval a check may have.
             */
            MinIntervalSec?: number;
            /**
             * Format: int32
             * @description How many days single results are kept.
             */
            RetentionRawDays?: number;
            /**
             * Format: int32
             * @description How many days hourly and daily figures are kept.
             */
            RetentionRollupDays?: number;
            /** @description Whether email channels may be made. */
            AllowChannelEmail?: boolean;
            /** @description Whether ntfy channels may be made. */
            AllowChannelNtfy?: boolean;
            /** @description Whether Slack channels may be made. */
            AllowChannelSlack?: boolean;
            /** @description Whether webhook channels may be made. */
            AllowChannelWebhook?: boolean;
            /** @description Whether a public status page may be shown. */
            AllowStatusPage?: boolean;
            /**
             * Format: int32
             * @description A price agreed by hand.
             */
            CustomPriceCents?: number;
            /** @description The period of that price. Empty or absent means that none is recorded, whatever the plan. */
            CustomPricePeriod?: string;
        };
        /** @description What is in use now. The keys are capitalised so. */
        PlanUsage: {
            /**
             * Format: int32
             * @description How many checks there are.
             */
            Checks?: number;
            /**
             * Format: int32
             * @description How many of them warn of an expiring certificate.
             */
            ChecksWithCertExpiry?: number;
            /**
             * Format: int32
             * @description How many heartbeats there are.
             */
            Heartbeats?: number;
            /**
             * Format: int32
             * @description The longest timeout any check has; 0 when there is no check.
             */
            MaxTimeoutSec?: number;
            /**
             * Format: int32
             * @description The shortest interval any check has; 0 when there is no check.
             */
            MinIntervalSec?: number;
            /**
             * Format: int32
             * @description How many members there are.
             */
            Members?: number;
            /**
             * Format: int32
             * @description How many channels there are.
             */
            NotificationChannels?: number;
            /** @description The organisation's own switch, whether or not the plan allows the page. */
            StatusPageEnabled?: boolean;
            /** @description The kinds of the channels that exist, for people to read, with commas between. */
            UsedChannelKindsLabel?: string;
        };
        /** @description The organisation and its plan. */
        AccountSettings: {
            /** @description What people call the organisation. */
            org_name: string;
            entitlements: components["schemas"]["Entitlements"];
            plan_usage: components["schemas"]["PlanUsage"];
        };
        /** @description Everything the organisation has. */
        AccountExport: {
            /** @description What people call the organisation. */
            org_name: string;
            /**
             * Format: date-time
             * @description When the export began.
             */
            generated_at: string;
            entitlements: components["schemas"]["Entitlements"];
            plan_usage: components["schemas"]["PlanUsage"];
            /** @description As `GET /checks`. */
            checks: components["schemas"]["Check"][];
            /** @description As `GET /monitors`. */
            monitors: components["schemas"]["Monitor"][];
            /** @description As `GET /heartbeats`. */
            heartbeats: components["schemas"]["Heartbeat"][];
            /** @description As `GET /notification-channels`. */
            notification_channels: components["schemas"]["NotificationChannel"][];
            /** @description As `GET /members`. */
            members: components["schemas"]["Member"][];
            /** @description The retained results of each check under its guid, oldest first; `[]` for a check that has none. */
            results: {
                [key: string]: components["schemas"]["Result"][];
            };
        };
        /** @description One line of plain text, lower case, that says what is wrong. */
        ErrorLine: string;
    };
    responses: {
        /** @description The organisation has no check of that guid. */
        NoSuchCheck: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example no check with that guid */
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
    listChecks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The checks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Check"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The check's `guid`, compared as text.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Check"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchCheck"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listResults: {
        parameters: {
            query?: {
                /**
                 * @description `after` of an earlier page's `next`. Alone, without `after_monitor`, it starts at that instant, inclusive. Left out: from the first result.
                 * @example 2026-11-20T10:00:00.123456Z
                 */
                after?: string;
                /**
                 * @description `after_monitor` of the same `next`. Ignored without `after`.
                 * @example 7k2m9x0c4v5b
                 */
                after_monitor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The check's `guid`, compared as text.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, and where the next one begins. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckResultsPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchCheck"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listArrivals: {
        parameters: {
            query?: {
                /**
                 * @description `cursor` of an earlier page for the same check. Left out: a new reader, which gets the stored results first, oldest first.
                 * @example WzEsIk1YUl9wTTRYIiwwLCIyMDI2LTExLTIwVDEwOjAwOjAwLjEyMzQ1NloiLCI3azJtOXgwYzR2NWIiXQ
                 */
                cursor?: string;
                /**
                 * @description Where a new reader begins, instead of at the first result: what ran at or after this instant. Results that ran before it and are stored late may come too. Ignored with `cursor`.
                 * @example 2026-11-20T10:00:00.123456Z
                 */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The check's `guid`, compared as text.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What has arrived, and the cursor to go on from. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckArrivalsPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NoSuchCheck"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    exportAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /**
                     * @description Always `attachment`, with a file name.
                     * @example attachment; filename="dogwatch-export.json"
                     */
                    "Content-Disposition": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountExport"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listHeartbeats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The heartbeats. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Heartbeat"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listMonitors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The monitors. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Monitor"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listNotificationChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channels. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationChannel"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountSettings"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
}

/** The security scheme of each operation. */
export interface security {
    listChecks: "personalAccessToken";
    getCheck: "personalAccessToken";
    listResults: "personalAccessToken";
    listArrivals: "personalAccessToken";
    exportAccount: "personalAccessToken";
    listHeartbeats: "personalAccessToken";
    listMembers: "personalAccessToken";
    listMonitors: "personalAccessToken";
    listNotificationChannels: "personalAccessToken";
    getSettings: "personalAccessToken";
}

/** The document itself, references resolved. */
export const document: Readonly<Record<string, unknown>> = resolved({
  "openapi": "3.0.3",
  "info": {
    "title": "Dogwatch account API",
    "version": "1.0.0",
    "license": {
      "name": "MIT",
      "url": "https://opensource.org/license/mit"
    },
    "description": "Reads what one organisation has in Dogwatch: checks with their results, monitors, heartbeats, channels, members,\nsettings, and all of it in one export. It creates and changes nothing.\n\n**Errors are `text/plain`**, one line each, never JSON. Do not parse an answer of 400 or above as JSON.\n\nThe credential is a personal access token. It reads the organisation's notification destinations and secrets\nunredacted, so keep it like a password.\n\nTimestamps are UTC with exactly six fractional digits (`2026-11-20T10:00:00.123456Z`), so that lexical order is\nchronological order. An optional field that is 0, false or empty is absent, never null.\n\nLimits, per token: 5 requests a second with a burst of 20; the export besides that once a minute with a burst of 2.\nA limit per client address stands in front of both.\n\nWithin version 1 of the path, changes are additive: fields may appear, so ignore the ones you do not know.\n"
  },
  "servers": [
    {
      "url": "/account-api/v1",
      "description": "Relative to the base URL of the server."
    }
  ],
  "tags": [
    {
      "name": "checks",
      "description": "Checks and their results."
    },
    {
      "name": "fleet",
      "description": "Monitors."
    },
    {
      "name": "organisation",
      "description": "The organisation, its plan and its usage."
    },
    {
      "name": "export",
      "description": "Export of all data."
    }
  ],
  "security": [
    {
      "personalAccessToken": []
    }
  ],
  "paths": {
    "/checks": {
      "get": {
        "operationId": "listChecks",
        "summary": "List the checks",
        "description": "Every check of the organisation, oldest first. The array has the shape of the check import and export file.\n",
        "tags": [
          "checks"
        ],
        "responses": {
          "200": {
            "description": "The checks.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "type": "array",
                  "items": {
                    "$ref": "#/components/schemas/Check"
                  }
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
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
    "/checks/{guid}": {
      "get": {
        "operationId": "getCheck",
        "summary": "Read one check",
        "description": "One check of the organisation.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "name": "guid",
            "in": "path",
            "required": true,
            "description": "The check's `guid`, compared as text.",
            "schema": {
              "type": "string"
            },
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          }
        ],
        "responses": {
          "200": {
            "description": "The check.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Check"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "404": {
            "$ref": "#/components/responses/NoSuchCheck"
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
    "/checks/{guid}/results": {
      "get": {
        "operationId": "listResults",
        "summary": "Read the results of one check, page by page",
        "description": "Results come oldest first, at most 500 a page, in the order of (`ran_at`, `monitor_id`), which no two results of a\ncheck share. Ask for the next page with both parts of `next`; go on until a page comes empty and without `next`.\n\nThis order is that of the runs, not that of their arrival. A monitor that was offline uploads what it kept, and those\nresults lie before a `next` that you already have: going on from a kept `next` misses them. To follow a check, take\nits arrivals instead.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "name": "guid",
            "in": "path",
            "required": true,
            "description": "The check's `guid`, compared as text.",
            "schema": {
              "type": "string"
            },
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          },
          {
            "name": "after",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "`after` of an earlier page's `next`. Alone, without `after_monitor`, it starts at that instant, inclusive. Left out: from the first result.",
            "schema": {
              "type": "string",
              "format": "date-time"
            },
            "example": "2026-11-20T10:00:00.123456Z"
          },
          {
            "name": "after_monitor",
            "in": "query",
            "required": false,
            "description": "`after_monitor` of the same `next`. Ignored without `after`.",
            "schema": {
              "type": "string"
            },
            "example": "7k2m9x0c4v5b"
          }
        ],
        "responses": {
          "200": {
            "description": "A page, and where the next one begins.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CheckResultsPage"
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
            "$ref": "#/components/responses/NoSuchCheck"
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
    "/checks/{guid}/arrivals": {
      "get": {
        "operationId": "listArrivals",
        "summary": "Follow the results of one check",
        "description": "Gives a reader that keeps following the cursor every stored result of the check **exactly once**, at most 500 a page.\nBegin without `cursor`, then always send the `cursor` of the page before. There is no last page: an empty one means\nthat nothing new can be read yet, so wait some seconds before you ask again. Store the cursor together with what you\nmade of its page, and go on from it whenever you like.\n\nResults come in the order of (`ran_at`, `monitor_id`), about 30 seconds after they ran. A result that its monitor\nuploads later than that comes as soon as it is stored, so it may be older than results of earlier pages. A result\nthat ran ahead of the server's clock comes when that clock is 30 seconds past it. Retention may delete results before\na slow reader gets to them.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "name": "guid",
            "in": "path",
            "required": true,
            "description": "The check's `guid`, compared as text.",
            "schema": {
              "type": "string"
            },
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          },
          {
            "name": "cursor",
            "in": "query",
            "required": false,
            "allowEmptyValue": true,
            "description": "`cursor` of an earlier page for the same check. Left out: a new reader, which gets the stored results first, oldest first.",
            "schema": {
              "type": "string",
              "maxLength": 200
            },
            "example": "WzEsIk1YUl9wTTRYIiwwLCIyMDI2LTExLTIwVDEwOjAwOjAwLjEyMzQ1NloiLCI3azJtOXgwYzR2NWIiXQ"
          },
          {
            "name": "after",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Where a new reader begins, instead of at the first result: what ran at or after this instant. Results that ran before it and are stored late may come too. Ignored with `cursor`.",
            "schema": {
              "type": "string",
              "format": "date-time"
            },
            "example": "2026-11-20T10:00:00.123456Z"
          }
        ],
        "responses": {
          "200": {
            "description": "What has arrived, and the cursor to go on from.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CheckArrivalsPage"
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
            "$ref": "#/components/responses/NoSuchCheck"
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
    "/export": {
      "get": {
        "operationId": "exportAccount",
        "summary": "Export everything",
        "description": "The organisation's whole data as one JSON document: the parts before `results` first, then the results of each check,\noldest first and unpaged. How alerts about a result were delivered is not part of it.\n\nThe answer is streamed. If the server fails midway the connection breaks and the document is cut short: treat an\nanswer that does not parse as a failed export, and ask again.\n",
        "tags": [
          "export"
        ],
        "responses": {
          "200": {
            "description": "The document.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "Content-Disposition": {
                "description": "Always `attachment`, with a file name.",
                "required": true,
                "schema": {
                  "type": "string"
                },
                "example": "attachment; filename=\"dogwatch-export.json\""
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AccountExport"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
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
    "/heartbeats": {
      "get": {
        "operationId": "listHeartbeats",
        "summary": "List the heartbeats",
        "description": "Every heartbeat of the organisation, oldest first. The token in its ping URL is never part of it.\n",
        "tags": [
          "checks"
        ],
        "responses": {
          "200": {
            "description": "The heartbeats.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "type": "array",
                  "items": {
                    "$ref": "#/components/schemas/Heartbeat"
                  }
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
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
    "/members": {
      "get": {
        "operationId": "listMembers",
        "summary": "List the members",
        "description": "Owner first, then by email address.\n",
        "tags": [
          "organisation"
        ],
        "responses": {
          "200": {
            "description": "The members.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "type": "array",
                  "items": {
                    "$ref": "#/components/schemas/Member"
                  }
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
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
    "/monitors": {
      "get": {
        "operationId": "listMonitors",
        "summary": "List the monitors",
        "description": "The organisation's own monitors, enabled or not, then the monitors of the shared fleet that are enabled; each by id.\n",
        "tags": [
          "fleet"
        ],
        "responses": {
          "200": {
            "description": "The monitors.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "type": "array",
                  "items": {
                    "$ref": "#/components/schemas/Monitor"
                  }
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
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
    "/notification-channels": {
      "get": {
        "operationId": "listNotificationChannels",
        "summary": "List the notification channels",
        "description": "Where alerts go, oldest first, destinations and secrets unredacted.\n",
        "tags": [
          "organisation"
        ],
        "responses": {
          "200": {
            "description": "The channels.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "type": "array",
                  "items": {
                    "$ref": "#/components/schemas/NotificationChannel"
                  }
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
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
    "/settings": {
      "get": {
        "operationId": "getSettings",
        "summary": "Read the settings",
        "description": "The organisation, what its plan allows and what it uses, counted when asked.\n",
        "tags": [
          "organisation"
        ],
        "responses": {
          "200": {
            "description": "The settings.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AccountSettings"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
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
      "personalAccessToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token that an organisation's owner makes in the browser, `dogwatch_pat_...`. It is shown once, reads one organisation, and works as long as its maker is a member."
      }
    },
    "responses": {
      "NoSuchCheck": {
        "description": "The organisation has no check of that guid.",
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
            "example": "no check with that guid"
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
      }
    },
    "schemas": {
      "Check": {
        "description": "A target and the rule that decides whether it is healthy, as the import and export file has it.",
        "type": "object",
        "required": [
          "guid",
          "name",
          "url",
          "enabled",
          "restricted",
          "interval_sec",
          "match_string",
          "result_detail_max_chars"
        ],
        "properties": {
          "guid": {
            "description": "Identifies the check everywhere. Compare it as text.",
            "type": "string",
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          },
          "name": {
            "description": "What people call it.",
            "type": "string"
          },
          "url": {
            "description": "The target; its scheme (`http`, `https`, `tcp`, `tls`) selects the kind. Empty for a private definition, which only an agent holds.",
            "type": "string",
            "example": "https://shop.example.com/health"
          },
          "enabled": {
            "description": "False means that the check is paused.",
            "type": "boolean"
          },
          "interval_sec": {
            "description": "Seconds between two runs, counted over all its monitors together, which take turns.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "timeout_sec": {
            "description": "Bounds one run, in seconds, at most 60. 0 or absent means 10.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 60
          },
          "depends_on": {
            "description": "The guid of another check of the organisation, or the id of a monitor. While that is down, alerts about this check wait. Absent when it depends on nothing.",
            "type": "string",
            "maxLength": 64
          },
          "tags": {
            "description": "Words that it is found by and that its alerts are routed by: in lower case and in order, each once. Absent when there are none.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "restricted": {
            "description": "True when only the organisation's own monitors may run it: set by hand, or because its target is not a public address.",
            "type": "boolean"
          },
          "disable_redirects": {
            "description": "Judge the first answer of an http or https target as it is, without following redirects.",
            "type": "boolean"
          },
          "insecure_skip_verify": {
            "description": "Do not verify the certificate. Has a meaning for https and tls only.",
            "type": "boolean"
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
            "description": "Replaces the rule that a status of 400 or above fails. The run passes when the status stands in this relation to `status_code_value`.",
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
            "description": "What `status_code_op` compares with, 100 to 599.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 599
          },
          "cert_expiry_warn_days": {
            "description": "For https and tls, fail once the certificate has this many days or fewer left; exactly this many fails. 0 or absent means no rule.",
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
            "description": "How many characters of `error` and of `response_sample` a result may carry. 0 means neither is kept.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "retry_count": {
            "description": "How often a monitor runs the check again after a failure before the failure counts. 0 or absent: not at all.",
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
          "degraded_over_ms": {
            "description": "Results slower than this many milliseconds make the check degraded, which is neither up nor down. 0 or absent means no threshold.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "degraded_after": {
            "description": "How many slow results in a row make the check degraded. 0 or absent means 1.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "cert_warn_days": {
            "description": "The check is degraded once its certificate, or one by which that is trusted, has fewer than this many days left. 0 or absent means no warning.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "down_interval_sec": {
            "description": "How many failures in a row make the check down and raise an alert. 0 or absent means 1. The name is historical; the unit is not seconds.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "down_majority": {
            "description": "Whether the check is down only when a majority of the monitors with a fresh result is failing. Failures in a row then count for each monitor by itself. false or absent means no.",
            "type": "boolean"
          },
          "down_places": {
            "description": "How many of the monitors with a fresh result must be failing before the check is down, or all of them when they are fewer. Failures in a row then count for each monitor by itself. 0 or absent means that the failures of all monitors together decide. Ignored when `down_majority` is true.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "alert_every_change": {
            "description": "Alert on every change of state, even if the check is flapping. Otherwise a check that goes down and comes up too often is told once as flapping, and once when it has settled. false or absent means no.",
            "type": "boolean"
          },
          "up_successes": {
            "description": "How many successes in a row make a check that is down up again. 0 or absent means 1.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "resend_interval_sec": {
            "description": "How often the DOWN notification of a check that is still failing repeats, in seconds. 0 or absent means never.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "headers": {
            "description": "Further request headers for http and https, at most 10.",
            "type": "object",
            "maxProperties": 10,
            "additionalProperties": {
              "type": "string"
            }
          },
          "state": {
            "description": "The current state of the check. Read-only: an import ignores it. `up` and `down` come from its results. `unmonitored`: nobody watches it, because none of its monitors is online or because those that are online have each missed two turns; its last result says nothing about now. `unknown`: there is no result to go by yet. `degraded`: it is up, but slower than its `degraded_over_ms`, or its certificate ends within its `cert_warn_days`. `paused`: it is not enabled. A check that was down when its monitors went away stays `down`. Absent in the export.",
            "type": "string",
            "readOnly": true,
            "x-extensible-enum": [
              "up",
              "down",
              "unmonitored",
              "unknown",
              "paused",
              "degraded"
            ],
            "example": "up"
          },
          "state_since": {
            "description": "Since when the check has been in its `state`. Absent when that is not known, and for a check that was never down. Read-only: an import ignores it.",
            "type": "string",
            "format": "date-time",
            "readOnly": true,
            "example": "2026-11-20T10:00:00.123456Z"
          }
        }
      },
      "Result": {
        "description": "What one run of a check found.",
        "type": "object",
        "required": [
          "ran_at",
          "monitor_id",
          "success",
          "latency_ms"
        ],
        "properties": {
          "ran_at": {
            "description": "When the run began.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          },
          "monitor_id": {
            "description": "The monitor that ran it.",
            "type": "string",
            "example": "7k2m9x0c4v5b"
          },
          "monitor_name": {
            "description": "What people call that monitor. Absent when it has no name.",
            "type": "string"
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
            "description": "The status of the last http answer. Absent when there was none.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 999
          },
          "error": {
            "description": "Why it failed. Absent on success.",
            "type": "string"
          },
          "response_sample": {
            "description": "The first characters of what the target sent back, at most the check's `result_detail_max_chars`.",
            "type": "string"
          },
          "timings": {
            "description": "How `latency_ms` divides into the parts of the run, in milliseconds, each summed over redirects. A part that the run did not come to is absent, and so is the whole from an agent that does not send it.",
            "type": "object",
            "properties": {
              "dns_ms": {
                "description": "Looking up the name.",
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
                "description": "From the open connection until the answer began.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              },
              "transfer_ms": {
                "description": "From the beginning of the answer to its end.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              }
            }
          },
          "cert_expires_at": {
            "description": "When the first certificate ends of those by which the target is trusted, its own and those of its issuers. Cut to the day for a private definition. Absent when none was presented.",
            "type": "string",
            "format": "date-time",
            "example": "2027-02-18T10:00:00.000000Z"
          },
          "retries": {
            "description": "How many runs failed before this one, which the monitor repeated by the check's `retry_count`. Absent when none did.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          }
        }
      },
      "ResultsCursor": {
        "description": "Where a page ended. Send both parts to get the next one.",
        "type": "object",
        "required": [
          "after",
          "after_monitor"
        ],
        "properties": {
          "after": {
            "description": "Send as `after`.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          },
          "after_monitor": {
            "description": "Send as `after_monitor`.",
            "type": "string",
            "example": "7k2m9x0c4v5b"
          }
        }
      },
      "CheckResultsPage": {
        "description": "One page of results.",
        "type": "object",
        "required": [
          "results"
        ],
        "properties": {
          "results": {
            "description": "At most 500, oldest first. Empty on the last page.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Result"
            }
          },
          "next": {
            "$ref": "#/components/schemas/ResultsCursor"
          }
        }
      },
      "CheckArrivalsPage": {
        "description": "Results that have arrived since a cursor was given out.",
        "type": "object",
        "required": [
          "results",
          "cursor"
        ],
        "properties": {
          "results": {
            "description": "At most 500. Empty when nothing has arrived.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Result"
            }
          },
          "cursor": {
            "description": "Send as `cursor` to go on. Opaque: its form may change, and cursors that you hold stay good.",
            "type": "string",
            "maxLength": 200
          }
        }
      },
      "Monitor": {
        "description": "An agent that runs checks.",
        "type": "object",
        "required": [
          "id",
          "name",
          "region",
          "country",
          "city",
          "class",
          "enabled"
        ],
        "properties": {
          "id": {
            "description": "Unique over all organisations and the shared fleet.",
            "type": "string",
            "example": "7k2m9x0c4v5b"
          },
          "name": {
            "description": "What people call it. May be empty.",
            "type": "string"
          },
          "region": {
            "description": "Where it stands.",
            "type": "string"
          },
          "country": {
            "description": "Where it stands.",
            "type": "string"
          },
          "city": {
            "description": "Where it stands.",
            "type": "string"
          },
          "class": {
            "description": "`private` belongs to the organisation; `shared` to the fleet that all organisations use.",
            "type": "string",
            "x-extensible-enum": [
              "private",
              "shared"
            ]
          },
          "enabled": {
            "description": "True when both the owner's switch and the platform's are on. The agent itself is told the same.",
            "type": "boolean"
          },
          "online": {
            "description": "True when the monitor is enabled and made a request within the last 3 minutes. Checks of which no monitor is online are `unmonitored`.",
            "type": "boolean"
          },
          "last_seen_at": {
            "description": "When it last made a request. Absent for a monitor that never made one.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          }
        }
      },
      "Heartbeat": {
        "description": "A scheduled job that pings Dogwatch. A missing ping raises an alert.",
        "type": "object",
        "required": [
          "guid",
          "name",
          "interval_sec",
          "grace_sec",
          "enabled",
          "show_on_status_page",
          "state"
        ],
        "properties": {
          "guid": {
            "description": "Identifies the heartbeat.",
            "type": "string"
          },
          "name": {
            "description": "What people call it.",
            "type": "string"
          },
          "interval_sec": {
            "description": "Seconds in which the next ping is expected.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "grace_sec": {
            "description": "Seconds allowed beyond `interval_sec` before a missing ping is a failure.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "enabled": {
            "description": "True when both the owner's switch and the platform's are on.",
            "type": "boolean"
          },
          "show_on_status_page": {
            "description": "Whether the public status page shows it.",
            "type": "boolean"
          },
          "state": {
            "description": "The stored state. It can be stale while `enabled` is false, since a paused heartbeat is not judged.",
            "type": "string",
            "x-extensible-enum": [
              "new",
              "up",
              "down"
            ]
          },
          "down_since": {
            "description": "When it went down. Absent unless it is.",
            "type": "string",
            "format": "date-time"
          },
          "last_heartbeat_at": {
            "description": "When the last ping came. Absent before the first.",
            "type": "string",
            "format": "date-time"
          },
          "resend_interval_sec": {
            "description": "How often its DOWN notification repeats while it is down, in seconds. 0 or absent means never.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "cron": {
            "description": "The cron expression that it follows, in five fields: minute, hour, day of month, month, day of week. Absent when it is expected every `interval_sec`. With it, `interval_sec` is the longest time between two of its times.",
            "type": "string",
            "example": "30 2 * * 1-5"
          },
          "cron_zone": {
            "description": "The time zone by whose clock `cron` is read. Absent without `cron`.",
            "type": "string",
            "example": "Europe/Paris"
          },
          "tags": {
            "description": "Words that it is found by and that its alerts are routed by: in lower case and in order, each once. Absent when there are none.",
            "type": "array",
            "items": {
              "type": "string"
            }
          }
        }
      },
      "Member": {
        "description": "A person in the organisation.",
        "type": "object",
        "required": [
          "id",
          "email",
          "is_owner",
          "joined_at"
        ],
        "properties": {
          "id": {
            "description": "Identifies the person.",
            "type": "integer",
            "format": "int64"
          },
          "email": {
            "description": "The address they sign in with.",
            "type": "string"
          },
          "is_owner": {
            "description": "An organisation has one owner.",
            "type": "boolean"
          },
          "joined_at": {
            "description": "When they joined.",
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "NotificationChannel": {
        "description": "Where alerts go.",
        "type": "object",
        "required": [
          "id",
          "name",
          "kind",
          "enabled"
        ],
        "properties": {
          "id": {
            "description": "Identifies the channel.",
            "type": "integer",
            "format": "int64"
          },
          "name": {
            "description": "What people call it.",
            "type": "string"
          },
          "kind": {
            "description": "Which of the fields below says where it goes.",
            "type": "string",
            "x-extensible-enum": [
              "ntfy",
              "email",
              "webhook",
              "slack",
              "discord",
              "teams",
              "telegram",
              "pagerduty",
              "opsgenie",
              "pushover",
              "gotify",
              "mattermost",
              "google-chat",
              "matrix",
              "zulip",
              "twilio-sms",
              "twilio-voice",
              "signal",
              "webhook-template",
              "alertmanager",
              "syslog",
              "apprise"
            ]
          },
          "enabled": {
            "description": "False means that nothing is sent to it.",
            "type": "boolean"
          },
          "ntfy_topic": {
            "description": "For kind `ntfy`.",
            "type": "string"
          },
          "email": {
            "description": "For kind `email`, one address.",
            "type": "string"
          },
          "webhook_url": {
            "description": "For the kinds `webhook` and `slack`.",
            "type": "string"
          },
          "webhook_secret": {
            "description": "For kind `webhook`. Messages are signed with it; absent or empty means they are sent unsigned.",
            "type": "string"
          },
          "unconfirmed": {
            "description": "For kind `email`. True while the owner of the address has not confirmed that alerts may be sent there; absent otherwise.",
            "type": "boolean"
          },
          "destination": {
            "description": "For kinds that the fields above do not name. Where it goes, secrets included, by the names of the kind's own fields.",
            "type": "object",
            "additionalProperties": {
              "type": "string"
            }
          }
        }
      },
      "Entitlements": {
        "description": "The limits of the plan. The keys use this capitalisation for compatibility.",
        "type": "object",
        "properties": {
          "Plan": {
            "description": "The plan; `custom` when an operator set limits by hand.",
            "type": "string",
            "x-extensible-enum": [
              "free",
              "solo",
              "double",
              "team",
              "custom"
            ]
          },
          "MaxChecks": {
            "description": "0 means unlimited.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxHeartbeats": {
            "description": "0 means none at all; there is no unlimited.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxMembers": {
            "description": "0 means unlimited.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxNotificationChannels": {
            "description": "0 means unlimited.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxTimeoutSec": {
            "description": "The longest timeout a check may have.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MinIntervalSec": {
            "description": "The shortest interval a check may have.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "RetentionRawDays": {
            "description": "How many days single results are kept.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "RetentionRollupDays": {
            "description": "How many days hourly and daily figures are kept.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "AllowChannelEmail": {
            "description": "Whether email channels may be made.",
            "type": "boolean"
          },
          "AllowChannelNtfy": {
            "description": "Whether ntfy channels may be made.",
            "type": "boolean"
          },
          "AllowChannelSlack": {
            "description": "Whether Slack channels may be made.",
            "type": "boolean"
          },
          "AllowChannelWebhook": {
            "description": "Whether webhook channels may be made.",
            "type": "boolean"
          },
          "AllowStatusPage": {
            "description": "Whether a public status page may be shown.",
            "type": "boolean"
          },
          "CustomPriceCents": {
            "description": "A price agreed by hand.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "CustomPricePeriod": {
            "description": "The period of that price. Empty or absent means that none is recorded, whatever the plan.",
            "type": "string"
          }
        }
      },
      "PlanUsage": {
        "description": "What is in use now. The keys are capitalised so.",
        "type": "object",
        "properties": {
          "Checks": {
            "description": "How many checks there are.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "ChecksWithCertExpiry": {
            "description": "How many of them warn of an expiring certificate.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "Heartbeats": {
            "description": "How many heartbeats there are.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxTimeoutSec": {
            "description": "The longest timeout any check has; 0 when there is no check.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MinIntervalSec": {
            "description": "The shortest interval any check has; 0 when there is no check.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "Members": {
            "description": "How many members there are.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "NotificationChannels": {
            "description": "How many channels there are.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "StatusPageEnabled": {
            "description": "The organisation's own switch, whether or not the plan allows the page.",
            "type": "boolean"
          },
          "UsedChannelKindsLabel": {
            "description": "The kinds of the channels that exist, for people to read, with commas between.",
            "type": "string"
          }
        }
      },
      "AccountSettings": {
        "description": "The organisation and its plan.",
        "type": "object",
        "required": [
          "org_name",
          "entitlements",
          "plan_usage"
        ],
        "properties": {
          "org_name": {
            "description": "What people call the organisation.",
            "type": "string"
          },
          "entitlements": {
            "$ref": "#/components/schemas/Entitlements"
          },
          "plan_usage": {
            "$ref": "#/components/schemas/PlanUsage"
          }
        }
      },
      "AccountExport": {
        "description": "Everything the organisation has.",
        "type": "object",
        "required": [
          "org_name",
          "generated_at",
          "entitlements",
          "plan_usage",
          "checks",
          "monitors",
          "heartbeats",
          "notification_channels",
          "members",
          "results"
        ],
        "properties": {
          "org_name": {
            "description": "What people call the organisation.",
            "type": "string"
          },
          "generated_at": {
            "description": "When the export began.",
            "type": "string",
            "format": "date-time"
          },
          "entitlements": {
            "$ref": "#/components/schemas/Entitlements"
          },
          "plan_usage": {
            "$ref": "#/components/schemas/PlanUsage"
          },
          "checks": {
            "description": "As `GET /checks`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Check"
            }
          },
          "monitors": {
            "description": "As `GET /monitors`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Monitor"
            }
          },
          "heartbeats": {
            "description": "As `GET /heartbeats`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Heartbeat"
            }
          },
          "notification_channels": {
            "description": "As `GET /notification-channels`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/NotificationChannel"
            }
          },
          "members": {
            "description": "As `GET /members`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Member"
            }
          },
          "results": {
            "description": "The retained results of each check under its guid, oldest first; `[]` for a check that has none.",
            "type": "object",
            "additionalProperties": {
              "type": "array",
              "items": {
                "$ref": "#/components/schemas/Result"
              }
            }
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
  }
});
