// Generated from openapi/account.yaml by `npm run generate`. Do not edit.
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
export type Check = components['schemas']['Check'];
export type Result = components['schemas']['Result'];
export type ResultsCursor = components['schemas']['ResultsCursor'];
export type CheckResultsPage = components['schemas']['CheckResultsPage'];
export type CheckArrivalsPage = components['schemas']['CheckArrivalsPage'];
export type Monitor = components['schemas']['Monitor'];
export type Heartbeat = components['schemas']['Heartbeat'];
export type Member = components['schemas']['Member'];
export type NotificationChannel = components['schemas']['NotificationChannel'];
export type Entitlements = components['schemas']['Entitlements'];
export type PlanUsage = components['schemas']['PlanUsage'];
export type AccountSettings = components['schemas']['AccountSettings'];
export type AccountExport = components['schemas']['AccountExport'];
export type ErrorLine = components['schemas']['ErrorLine'];
export type ResponseNoSuchCheck = components['responses']['NoSuchCheck'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseInternalServerError = components['responses']['InternalServerError'];
export type ResponseOverloaded = components['responses']['Overloaded'];
export type ResponseBadRequest = components['responses']['BadRequest'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderBearerChallenge = components['headers']['BearerChallenge'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
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
