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
         * @description Returns all checks of the organisation, oldest first. The array has the format of the check import and export file.
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
         * Read a check
         * @description Returns one check of the organisation.
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
         * Read the results of a check in pages
         * @description Returns at most 500 results per page, oldest first, in the order of (`ran_at`, `monitor_id`). This pair is unique per
         *     check. For the next page, send both fields of `next`. Continue until a page has empty `results` and no `next`.
         *
         *     Results are in the order of their runs, not of their arrival. A monitor that was offline uploads its results late. If
         *     their time is before a `next` that you have stored, you miss them. To follow a check without missing results, use
         *     `/checks/{guid}/arrivals`.
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
         * Follow the results of a check
         * @description Returns each stored result of the check **exactly once** to a reader that follows the cursor, at most 500 per page.
         *     Send the first request without `cursor`. In each further request, send the `cursor` of the previous page. There is no
         *     last page. If a page is empty, there are no new results yet, so wait some seconds before the next request. Store each
         *     cursor together with the results of its page; you can continue from a cursor at any time.
         *
         *     Results are in the order of (`ran_at`, `monitor_id`), and appear about 30 seconds after their runs. A result that is
         *     uploaded later appears as soon as it is stored, so it can be older than the results of earlier pages. If `ran_at` of a
         *     result is ahead of the server's clock, the result appears when this clock is 30 seconds past `ran_at`. Retention can
         *     delete results before a slow reader reads them.
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
         * Export all data
         * @description Returns all data of the organisation as one JSON document. `results` is the last field: it contains the results of
         *     each check, oldest first and unpaged. The delivery history of alerts is not included.
         *
         *     The response is streamed. If the server fails midway, the connection breaks and the document is truncated. If the
         *     response is not valid JSON, the export has failed: request it again.
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
         * @description Returns all heartbeats of the organisation, oldest first. The token of the ping URL is never included.
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
         * @description Returns the owner first, then the other members by email address.
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
         * @description Returns all monitors of the organisation, enabled or not, and then the enabled shared monitors. Each group is in the order of ids.
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
         * @description Returns all notification channels, oldest first. Destinations and secrets are unredacted.
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
         * @description Returns the name of the organisation, the limits of its plan, and its current usage.
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
        /** @description A target and the rules that decide whether the target is healthy, in the format of the import and export file. */
        Check: {
            /**
             * @description Identifier of the check. Compare it as text.
             * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
             */
            guid: string;
            /** @description Name of the check. */
            name: string;
            /**
             * @description Target of the check. The scheme, such as `https` or `dns`, selects the kind of check. Checks with `composite:` or `domain:` have no results, because the server judges them. Empty for a private definition, which only an agent has.
             * @example https://shop.example.com/health
             */
            url: string;
            /** @description False if the check is paused. */
            enabled: boolean;
            /**
             * Format: int32
             * @description Number of seconds between two runs, over all monitors of the check together. The monitors take turns.
             */
            interval_sec: number;
            /**
             * Format: int32
             * @description Maximum duration of one run, in seconds, at most 60. 0 or absent means 10.
             */
            timeout_sec?: number;
            /** @description Guid of another check of the organisation, or id of a monitor. While this dependency is down, alerts about the check wait. Absent if the check depends on nothing. */
            depends_on?: string;
            /** @description Tags of the check, for searching and for routing alerts: unique, in lower case, in alphabetical order. Absent if there are none. */
            tags?: string[];
            /** @description True if only the organisation's own monitors may run the check. Someone set this, or the target is not a public address. */
            restricted: boolean;
            /**
             * @description Method of the request for http and https, in capital letters. Absent: GET, or POST if there is a `post_data`.
             * @example PUT
             */
            method?: string;
            /** @description Whether to judge the first response of an http or https target without following redirects. Default: false. */
            disable_redirects?: boolean;
            /** @description Whether to skip the verification of the certificate. Applies only to https and tls. Default: false. */
            insecure_skip_verify?: boolean;
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
             * @description Status code with which `status_code_op` compares, 100 to 599.
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
             * @description Maximum number of characters in `error` and in `response_sample` of a result. 0 means that neither is stored.
             */
            result_detail_max_chars: number;
            /**
             * Format: int32
             * @description Maximum number of retries after a failed run, before the failure counts. 0 or absent means no retries.
             */
            retry_count?: number;
            /**
             * Format: int32
             * @description Number of seconds between the end of a failed run and its retry. 0 or absent means 5.
             */
            retry_interval_sec?: number;
            /**
             * Format: int32
             * @description Response time in milliseconds above which a result is slow. Slow results make the check degraded. 0 or absent means no limit.
             */
            degraded_over_ms?: number;
            /**
             * Format: int32
             * @description Number of consecutive slow results after which the check is degraded. 0 or absent means 1.
             */
            degraded_after?: number;
            /**
             * Format: int32
             * @description The check is degraded if a certificate in its verified chain expires in fewer than this number of days. 0 or absent means no warning.
             */
            cert_warn_days?: number;
            /**
             * Format: int32
             * @description The check is degraded if its certificate has less than this share of its lifetime left, in percent. 0 or absent means no warning.
             */
            cert_warn_percent?: number;
            /**
             * Format: int32
             * @description Number of consecutive failures after which the check is down and an alert is sent. Despite its name, the field is not in seconds. 0 or absent means 1.
             */
            down_interval_sec?: number;
            /** @description Whether the check is down only if a majority of the monitors with a recent result fail. Consecutive failures then count per monitor. Absent means false. */
            down_majority?: boolean;
            /**
             * Format: int32
             * @description Number of monitors with a recent result that must fail before the check is down. If fewer monitors have a recent result, all of them must fail. Consecutive failures then count per monitor. 0 or absent: the results of all monitors count together. Ignored if `down_majority` is true.
             */
            down_places?: number;
            /** @description Whether each change of state causes an alert, even if the check is flapping. If false, a flapping check causes one alert about the flapping, and one when the check has settled. Absent means false. */
            alert_every_change?: boolean;
            /**
             * Format: int32
             * @description Number of consecutive successes after which a check that is down is up again. 0 or absent means 1.
             */
            up_successes?: number;
            /**
             * Format: int32
             * @description Number of seconds between reminders while the check is down. 0 or absent means no reminders.
             */
            resend_interval_sec?: number;
            /** @description Additional request headers for http and https, at most 10. */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Current state of the check. Read-only: ignored in an import. `up` and `down`: the verdict on its results. `degraded`: up, but slower than `degraded_over_ms`, or its certificate expires within `cert_warn_days`. `unmonitored`: none of its monitors is online, or each online monitor has missed two turns; the last result does not show the current state. A check that is down stays `down` instead. `unknown`: no results yet. `paused`: not enabled. Absent in the export.
             * @example up
             */
            readonly state?: string;
            /**
             * Format: date-time
             * @description Start of the current `state`. Absent if unknown, or if the check was never down. Read-only: ignored in an import.
             * @example 2026-11-20T10:00:00.123456Z
             */
            readonly state_since?: string;
        };
        /** @description Outcome of one run of a check. */
        Result: {
            /**
             * Format: date-time
             * @description Start time of the run.
             * @example 2026-11-20T10:00:00.123456Z
             */
            ran_at: string;
            /**
             * @description Identifier of the monitor that ran the check.
             * @example 7k2m9x0c4v5b
             */
            monitor_id: string;
            /** @description Name of the monitor. Absent if it has none. */
            monitor_name?: string;
            /** @description Whether the run passed. */
            success: boolean;
            /**
             * Format: int32
             * @description Response time in milliseconds.
             */
            latency_ms: number;
            /**
             * Format: int32
             * @description Status code of the last http response. Absent if there was none.
             */
            http_status?: number;
            /** @description Reason for the failure. Absent if the run passed. */
            error?: string;
            /** @description First characters of the response (body or banner), at most `result_detail_max_chars` of the check. Absent if empty. */
            response_sample?: string;
            /** @description Duration of each phase of the run in milliseconds, summed over redirects. A phase that the run did not reach is absent. The whole field is absent if the agent does not support it. */
            timings?: {
                /**
                 * Format: int32
                 * @description DNS lookup.
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
                 * @description Time from the first byte of the response to its end.
                 */
                transfer_ms?: number;
            };
            /**
             * Format: date-time
             * @description Earliest expiry of the certificates in the verified chain. Truncated to the day for a private definition. Absent if no certificate was presented.
             * @example 2027-02-18T10:00:00.000000Z
             */
            cert_expires_at?: string;
            /**
             * Format: int32
             * @description Number of failed runs before this run, which the monitor repeated because of `retry_count`. Absent if there were none.
             */
            retries?: number;
        };
        /** @description Position of the end of a page. For the next page, send both fields. */
        ResultsCursor: {
            /**
             * Format: date-time
             * @description Value to send as `after`.
             * @example 2026-11-20T10:00:00.123456Z
             */
            after: string;
            /**
             * @description Value to send as `after_monitor`.
             * @example 7k2m9x0c4v5b
             */
            after_monitor: string;
        };
        /** @description One page of results. */
        CheckResultsPage: {
            /** @description At most 500 results, oldest first. Empty on the last page. */
            results: components["schemas"]["Result"][];
            next?: components["schemas"]["ResultsCursor"];
        };
        /** @description One page of new results, and the next cursor. */
        CheckArrivalsPage: {
            /** @description At most 500 results. Empty if there are no new results. */
            results: components["schemas"]["Result"][];
            /** @description Value to send as `cursor` in the next request. Opaque: the format can change, but stored cursors stay valid. */
            cursor: string;
        };
        /** @description An agent that runs checks. */
        Monitor: {
            /**
             * @description Identifier of the monitor, unique across all organisations and the shared fleet.
             * @example 7k2m9x0c4v5b
             */
            id: string;
            /** @description Name of the monitor. Can be empty. */
            name: string;
            /** @description Region of the monitor. */
            region: string;
            /** @description Country of the monitor. */
            country: string;
            /** @description City of the monitor. */
            city: string;
            /** @description `private`: a monitor of the organisation. `shared`: a monitor of the shared fleet, which all organisations use. */
            class: string;
            /** @description True if both the owner and the platform have enabled the monitor. The monitor API uses the same value. */
            enabled: boolean;
            /** @description Whether the monitor is enabled and sent a request within the last 3 minutes. */
            online?: boolean;
            /**
             * Format: date-time
             * @description Time of the last request from the monitor. Absent if the monitor has never sent a request.
             * @example 2026-11-20T10:00:00.123456Z
             */
            last_seen_at?: string;
        };
        /** @description A scheduled job that pings Dogwatch. A missing ping raises an alert. */
        Heartbeat: {
            /** @description Identifier of the heartbeat. */
            guid: string;
            /** @description Name of the heartbeat. */
            name: string;
            /**
             * Format: int32
             * @description Maximum number of seconds between two pings, without the grace period.
             */
            interval_sec: number;
            /**
             * Format: int32
             * @description Number of seconds by which a ping can be later than `interval_sec` before the heartbeat goes down.
             */
            grace_sec: number;
            /** @description True if both the owner and the platform have enabled the heartbeat. */
            enabled: boolean;
            /** @description Whether the public status page shows the heartbeat. */
            show_on_status_page: boolean;
            /** @description Stored state of the heartbeat. It can be stale while `enabled` is false, because a disabled heartbeat is not judged. */
            state: string;
            /**
             * Format: date-time
             * @description Time at which the heartbeat went down. Absent if it is not down.
             */
            down_since?: string;
            /**
             * Format: date-time
             * @description Time of the last ping. Absent if there was none.
             */
            last_heartbeat_at?: string;
            /**
             * Format: int32
             * @description Number of seconds between reminders while the heartbeat is down. 0 or absent means no reminders.
             */
            resend_interval_sec?: number;
            /**
             * @description Cron expression of the times at which a ping is expected: minute, hour, day of month, month, day of week. `interval_sec` is then the longest time between two of these times. Absent if a ping is expected every `interval_sec`.
             * @example 30 2 * * 1-5
             */
            cron?: string;
            /**
             * @description Time zone of `cron`. Absent without `cron`.
             * @example Europe/Paris
             */
            cron_zone?: string;
            /** @description Tags of the heartbeat, for searching and for routing alerts: unique, in lower case, in alphabetical order. Absent if there are none. */
            tags?: string[];
        };
        /** @description A member of the organisation. */
        Member: {
            /**
             * Format: int64
             * @description Identifier of the person.
             */
            id: number;
            /** @description Email address with which the member signs in. */
            email: string;
            /** @description Whether the member is the owner. Each organisation has exactly one owner. */
            is_owner: boolean;
            /**
             * Format: date-time
             * @description Time at which the member joined the organisation.
             */
            joined_at: string;
        };
        /** @description A receiver of alerts. */
        NotificationChannel: {
            /**
             * Format: int64
             * @description Identifier of the channel.
             */
            id: number;
            /** @description Name of the channel. */
            name: string;
            /** @description Kind of the channel. It decides which of the other fields contain the destination. */
            kind: string;
            /** @description False if the channel is disabled and receives nothing. */
            enabled: boolean;
            /** @description Topic of an `ntfy` channel. */
            ntfy_topic?: string;
            /** @description Address of an `email` channel. */
            email?: string;
            /** @description URL of a `webhook` or `slack` channel. */
            webhook_url?: string;
            /** @description Secret with which messages to a `webhook` channel are signed. Empty or absent: messages are unsigned. */
            webhook_secret?: string;
            /** @description For `email` channels: true while the owner of the address has not confirmed that alerts may be sent to it. Absent otherwise. */
            unconfirmed?: boolean;
            /** @description Destination of all other kinds of channels: the fields of the kind with their values, including secrets. */
            destination?: {
                [key: string]: string;
            };
        };
        /** @description Limits of the plan. The keys keep this capitalisation for compatibility. */
        Entitlements: {
            /** @description Name of the plan, or `custom` if the operator has set custom limits. */
            Plan?: string;
            /**
             * Format: int32
             * @description Maximum number of checks. 0 means unlimited.
             */
            MaxChecks?: number;
            /**
             * Format: int32
             * @description Maximum number of heartbeats. 0 means no heartbeats. There is no value for unlimited.
             */
            MaxHeartbeats?: number;
            /**
             * Format: int32
             * @description Maximum number of members. 0 means unlimited.
             */
            MaxMembers?: number;
            /**
             * Format: int32
             * @description Maximum number of notification channels. 0 means unlimited.
             */
            MaxNotificationChannels?: number;
            /**
             * Format: int32
             * @description Maximum timeout of a check, in seconds.
             */
            MaxTimeoutSec?: number;
            /**
             * Format: int32
             * @description Minimum interval of a check, in seconds.
             */
            MinIntervalSec?: number;
            /**
             * Format: int32
             * @description Number of days for which individual results are kept.
             */
            RetentionRawDays?: number;
            /**
             * Format: int32
             * @description Number of days for which hourly and daily summaries are kept.
             */
            RetentionRollupDays?: number;
            /** @description Whether the plan allows email channels. */
            AllowChannelEmail?: boolean;
            /** @description Whether the plan allows ntfy channels. */
            AllowChannelNtfy?: boolean;
            /** @description Whether the plan allows Slack channels. */
            AllowChannelSlack?: boolean;
            /** @description Whether the plan allows webhook channels. */
            AllowChannelWebhook?: boolean;
            /** @description Whether the plan allows a public status page. */
            AllowStatusPage?: boolean;
            /**
             * Format: int32
             * @description Custom price in cents. Absent if none is recorded.
             */
            CustomPriceCents?: number;
            /** @description Billing period of the custom price. Empty or absent: no custom price is recorded, independent of the plan. */
            CustomPricePeriod?: string;
        };
        /** @description Current usage of the organisation. The keys keep this capitalisation for compatibility. */
        PlanUsage: {
            /**
             * Format: int32
             * @description Number of checks.
             */
            Checks?: number;
            /**
             * Format: int32
             * @description Number of checks that warn about an expiring certificate.
             */
            ChecksWithCertExpiry?: number;
            /**
             * Format: int32
             * @description Number of heartbeats.
             */
            Heartbeats?: number;
            /**
             * Format: int32
             * @description Longest timeout of any check, in seconds. 0 if there are no checks.
             */
            MaxTimeoutSec?: number;
            /**
             * Format: int32
             * @description Shortest interval of any check, in seconds. 0 if there are no checks.
             */
            MinIntervalSec?: number;
            /**
             * Format: int32
             * @description Number of members.
             */
            Members?: number;
            /**
             * Format: int32
             * @description Number of notification channels.
             */
            NotificationChannels?: number;
            /** @description Whether the organisation has turned on its status page. Independent of whether the plan allows it. */
            StatusPageEnabled?: boolean;
            /** @description Comma-separated list of the kinds of existing channels, for people to read. */
            UsedChannelKindsLabel?: string;
        };
        /** @description The organisation, its limits and its usage. */
        AccountSettings: {
            /** @description Name of the organisation. */
            org_name: string;
            entitlements: components["schemas"]["Entitlements"];
            plan_usage: components["schemas"]["PlanUsage"];
        };
        /** @description All data of the organisation. */
        AccountExport: {
            /** @description Name of the organisation. */
            org_name: string;
            /**
             * Format: date-time
             * @description Time at which the export began.
             */
            generated_at: string;
            entitlements: components["schemas"]["Entitlements"];
            plan_usage: components["schemas"]["PlanUsage"];
            /** @description All checks, as in `GET /checks`, but without `state` and `state_since`. */
            checks: components["schemas"]["Check"][];
            /** @description The monitors, as in `GET /monitors`. */
            monitors: components["schemas"]["Monitor"][];
            /** @description All heartbeats, as in `GET /heartbeats`. */
            heartbeats: components["schemas"]["Heartbeat"][];
            /** @description All notification channels, as in `GET /notification-channels`. */
            notification_channels: components["schemas"]["NotificationChannel"][];
            /** @description All members, as in `GET /members`. */
            members: components["schemas"]["Member"][];
            /** @description Stored results by the guid of their check, oldest first. `[]` for a check without results. */
            results: {
                [key: string]: components["schemas"]["Result"][];
            };
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
        /** @description The organisation has no check with this guid. */
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
    listChecks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All checks of the organisation. */
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
                 * @description The `guid` of the check, compared as text.
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
                 * @description `after` of the `next` of an earlier page. Without `after_monitor`, results start at this time, inclusive. Absent: results start at the oldest.
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
                 * @description The `guid` of the check, compared as text.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of results, and the position of the next page. */
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
                 * @description `cursor` of the previous page for the same check. Absent: a new reader, which receives all stored results first, oldest first.
                 * @example WzEsIk1YUl9wTTRYIiwwLCIyMDI2LTExLTIwVDEwOjAwOjAwLjEyMzQ1NloiLCI3azJtOXgwYzR2NWIiXQ
                 */
                cursor?: string;
                /**
                 * @description Start time for a new reader, inclusive. Results with an earlier `ran_at` that are stored late can appear too. Absent: the oldest result. Ignored if `cursor` is set.
                 * @example 2026-11-20T10:00:00.123456Z
                 */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `guid` of the check, compared as text.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description New results, and the cursor for the next request. */
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
            /** @description The export. */
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
            /** @description All heartbeats of the organisation. */
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
            /** @description All members of the organisation. */
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
            /** @description The monitors that can run checks of the organisation. */
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
            /** @description All notification channels of the organisation. */
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
            /** @description The settings of the organisation. */
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
    "description": "Reads the data of one organisation: checks and their results, monitors, heartbeats, notification channels, members and\nsettings. One export contains all of it. This API is read-only.\n\n**Errors are `text/plain`**: one line each, never JSON. Do not parse a response with a status of 400 or above as JSON.\n\nThe credential is a personal access token. Keep it as safe as a password, because responses contain the destinations\nand secrets of notification channels unredacted.\n\nTimestamps are in UTC with exactly six fractional digits (`2026-11-20T10:00:00.123456Z`), so lexical order is\nchronological order. An optional field that is 0, false or empty is absent, never null.\n\nLimits per token: 5 requests per second with a burst of 20. The export has an additional limit of one request per\nminute with a burst of 2. A limit per client address applies before these limits.\n\nWithin version 1 of the path, changes are additive: new fields can appear. Ignore fields that you do not know.\n"
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
        "description": "Returns all checks of the organisation, oldest first. The array has the format of the check import and export file.\n",
        "tags": [
          "checks"
        ],
        "responses": {
          "200": {
            "description": "All checks of the organisation.",
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
        "summary": "Read a check",
        "description": "Returns one check of the organisation.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "name": "guid",
            "in": "path",
            "required": true,
            "description": "The `guid` of the check, compared as text.",
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
        "summary": "Read the results of a check in pages",
        "description": "Returns at most 500 results per page, oldest first, in the order of (`ran_at`, `monitor_id`). This pair is unique per\ncheck. For the next page, send both fields of `next`. Continue until a page has empty `results` and no `next`.\n\nResults are in the order of their runs, not of their arrival. A monitor that was offline uploads its results late. If\ntheir time is before a `next` that you have stored, you miss them. To follow a check without missing results, use\n`/checks/{guid}/arrivals`.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "name": "guid",
            "in": "path",
            "required": true,
            "description": "The `guid` of the check, compared as text.",
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
            "description": "`after` of the `next` of an earlier page. Without `after_monitor`, results start at this time, inclusive. Absent: results start at the oldest.",
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
            "description": "One page of results, and the position of the next page.",
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
        "summary": "Follow the results of a check",
        "description": "Returns each stored result of the check **exactly once** to a reader that follows the cursor, at most 500 per page.\nSend the first request without `cursor`. In each further request, send the `cursor` of the previous page. There is no\nlast page. If a page is empty, there are no new results yet, so wait some seconds before the next request. Store each\ncursor together with the results of its page; you can continue from a cursor at any time.\n\nResults are in the order of (`ran_at`, `monitor_id`), and appear about 30 seconds after their runs. A result that is\nuploaded later appears as soon as it is stored, so it can be older than the results of earlier pages. If `ran_at` of a\nresult is ahead of the server's clock, the result appears when this clock is 30 seconds past `ran_at`. Retention can\ndelete results before a slow reader reads them.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "name": "guid",
            "in": "path",
            "required": true,
            "description": "The `guid` of the check, compared as text.",
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
            "description": "`cursor` of the previous page for the same check. Absent: a new reader, which receives all stored results first, oldest first.",
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
            "description": "Start time for a new reader, inclusive. Results with an earlier `ran_at` that are stored late can appear too. Absent: the oldest result. Ignored if `cursor` is set.",
            "schema": {
              "type": "string",
              "format": "date-time"
            },
            "example": "2026-11-20T10:00:00.123456Z"
          }
        ],
        "responses": {
          "200": {
            "description": "New results, and the cursor for the next request.",
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
        "summary": "Export all data",
        "description": "Returns all data of the organisation as one JSON document. `results` is the last field: it contains the results of\neach check, oldest first and unpaged. The delivery history of alerts is not included.\n\nThe response is streamed. If the server fails midway, the connection breaks and the document is truncated. If the\nresponse is not valid JSON, the export has failed: request it again.\n",
        "tags": [
          "export"
        ],
        "responses": {
          "200": {
            "description": "The export.",
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
        "description": "Returns all heartbeats of the organisation, oldest first. The token of the ping URL is never included.\n",
        "tags": [
          "checks"
        ],
        "responses": {
          "200": {
            "description": "All heartbeats of the organisation.",
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
        "description": "Returns the owner first, then the other members by email address.\n",
        "tags": [
          "organisation"
        ],
        "responses": {
          "200": {
            "description": "All members of the organisation.",
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
        "description": "Returns all monitors of the organisation, enabled or not, and then the enabled shared monitors. Each group is in the order of ids.\n",
        "tags": [
          "fleet"
        ],
        "responses": {
          "200": {
            "description": "The monitors that can run checks of the organisation.",
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
        "description": "Returns all notification channels, oldest first. Destinations and secrets are unredacted.\n",
        "tags": [
          "organisation"
        ],
        "responses": {
          "200": {
            "description": "All notification channels of the organisation.",
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
        "description": "Returns the name of the organisation, the limits of its plan, and its current usage.\n",
        "tags": [
          "organisation"
        ],
        "responses": {
          "200": {
            "description": "The settings of the organisation.",
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
        "description": "A token that the owner of an organisation creates in the browser, `dogwatch_pat_...`. It is shown once, and reads only this organisation. It works as long as its creator is a member of the organisation."
      }
    },
    "responses": {
      "NoSuchCheck": {
        "description": "The organisation has no check with this guid.",
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
      }
    },
    "schemas": {
      "Check": {
        "description": "A target and the rules that decide whether the target is healthy, in the format of the import and export file.",
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
            "description": "Identifier of the check. Compare it as text.",
            "type": "string",
            "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
          },
          "name": {
            "description": "Name of the check.",
            "type": "string"
          },
          "url": {
            "description": "Target of the check. The scheme, such as `https` or `dns`, selects the kind of check. Checks with `composite:` or `domain:` have no results, because the server judges them. Empty for a private definition, which only an agent has.",
            "type": "string",
            "example": "https://shop.example.com/health"
          },
          "enabled": {
            "description": "False if the check is paused.",
            "type": "boolean"
          },
          "interval_sec": {
            "description": "Number of seconds between two runs, over all monitors of the check together. The monitors take turns.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "timeout_sec": {
            "description": "Maximum duration of one run, in seconds, at most 60. 0 or absent means 10.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 60
          },
          "depends_on": {
            "description": "Guid of another check of the organisation, or id of a monitor. While this dependency is down, alerts about the check wait. Absent if the check depends on nothing.",
            "type": "string",
            "maxLength": 64
          },
          "tags": {
            "description": "Tags of the check, for searching and for routing alerts: unique, in lower case, in alphabetical order. Absent if there are none.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "restricted": {
            "description": "True if only the organisation's own monitors may run the check. Someone set this, or the target is not a public address.",
            "type": "boolean"
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
            "description": "Status code with which `status_code_op` compares, 100 to 599.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
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
            "description": "Maximum number of characters in `error` and in `response_sample` of a result. 0 means that neither is stored.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "retry_count": {
            "description": "Maximum number of retries after a failed run, before the failure counts. 0 or absent means no retries.",
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
          "degraded_over_ms": {
            "description": "Response time in milliseconds above which a result is slow. Slow results make the check degraded. 0 or absent means no limit.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "degraded_after": {
            "description": "Number of consecutive slow results after which the check is degraded. 0 or absent means 1.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "cert_warn_days": {
            "description": "The check is degraded if a certificate in its verified chain expires in fewer than this number of days. 0 or absent means no warning.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "cert_warn_percent": {
            "description": "The check is degraded if its certificate has less than this share of its lifetime left, in percent. 0 or absent means no warning.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 99
          },
          "down_interval_sec": {
            "description": "Number of consecutive failures after which the check is down and an alert is sent. Despite its name, the field is not in seconds. 0 or absent means 1.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "down_majority": {
            "description": "Whether the check is down only if a majority of the monitors with a recent result fail. Consecutive failures then count per monitor. Absent means false.",
            "type": "boolean"
          },
          "down_places": {
            "description": "Number of monitors with a recent result that must fail before the check is down. If fewer monitors have a recent result, all of them must fail. Consecutive failures then count per monitor. 0 or absent: the results of all monitors count together. Ignored if `down_majority` is true.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "alert_every_change": {
            "description": "Whether each change of state causes an alert, even if the check is flapping. If false, a flapping check causes one alert about the flapping, and one when the check has settled. Absent means false.",
            "type": "boolean"
          },
          "up_successes": {
            "description": "Number of consecutive successes after which a check that is down is up again. 0 or absent means 1.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "resend_interval_sec": {
            "description": "Number of seconds between reminders while the check is down. 0 or absent means no reminders.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "headers": {
            "description": "Additional request headers for http and https, at most 10.",
            "type": "object",
            "maxProperties": 10,
            "additionalProperties": {
              "type": "string"
            }
          },
          "state": {
            "description": "Current state of the check. Read-only: ignored in an import. `up` and `down`: the verdict on its results. `degraded`: up, but slower than `degraded_over_ms`, or its certificate expires within `cert_warn_days`. `unmonitored`: none of its monitors is online, or each online monitor has missed two turns; the last result does not show the current state. A check that is down stays `down` instead. `unknown`: no results yet. `paused`: not enabled. Absent in the export.",
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
            "description": "Start of the current `state`. Absent if unknown, or if the check was never down. Read-only: ignored in an import.",
            "type": "string",
            "format": "date-time",
            "readOnly": true,
            "example": "2026-11-20T10:00:00.123456Z"
          }
        }
      },
      "Result": {
        "description": "Outcome of one run of a check.",
        "type": "object",
        "required": [
          "ran_at",
          "monitor_id",
          "success",
          "latency_ms"
        ],
        "properties": {
          "ran_at": {
            "description": "Start time of the run.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          },
          "monitor_id": {
            "description": "Identifier of the monitor that ran the check.",
            "type": "string",
            "example": "7k2m9x0c4v5b"
          },
          "monitor_name": {
            "description": "Name of the monitor. Absent if it has none.",
            "type": "string"
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
            "description": "Status code of the last http response. Absent if there was none.",
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 999
          },
          "error": {
            "description": "Reason for the failure. Absent if the run passed.",
            "type": "string"
          },
          "response_sample": {
            "description": "First characters of the response (body or banner), at most `result_detail_max_chars` of the check. Absent if empty.",
            "type": "string"
          },
          "timings": {
            "description": "Duration of each phase of the run in milliseconds, summed over redirects. A phase that the run did not reach is absent. The whole field is absent if the agent does not support it.",
            "type": "object",
            "properties": {
              "dns_ms": {
                "description": "DNS lookup.",
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
                "description": "Time from the first byte of the response to its end.",
                "type": "integer",
                "format": "int32",
                "minimum": 0
              }
            }
          },
          "cert_expires_at": {
            "description": "Earliest expiry of the certificates in the verified chain. Truncated to the day for a private definition. Absent if no certificate was presented.",
            "type": "string",
            "format": "date-time",
            "example": "2027-02-18T10:00:00.000000Z"
          },
          "retries": {
            "description": "Number of failed runs before this run, which the monitor repeated because of `retry_count`. Absent if there were none.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          }
        }
      },
      "ResultsCursor": {
        "description": "Position of the end of a page. For the next page, send both fields.",
        "type": "object",
        "required": [
          "after",
          "after_monitor"
        ],
        "properties": {
          "after": {
            "description": "Value to send as `after`.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.123456Z"
          },
          "after_monitor": {
            "description": "Value to send as `after_monitor`.",
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
            "description": "At most 500 results, oldest first. Empty on the last page.",
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
        "description": "One page of new results, and the next cursor.",
        "type": "object",
        "required": [
          "results",
          "cursor"
        ],
        "properties": {
          "results": {
            "description": "At most 500 results. Empty if there are no new results.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Result"
            }
          },
          "cursor": {
            "description": "Value to send as `cursor` in the next request. Opaque: the format can change, but stored cursors stay valid.",
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
            "description": "Identifier of the monitor, unique across all organisations and the shared fleet.",
            "type": "string",
            "example": "7k2m9x0c4v5b"
          },
          "name": {
            "description": "Name of the monitor. Can be empty.",
            "type": "string"
          },
          "region": {
            "description": "Region of the monitor.",
            "type": "string"
          },
          "country": {
            "description": "Country of the monitor.",
            "type": "string"
          },
          "city": {
            "description": "City of the monitor.",
            "type": "string"
          },
          "class": {
            "description": "`private`: a monitor of the organisation. `shared`: a monitor of the shared fleet, which all organisations use.",
            "type": "string",
            "x-extensible-enum": [
              "private",
              "shared"
            ]
          },
          "enabled": {
            "description": "True if both the owner and the platform have enabled the monitor. The monitor API uses the same value.",
            "type": "boolean"
          },
          "online": {
            "description": "Whether the monitor is enabled and sent a request within the last 3 minutes.",
            "type": "boolean"
          },
          "last_seen_at": {
            "description": "Time of the last request from the monitor. Absent if the monitor has never sent a request.",
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
            "description": "Identifier of the heartbeat.",
            "type": "string"
          },
          "name": {
            "description": "Name of the heartbeat.",
            "type": "string"
          },
          "interval_sec": {
            "description": "Maximum number of seconds between two pings, without the grace period.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "grace_sec": {
            "description": "Number of seconds by which a ping can be later than `interval_sec` before the heartbeat goes down.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "enabled": {
            "description": "True if both the owner and the platform have enabled the heartbeat.",
            "type": "boolean"
          },
          "show_on_status_page": {
            "description": "Whether the public status page shows the heartbeat.",
            "type": "boolean"
          },
          "state": {
            "description": "Stored state of the heartbeat. It can be stale while `enabled` is false, because a disabled heartbeat is not judged.",
            "type": "string",
            "x-extensible-enum": [
              "new",
              "up",
              "down"
            ]
          },
          "down_since": {
            "description": "Time at which the heartbeat went down. Absent if it is not down.",
            "type": "string",
            "format": "date-time"
          },
          "last_heartbeat_at": {
            "description": "Time of the last ping. Absent if there was none.",
            "type": "string",
            "format": "date-time"
          },
          "resend_interval_sec": {
            "description": "Number of seconds between reminders while the heartbeat is down. 0 or absent means no reminders.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "cron": {
            "description": "Cron expression of the times at which a ping is expected: minute, hour, day of month, month, day of week. `interval_sec` is then the longest time between two of these times. Absent if a ping is expected every `interval_sec`.",
            "type": "string",
            "example": "30 2 * * 1-5"
          },
          "cron_zone": {
            "description": "Time zone of `cron`. Absent without `cron`.",
            "type": "string",
            "example": "Europe/Paris"
          },
          "tags": {
            "description": "Tags of the heartbeat, for searching and for routing alerts: unique, in lower case, in alphabetical order. Absent if there are none.",
            "type": "array",
            "items": {
              "type": "string"
            }
          }
        }
      },
      "Member": {
        "description": "A member of the organisation.",
        "type": "object",
        "required": [
          "id",
          "email",
          "is_owner",
          "joined_at"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the person.",
            "type": "integer",
            "format": "int64"
          },
          "email": {
            "description": "Email address with which the member signs in.",
            "type": "string"
          },
          "is_owner": {
            "description": "Whether the member is the owner. Each organisation has exactly one owner.",
            "type": "boolean"
          },
          "joined_at": {
            "description": "Time at which the member joined the organisation.",
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "NotificationChannel": {
        "description": "A receiver of alerts.",
        "type": "object",
        "required": [
          "id",
          "name",
          "kind",
          "enabled"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the channel.",
            "type": "integer",
            "format": "int64"
          },
          "name": {
            "description": "Name of the channel.",
            "type": "string"
          },
          "kind": {
            "description": "Kind of the channel. It decides which of the other fields contain the destination.",
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
            "description": "False if the channel is disabled and receives nothing.",
            "type": "boolean"
          },
          "ntfy_topic": {
            "description": "Topic of an `ntfy` channel.",
            "type": "string"
          },
          "email": {
            "description": "Address of an `email` channel.",
            "type": "string"
          },
          "webhook_url": {
            "description": "URL of a `webhook` or `slack` channel.",
            "type": "string"
          },
          "webhook_secret": {
            "description": "Secret with which messages to a `webhook` channel are signed. Empty or absent: messages are unsigned.",
            "type": "string"
          },
          "unconfirmed": {
            "description": "For `email` channels: true while the owner of the address has not confirmed that alerts may be sent to it. Absent otherwise.",
            "type": "boolean"
          },
          "destination": {
            "description": "Destination of all other kinds of channels: the fields of the kind with their values, including secrets.",
            "type": "object",
            "additionalProperties": {
              "type": "string"
            }
          }
        }
      },
      "Entitlements": {
        "description": "Limits of the plan. The keys keep this capitalisation for compatibility.",
        "type": "object",
        "properties": {
          "Plan": {
            "description": "Name of the plan, or `custom` if the operator has set custom limits.",
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
            "description": "Maximum number of checks. 0 means unlimited.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxHeartbeats": {
            "description": "Maximum number of heartbeats. 0 means no heartbeats. There is no value for unlimited.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxMembers": {
            "description": "Maximum number of members. 0 means unlimited.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxNotificationChannels": {
            "description": "Maximum number of notification channels. 0 means unlimited.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxTimeoutSec": {
            "description": "Maximum timeout of a check, in seconds.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MinIntervalSec": {
            "description": "Minimum interval of a check, in seconds.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "RetentionRawDays": {
            "description": "Number of days for which individual results are kept.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "RetentionRollupDays": {
            "description": "Number of days for which hourly and daily summaries are kept.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "AllowChannelEmail": {
            "description": "Whether the plan allows email channels.",
            "type": "boolean"
          },
          "AllowChannelNtfy": {
            "description": "Whether the plan allows ntfy channels.",
            "type": "boolean"
          },
          "AllowChannelSlack": {
            "description": "Whether the plan allows Slack channels.",
            "type": "boolean"
          },
          "AllowChannelWebhook": {
            "description": "Whether the plan allows webhook channels.",
            "type": "boolean"
          },
          "AllowStatusPage": {
            "description": "Whether the plan allows a public status page.",
            "type": "boolean"
          },
          "CustomPriceCents": {
            "description": "Custom price in cents. Absent if none is recorded.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "CustomPricePeriod": {
            "description": "Billing period of the custom price. Empty or absent: no custom price is recorded, independent of the plan.",
            "type": "string"
          }
        }
      },
      "PlanUsage": {
        "description": "Current usage of the organisation. The keys keep this capitalisation for compatibility.",
        "type": "object",
        "properties": {
          "Checks": {
            "description": "Number of checks.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "ChecksWithCertExpiry": {
            "description": "Number of checks that warn about an expiring certificate.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "Heartbeats": {
            "description": "Number of heartbeats.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MaxTimeoutSec": {
            "description": "Longest timeout of any check, in seconds. 0 if there are no checks.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "MinIntervalSec": {
            "description": "Shortest interval of any check, in seconds. 0 if there are no checks.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "Members": {
            "description": "Number of members.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "NotificationChannels": {
            "description": "Number of notification channels.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "StatusPageEnabled": {
            "description": "Whether the organisation has turned on its status page. Independent of whether the plan allows it.",
            "type": "boolean"
          },
          "UsedChannelKindsLabel": {
            "description": "Comma-separated list of the kinds of existing channels, for people to read.",
            "type": "string"
          }
        }
      },
      "AccountSettings": {
        "description": "The organisation, its limits and its usage.",
        "type": "object",
        "required": [
          "org_name",
          "entitlements",
          "plan_usage"
        ],
        "properties": {
          "org_name": {
            "description": "Name of the organisation.",
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
        "description": "All data of the organisation.",
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
            "description": "Name of the organisation.",
            "type": "string"
          },
          "generated_at": {
            "description": "Time at which the export began.",
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
            "description": "All checks, as in `GET /checks`, but without `state` and `state_since`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Check"
            }
          },
          "monitors": {
            "description": "The monitors, as in `GET /monitors`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Monitor"
            }
          },
          "heartbeats": {
            "description": "All heartbeats, as in `GET /heartbeats`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Heartbeat"
            }
          },
          "notification_channels": {
            "description": "All notification channels, as in `GET /notification-channels`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/NotificationChannel"
            }
          },
          "members": {
            "description": "All members, as in `GET /members`.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Member"
            }
          },
          "results": {
            "description": "Stored results by the guid of their check, oldest first. `[]` for a check without results.",
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
  }
});
