// Generated from openapi/config.yaml by `npm run generate`. Do not edit.
import { resolved } from './resolved.ts'

export interface paths {
    "/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the current token
         * @description Returns the scopes, the organisation and the expiry time of the token that sends the request.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the checks
         * @description Returns all checks of the organisation, oldest first, at most `limit` per page. For the next page, send `next` as
         *     `after`. The last page has no `next`.
         */
        get: operations["listChecks"];
        put?: never;
        /**
         * Create a check
         * @description The fields are those of the import and export file. `name`, `url` and `interval_sec` are sufficient. Without `monitors`
         *     and `all_monitors`, all monitors run the check, including monitors that are added later.
         */
        post: operations["createCheck"];
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
        /**
         * Replace a check
         * @description Sets every field. An omitted field gets its default, except `key`, which does not change. If both `monitors` and
         *     `all_monitors` are omitted, they do not change.
         */
        put: operations["replaceCheck"];
        post?: never;
        /**
         * Delete a check
         * @description Deletes the check. It disappears for all readers at once. Returns 404 if the check does not exist.
         */
        delete: operations["deleteCheck"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a check
         * @description Sets the fields that are sent. Other fields do not change. A field that is null gets its default.
         */
        patch: operations["changeCheck"];
        trace?: never;
    };
    "/checks/{guid}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a check
         * @description Stops its alerts. An open incident ends without an alert. Pausing again changes nothing.
         */
        post: operations["pauseCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{guid}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a check
         * @description Starts judging the check again. Earlier results no longer affect its state. Resuming again changes nothing.
         */
        post: operations["resumeCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{guid}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mute a check
         * @description Withholds all alerts about the check until the given time, including alerts about a recovery. Muting again replaces the
         *     end of the mute. With `until_resolved`, the mute ends when the open incident ends, and the channels that were alerted
         *     are notified of the recovery. Returns 409 if no incident is open.
         */
        post: operations["muteCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{guid}/unmute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unmute a check
         * @description Ends the mute, and sends withheld alerts that still apply. If there is no mute, nothing changes.
         */
        post: operations["unmuteCheck"];
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
         * List the results of a check
         * @description Returns the results of the check, newest first. For the next page, send `next` as `after`. The last page has no `next`.
         *     With `success` or `monitor`, one request searches at most 10,000 results. A page can then contain fewer than `limit`
         *     results, or none, and still have a `next`.
         *
         *     The plan decides how long results are kept. To copy all results, use the account API, which returns the oldest first.
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
    "/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the routes
         * @description Returns all routes of the organisation in their order, at most `limit` per page. For the next page, send `next` as
         *     `after`. The last page has no `next`.
         */
        get: operations["listRoutes"];
        put?: never;
        /**
         * Create a route
         * @description Adds a route at the end of the list. `name`, `scope` and `steps` are sufficient. If no enabled route matches an alert,
         *     the alert goes to every channel. When a route changes, Dogwatch applies the current routes to all waiting alerts.
         */
        post: operations["createRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/routes/{guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one route
         * @description Returns one route of the organisation.
         */
        get: operations["getRoute"];
        /**
         * Replace a route
         * @description Sets every field. An omitted field gets its default, except `key`, which does not change.
         */
        put: operations["replaceRoute"];
        post?: never;
        /**
         * Delete a route
         * @description Returns 404 if the route does not exist.
         */
        delete: operations["deleteRoute"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a route
         * @description Sets the fields that are sent, each as a whole. Other fields do not change. A field that is null gets its default.
         */
        patch: operations["changeRoute"];
        trace?: never;
    };
    "/routes/{guid}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a route to another position
         * @description Moves the route to `position`. The order of the other routes does not change. If the route already has this position,
         *     nothing changes.
         */
        post: operations["moveRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alert-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview which channels an alert would notify
         * @description Applies the rules for real alerts, with the current routes, mutes and maintenance windows. The preview of a reminder or
         *     recovery assumes that the problem was reported just before. Without `check` and `heartbeat`, the alert is about the
         *     organisation's monitors.
         */
        get: operations["previewAlert"];
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
         * @description Returns the organisation's own monitors by id, and then the shared monitors, at most `limit` per page. For the next
         *     page, send `next` as `after`. The last page has no `next`.
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
    "/monitors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a monitor
         * @description Returns one of the organisation's own monitors, or a shared monitor.
         */
        get: operations["getMonitor"];
        put?: never;
        post?: never;
        /**
         * Retire a monitor
         * @description Revokes the API key of the monitor and removes the monitor from all lists. Other monitors take over its turns at once.
         *     The results of the monitor are kept under the name of the monitor. Shared monitors cannot be retired.
         */
        delete: operations["deleteMonitor"];
        options?: never;
        head?: never;
        /**
         * Rename, enable or disable a monitor
         * @description Sets the fields that are sent. Other fields do not change. If a monitor is disabled, the other monitors take over its
         *     turns. Shared monitors cannot be changed.
         */
        patch: operations["changeMonitor"];
        trace?: never;
    };
    "/enrollment-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the enrollment tokens
         * @description Returns the valid enrollment tokens, newest first, at most 500. The texts of the tokens are not stored.
         */
        get: operations["listEnrollmentTokens"];
        put?: never;
        /**
         * Create an enrollment token
         * @description Agents can enroll with the token until it expires or is revoked. The response contains the text of the token, which is
         *     shown only once. A repeat with the same `Idempotency-Key` returns the text again.
         */
        post: operations["createEnrollmentToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrollment-tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an enrollment token
         * @description Agents can no longer enroll with the token. Monitors that have enrolled with it keep working. Returns 404 if the token
         *     has expired.
         */
        delete: operations["revokeEnrollmentToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tags
         * @description Returns all tags of checks, heartbeats, routes and maintenance windows, in alphabetical order, with their numbers of uses.
         */
        get: operations["listTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags/{tag}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a tag
         * @description Removes the tag from all checks, heartbeats, routes and maintenance windows at once, and from the targets of composite
         *     checks. For each kind of resource with the tag, the token needs the scope for writing. Returns 409 if the scope of a
         *     route or maintenance window, or the target of a composite check, consists only of this tag, or if more than 2,000
         *     checks and heartbeats have the tag.
         */
        delete: operations["deleteTag"];
        options?: never;
        head?: never;
        /**
         * Rename a tag
         * @description Renames the tag in all checks, heartbeats, routes and maintenance windows at once, and in the targets of composite
         *     checks. If the new tag exists, the two tags become one. For each kind of resource with the tag, the token needs the scope for writing, for example `routes:write`.
         *     Returns 409 if more than 2,000 checks and heartbeats have the tag.
         */
        patch: operations["renameTag"];
        trace?: never;
    };
    "/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the channels
         * @description Returns all channels of the organisation, oldest first, at most `limit` per page. For the next page, send `next` as
         *     `after`. The last page has no `next`.
         */
        get: operations["listChannels"];
        put?: never;
        /**
         * Create a channel
         * @description `name`, `kind` and the fields of the kind in `destination` are sufficient. An email channel receives alerts only after
         *     the owner of its address has confirmed it. Dogwatch sends an email that asks for the confirmation. The verified
         *     address of the token's creator needs no confirmation.
         */
        post: operations["createChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a channel
         * @description Returns one channel of the organisation.
         */
        get: operations["getChannel"];
        /**
         * Replace a channel
         * @description Sets every field. An omitted field gets its default, except `key`, which does not change. Omitted secrets also do not
         *     change, unless the URL or the first field of the kind changes: then all secrets must be sent. The kind cannot change.
         */
        put: operations["replaceChannel"];
        post?: never;
        /**
         * Delete a channel
         * @description Permanently deletes the channel and the log of its deliveries. Returns 404 if the channel does not exist.
         */
        delete: operations["deleteChannel"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a channel
         * @description Sets the fields that are sent, also within `destination`. Other fields do not change. A field that is null gets its
         *     default. If the destination changes, the secrets must be sent.
         */
        patch: operations["changeChannel"];
        trace?: never;
    };
    "/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message
         * @description Queues a test message. `GET /deliveries/{delivery}` returns its outcome. Returns 409 if the channel is disabled or
         *     unconfirmed. An organisation can send ten tests, and after that one every 30 seconds.
         */
        post: operations["testChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/channels/{id}/confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend the confirmation email
         * @description Sends the owner of the channel's address another email, with a link that confirms the address. The link expires after
         *     7 days. Returns 409 if the address is already confirmed, or if the channel is not an email channel. An address gets
         *     three such emails at most, and after that one per day; further requests return 429. A server without a mail server
         *     returns 400.
         */
        post: operations["askForConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries
         * @description Returns the deliveries, newest first, at most `limit` per page. A delivery is an alert to one channel. For the next
         *     page, send `next` as `after`. The last page has no `next`. Deliveries are kept as long as results.
         *
         *     The response omits what the token cannot read: `names` without `checks:read`, `heartbeats:read` or `monitors:read`
         *     (which one depends on the event), and `incident` without `incidents:read`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/{delivery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery
         * @description Returns the outcome of one message, for example of a test. As in the list, fields that the token cannot read are
         *     omitted.
         */
        get: operations["getDelivery"];
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
         * @description Returns all heartbeats of the organisation, oldest first, at most `limit` per page. For the next page, send `next` as
         *     `after`. The last page has no `next`.
         */
        get: operations["listHeartbeats"];
        put?: never;
        /**
         * Create a heartbeat
         * @description `name` and either `interval_sec` or `cron` are sufficient. The response contains the `ping_url` that the job must
         *     request. The URL is a secret, so responses of other operations on heartbeats do not contain it.
         */
        post: operations["createHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/heartbeats/{guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a heartbeat
         * @description Returns one heartbeat of the organisation.
         */
        get: operations["getHeartbeat"];
        /**
         * Replace a heartbeat
         * @description Sets every field. An omitted field gets its default, except `key`, which does not change. The ping URL does not change.
         */
        put: operations["replaceHeartbeat"];
        post?: never;
        /**
         * Delete a heartbeat
         * @description Permanently deletes the heartbeat and its pings, without an alert. Returns 404 if the heartbeat does not exist.
         */
        delete: operations["deleteHeartbeat"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a heartbeat
         * @description Sets the fields that are sent. Other fields do not change. A field that is null gets its default.
         */
        patch: operations["changeHeartbeat"];
        trace?: never;
    };
    "/heartbeats/{guid}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a heartbeat
         * @description Stops its alerts. An open incident ends without an alert. Pausing again changes nothing.
         */
        post: operations["pauseHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/heartbeats/{guid}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a heartbeat
         * @description Resumes the heartbeat as if it were new: it waits for its next ping. Resuming again changes nothing.
         */
        post: operations["resumeHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/heartbeats/{guid}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mute a heartbeat
         * @description Withholds all alerts about the heartbeat until the given time, including alerts about a recovery. Muting again replaces
         *     the end of the mute. With `until_resolved`, the mute ends when the open incident ends, and the channels that were
         *     alerted are notified of the recovery. Returns 409 if no incident is open.
         */
        post: operations["muteHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/heartbeats/{guid}/unmute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unmute a heartbeat
         * @description Ends the mute, and sends withheld alerts that still apply. If there is no mute, nothing changes.
         */
        post: operations["unmuteHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/heartbeats/{guid}/ping-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the ping URL of a heartbeat
         * @description Returns the URL that the job must request. Anyone who knows the URL can ping the heartbeat, so read-only tokens cannot
         *     read it.
         */
        get: operations["getPingUrl"];
        put?: never;
        /**
         * Replace the ping URL of a heartbeat
         * @description Creates a new ping URL. The old URL stops working at once.
         */
        post: operations["rotatePingUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the maintenance windows
         * @description Returns all windows of the organisation, at most `limit` per page: current windows, then future windows, then past
         *     windows. For the next page, send `next` as `after`. The last page has no `next`.
         */
        get: operations["listMaintenanceWindows"];
        put?: never;
        /**
         * Create a maintenance window
         * @description During the window, alerts about the checks and heartbeats in its scope are withheld, and their results count neither as
         *     up nor as down. `name`, `scope`, `starts_at` and `duration_sec` are sufficient. The window must not end in the past.
         */
        post: operations["createMaintenanceWindow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/maintenance/{guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a maintenance window
         * @description Returns one maintenance window of the organisation.
         */
        get: operations["getMaintenanceWindow"];
        /**
         * Replace a maintenance window
         * @description Sets every field. An omitted field gets its default, except `key`, which does not change. Past occurrences of the
         *     window do not change.
         */
        put: operations["replaceMaintenanceWindow"];
        post?: never;
        /**
         * Delete a maintenance window
         * @description Deletes the window. A current window ends now, and withheld alerts that still apply are sent. Returns 404 if the
         *     window does not exist.
         */
        delete: operations["deleteMaintenanceWindow"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a maintenance window
         * @description Sets the fields that are sent, each as a whole. Other fields do not change. A field that is null gets its default.
         */
        patch: operations["changeMaintenanceWindow"];
        trace?: never;
    };
    "/maintenance/{guid}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a current maintenance window
         * @description Ends the current occurrence now, and sends withheld alerts that still apply. A repeating window will start again. If
         *     the window is not current, nothing changes.
         */
        post: operations["endMaintenanceWindow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{guid}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a check now
         * @description Asks an online monitor of the check for a run out of turn. The result counts like the result of any other run. The
         *     response contains the id of the run. Read the run until its `state` is no longer `waiting`, which takes some seconds.
         *     Returns 409 if the check is paused, or if none of its monitors is online.
         */
        post: operations["runCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the outcome of a run
         * @description Returns a run that was requested in the last ten minutes.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Returns all recorded changes, newest first, at most `limit` per page. For the next page, send `next` as `after`. The
         *     last page has no `next`. If a change was made with this API, `actor` is the creator of the token, and `detail` contains
         *     the name of the token.
         *
         *     For each organisation and day, 5,000 entries are stored in full, and at least 100 for each actor. Further changes are
         *     only counted: there is one entry for each hour, actor and action, with `times` and `last_at`.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status-page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the status page
         * @description Returns the address and the texts of the public status page, and the checks and heartbeats that it shows. Returns 404
         *     until the status page is saved for the first time.
         */
        get: operations["getStatusPage"];
        /**
         * Replace the status page
         * @description Sets the address, the texts and the entries of the status page, and creates the page if it does not exist. The page no
         *     longer shows checks and heartbeats that are not in `entries`. If `enabled` is omitted, it does not change. The body can
         *     have at most 1 MiB.
         */
        put: operations["replaceStatusPage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{guid}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read uptime and response times of a check
         * @description Divides the range into whole steps, which begin at full hours or at midnight UTC. The range is widened to whole steps.
         *     With steps of an hour, a range has at most 31 days. With steps of a day, it has at most 400. Unmonitored time counts
         *     neither as up nor as down. Results during maintenance do not count. Results that the plan no longer keeps do not count.
         */
        get: operations["getCheckSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/summaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read uptime and response times of many checks
         * @description Returns the totals of all checks, or of all checks with a tag, oldest check first, at most `limit` per page. For the
         *     next page, send `next` as `after`. The last page has no `next`. Ranges of up to two days have whole hours. Longer ranges
         *     have whole days in UTC, at most 92.
         */
        get: operations["listSummaries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the incidents
         * @description Returns all incidents of the organisation, newest first, at most `limit` per page. For the next page, send `next` as
         *     `after`. The last page has no `next`.
         */
        get: operations["listIncidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{incident}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an incident
         * @description Returns one incident with the results of each monitor, its timeline, its notes and its postmortem.
         */
        get: operations["getIncident"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{incident}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an incident
         * @description Stops reminders and escalation, and notifies the channels that were alerted. The acknowledgement is recorded with the
         *     creator and the name of the token. Acknowledging again changes nothing. Returns 409 if the incident has ended.
         */
        post: operations["acknowledgeIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{incident}/unacknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unacknowledge an incident
         * @description Removes the acknowledgement. Reminders start again, and the escalation continues at the step that is due by now. If the
         *     incident is not acknowledged, nothing changes. Returns 409 if the incident has ended.
         */
        post: operations["unacknowledgeIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{incident}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mute the check or heartbeat of an incident
         * @description Withholds all alerts about the check or heartbeat until the given time, including alerts about a recovery. Muting again
         *     replaces the end of the mute. With `until_resolved`, the mute ends when the incident ends, and the channels that were
         *     alerted are notified of the recovery.
         */
        post: operations["muteIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{incident}/unmute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unmute the check or heartbeat of an incident
         * @description Ends the mute, and sends withheld alerts that still apply. If there is no mute, nothing changes.
         */
        post: operations["unmuteIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{incident}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notes on an incident
         * @description Returns all notes, oldest first.
         */
        get: operations["listIncidentNotes"];
        put?: never;
        /**
         * Add a note to an incident
         * @description The author of the note is the creator of the token, with the name of the token. An incident can have at most 200 notes.
         */
        post: operations["createIncidentNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{incident}/notes/{note}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a note on an incident
         * @description Returns one note.
         */
        get: operations["getIncidentNote"];
        /**
         * Change a note on an incident
         * @description Replaces the text of a note and sets `edited_at`. Only the author can change a note. The author of notes that were
         *     written with a token is the creator of the token.
         */
        put: operations["replaceIncidentNote"];
        post?: never;
        /**
         * Delete a note on an incident
         * @description Only the author can delete a note. The author of notes that were written with a token is the creator of the token.
         */
        delete: operations["deleteIncidentNote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{incident}/postmortem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the postmortem of an incident
         * @description Returns 404 if the incident has no postmortem.
         */
        get: operations["getPostmortem"];
        /**
         * Write the postmortem of an incident
         * @description Creates or replaces the postmortem. An incident has at most one postmortem, which all members with access edit. Send
         *     the `ETag` of the version that you have read as `If-Match`, so that you do not overwrite other changes.
         */
        put: operations["replacePostmortem"];
        post?: never;
        /**
         * Delete the postmortem of an incident
         * @description Returns 404 if the incident has no postmortem.
         */
        delete: operations["deletePostmortem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make many changes in one request, or preview them
         * @description Makes all changes, or none of them. Changes can refer to each other's resources by `key:` in any order. Deletions are
         *     made first, then channels are stored, then checks, and then the resources that refer to them. A `put` with `key`
         *     creates the resource, or sets all of its fields. A change that sets the current values has no effect and creates no
         *     entry in the audit log.
         *
         *     With `if_match`, a change is made only if its resource is in the given state. If any resource is in another state,
         *     nothing is changed, and the 412 names this resource. `found` in the response is the state of each resource before the
         *     change, so you can send `found` of a dry run as `if_match`.
         *
         *     With `dry_run`, nothing is stored, and the response is the plan. The same request without `dry_run` then does what the
         *     plan says, unless someone changes the resources in between. A dry run needs the scopes for reading the resources. A
         *     change needs the scopes for writing them, such as `checks:write`.
         *
         *     **Secrets in a dry run.** Secrets of channels are compared only for tokens that can write channels, and secrets of
         *     checks only for tokens with `checks:secrets`. For other tokens, the plan marks the secret with `compared: false`, so no
         *     response reveals whether a given secret is the stored one. If a token has `checks:write` but not `checks:secrets`, a
         *     check with such a secret is always `replaced` in the plan. If a token that cannot write channels sends a secret
         *     destination, such as a URL, and omits other secrets of the channel, the plan marks these with `may_be_needed`: the
         *     change requires them if the destination is a new one.
         *
         *     **Limits.** Each change counts towards the organisation's ten changes per second (burst 2,000). A dry run counts towards
         *     an equal limit per token. A repeat of a completed request with the same `Idempotency-Key` does not count. A request
         *     can test at most 250 templates of channels, for at most 3 seconds. If the changes take longer than 10 seconds together,
         *     the request is refused with 429, and nothing is changed.
         *
         *     **Errors.** A refused request reports all faults of one kind of resource together, each with its position, for example
         *     `changes[3].body.url must be a valid target`. If there are too many for one line, the line contains the number of
         *     further faults. For channels, heartbeats, routes and maintenance windows, the server stops after 20 faults.
         */
        post: operations["changeInBulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read metrics of checks, heartbeats and monitors
         * @description Returns metrics in the Prometheus text format, which can be up to five seconds old:
         *
         *     - For each check: whether it is up, paused, unmonitored or degraded, whether an incident is open, the response time and
         *       certificate expiry of the latest run, and uptime and coverage over the last 24 hours.
         *     - For each heartbeat: whether it is up, and the time of the latest ping.
         *     - For each monitor: whether it is online.
         *
         *     `metrics:read` gives access to all metrics. Without it, `checks:read`, `heartbeats:read` and `monitors:read` each give
         *     access to the metrics of their resource.
         *
         *     A response contains at most 10,000 checks and 10,000 heartbeats. If there are more, the request is refused with 400. To
         *     read all metrics in parts, use `part` and `parts`. To read only resources with a tag, use `tag`. With `tag` or `check`,
         *     the response contains no monitors. With `parts`, the first part contains all monitors. Request gzip, because it makes
         *     the response several times smaller.
         */
        get: operations["readMetrics"];
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
        /** @description A token and its scopes. */
        Token: {
            /** @description Name of the token. */
            name: string;
            /** @description Name of the organisation that the token can access. */
            org_name: string;
            /** @description Scopes of the token. `read` and `write` include all scopes of that kind except `audit:read` and `checks:secrets`, which must be given individually. `checks:secrets` shows the secrets of checks to a token that can read checks. */
            scopes: string[];
            /**
             * Format: date-time
             * @description Time at which the token expires. Absent if it does not expire.
             * @example 2027-02-18T10:00:00.000000Z
             */
            expires_at?: string;
        };
        /** @description One line of plain text in lower case that describes the error. */
        ErrorLine: string;
        /** @description The error of one field of the body, or of one query parameter. */
        ProblemError: {
            /**
             * @description What the field must be.
             * @example interval_sec must be at least 30 on the team plan
             */
            detail: string;
            /**
             * @description The field of the body, as a JSON pointer in URI fragment form. Absent for a parameter.
             * @example #/interval_sec
             */
            pointer?: string;
            /** @description Name of the query parameter. Absent for a field of the body. */
            parameter?: string;
        };
        /** @description An error in the format of RFC 9457, for clients that send its media type in `Accept`. */
        ProblemDetails: {
            /**
             * @description Always `about:blank`, which means that `title` and `status` describe the kind of error.
             * @example about:blank
             */
            type: string;
            /**
             * @description Name of the status code.
             * @example Bad Request
             */
            title: string;
            /**
             * Format: int32
             * @description Status code of the response.
             * @example 400
             */
            status: number;
            /**
             * @description The line that other clients receive.
             * @example interval_sec must be at least 30 on the team plan
             */
            detail: string;
            /** @description Errors of individual fields, at most 200. Absent if no field is at fault. */
            errors?: components["schemas"]["ProblemError"][];
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
        /**
         * @description The name that a client chose for the resource. You can write `key:` and this name instead of the `guid` or `id`. Absent if there is none.
         * @example shop
         */
        Key: string;
        /** @description A check with its monitors. Lists, and responses to changes, contain no `state`. For tokens without `checks:secrets`, secrets are shown as `***`: the password in `url`, its parameters with names such as `token` or `api_key`, all headers except harmless ones such as `Accept`, `post_data`, and the password in `proxy`. */
        ConfiguredCheck: components["schemas"]["Check"] & {
            key?: components["schemas"]["Key"];
            /** @description Whether all monitors run it, including ones added later. False or absent means those of `monitors`. */
            all_monitors?: boolean;
            /**
             * @description The ids of the monitors that run it now, in order. Absent when there are none.
             * @example [
             *       "7k2m9x0c4v5b"
             *     ]
             */
            monitors?: string[];
            /**
             * @description What has no effect as the check is set, such as retries that do not fit into its interval. Each begins with the name of its field. Absent when there is nothing to warn of.
             * @example [
             *       "retry_count has no effect with fewer than 3 monitors: one retry takes up to 27 s, and the check runs every 10 s"
             *     ]
             */
            warnings?: string[];
        };
        /** @description One page of checks. */
        CheckPage: {
            /** @description At most `limit` checks. */
            checks: components["schemas"]["ConfiguredCheck"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description The fields of a check, as in the import and export file. `guid`, `state`, `state_since` and `warnings` are ignored, so you can send back what you have read. Instead of a stored secret, you can send `***` to keep it. If the scheme, host or port of `url`, the `Host` header or the `proxy` changes, or `insecure_skip_verify` is turned on, `***` is refused, and so is a `PATCH` that omits a field with secrets. */
        CheckInput: {
            /**
             * @description Your own name for the check, unique among the checks of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.
             * @example shop
             */
            key?: string | null;
            /** @description Name of the check. */
            name?: string | null;
            /**
             * @description Target of the check. The scheme, such as `https` or `dns`, selects the kind of check. `composite:key:web-1,tag:db` combines other checks, and `domain:example.com` watches a registration. The server judges these two without monitors, so they have no results, and fields about runs are refused.
             * @example https://shop.example.com/health
             */
            url?: string | null;
            /**
             * Format: int32
             * @description Number of seconds between two runs, over all monitors of the check together. Ignored if the server judges the check.
             */
            interval_sec?: number | null;
            /** @description False pauses the check. Default: true. */
            enabled?: boolean | null;
            /**
             * Format: int32
             * @description Maximum duration of one run, in seconds, at most 60. 0 means 10.
             */
            timeout_sec?: number | null;
            /** @description The guid of another check of the organisation, or the id of a monitor. `key:NAME` names a check by its key. While this dependency is down, alerts about the check wait. */
            depends_on?: string | null;
            /** @description Tags of the check, for searching and for routing alerts. Responses contain them in lower case, in alphabetical order and without duplicates. */
            tags?: string[] | null;
            /** @description Whether only the organisation's own monitors may run the check. Always true if the target is not a public address. */
            restricted?: boolean | null;
            /**
             * @description Method of the request for http and https, in capital letters. Empty: GET, or POST if there is a `post_data`.
             * @example PUT
             */
            method?: string | null;
            /** @description Whether to judge the first response of an http or https target without following redirects. Default: false. */
            disable_redirects?: boolean | null;
            /** @description Whether to skip the verification of the certificate. Applies only to https and tls. Default: false. */
            insecure_skip_verify?: boolean | null;
            /** @description Request body for http and https. If not empty, the request is a POST with this body, or has the `method`. */
            post_data?: string | null;
            /**
             * Format: int32
             * @description Maximum number of redirects to follow. A further redirect fails the check. 0 means 10.
             */
            max_redirects?: number | null;
            /** @description Version of IP with which runs connect. `both`: each run checks the target over IPv4 and over IPv6, and passes if both do. Empty means `any`. */
            ip_family?: string | null;
            /**
             * @description Proxy for http and https: `http://host:port` or `socks5://host:port`, with an optional `user:password@`. Only the organisation's own monitors run a check with a proxy. Empty: no proxy.
             * @example http://proxy.example.com:3128
             */
            proxy?: string | null;
            /** @description Text to match against the body (http, https), the banner that the service sends after connecting (tcp), or a line about the certificate (tls): `subject=...; san=...; issuer=...; not_after=...`. Empty: the content is not checked. */
            match_string?: string | null;
            /** @description How to compare `match_string`. Default: `contains`. Regular expressions use RE2 syntax and are case-sensitive. */
            match_mode?: string | null;
            /** @description Comparison of the status code with `status_code_value`. A run passes if the comparison is true. Absent: a status of 400 or above fails. */
            status_code_op?: string | null;
            /**
             * Format: int32
             * @description Status code with which `status_code_op` compares, 100 to 599.
             */
            status_code_value?: number | null;
            /**
             * @description Status codes with which a run passes, for http and https: single ones and ranges. Must not be set together with `status_code_op`. Empty: `status_code_op` decides.
             * @example [
             *       "200-299",
             *       "301"
             *     ]
             */
            status_codes?: string[] | null;
            /**
             * Format: int32
             * @description For https and tls: the check fails if its certificate expires in this number of days or fewer. With 14, a certificate with exactly 14 days left fails. 0 means no limit.
             */
            cert_expiry_warn_days?: number | null;
            /**
             * Format: int32
             * @description Maximum response time in milliseconds. A slower response fails. 0 means no limit.
             */
            max_response_time_ms?: number | null;
            /** @description Rules on single parts of the response, in addition to the other fields. All must pass. */
            assertions?: components["schemas"]["Assertion"][] | null;
            /** @description Whether to flip the verdict, after all other rules and for every scheme. Default: false. */
            invert_result?: boolean | null;
            /**
             * Format: int32
             * @description Maximum number of characters in `error` and in `response_sample` of a result. 0 means that neither is stored.
             */
            result_detail_max_chars?: number | null;
            /**
             * Format: int32
             * @description Maximum number of retries after a failed run, before the failure counts. 0 means no retries.
             */
            retry_count?: number | null;
            /**
             * Format: int32
             * @description Number of seconds between the end of a failed run and its retry. 0 means 5.
             */
            retry_interval_sec?: number | null;
            /**
             * Format: int32
             * @description Response time in milliseconds above which a result is slow. Slow results make the check degraded. 0 means no limit.
             */
            degraded_over_ms?: number | null;
            /**
             * Format: int32
             * @description Number of consecutive slow results after which the check is degraded. 0 means 1.
             */
            degraded_after?: number | null;
            /**
             * Format: int32
             * @description The check is degraded if a certificate in its verified chain expires in fewer than this number of days. 0 means no warning.
             */
            cert_warn_days?: number | null;
            /**
             * Format: int32
             * @description The check is degraded if its certificate has less than this share of its lifetime left, in percent. 0 means no warning.
             */
            cert_warn_percent?: number | null;
            /**
             * Format: int32
             * @description Number of consecutive failures after which the check is down and an alert is sent. Despite its name, the field is not in seconds. 0 means 1.
             */
            down_interval_sec?: number | null;
            /** @description Whether the check is down only if a majority of the monitors with a recent result fail. Consecutive failures then count per monitor. */
            down_majority?: boolean | null;
            /**
             * Format: int32
             * @description Number of monitors with a recent result that must fail before the check is down. If fewer monitors have a recent result, all of them must fail. Consecutive failures then count per monitor. 0: the results of all monitors count together. Ignored if `down_majority` is true.
             */
            down_places?: number | null;
            /** @description Whether each change of state causes an alert, even if the check is flapping. If false, a flapping check causes one alert about the flapping, and one when the check has settled. */
            alert_every_change?: boolean | null;
            /**
             * Format: int32
             * @description Number of consecutive successes after which a check that is down is up again. 0 means 1.
             */
            up_successes?: number | null;
            /**
             * Format: int32
             * @description Number of seconds between reminders while the check is down. 0 means no reminders.
             */
            resend_interval_sec?: number | null;
            /** @description Additional request headers for http and https, at most 10. */
            headers?: {
                [key: string]: string;
            } | null;
            /** @description True assigns the check to all monitors, including monitors that are added later. Must not be true if `monitors` is set. */
            all_monitors?: boolean | null;
            /** @description Ids of the monitors that run the check. They replace the current monitors. */
            monitors?: string[] | null;
        };
        /** @description The deleted resource. */
        Deleted: {
            /** @description Guid of the deleted resource. */
            guid: string;
        };
        /** @description End of a mute: either `until` or `until_resolved`. */
        MuteInput: {
            /**
             * Format: date-time
             * @description End of the mute: a time in the future, at most 90 days from now.
             * @example 2026-11-20T11:00:00.000000Z
             */
            until?: string;
            /** @description True mutes until the incident ends, for at most 90 days. Use it instead of `until`. Returns 409 if no incident is open. */
            until_resolved?: boolean;
        };
        /** @description Mute of a check or heartbeat: its alerts are withheld until it ends. Without `muted_until`, there is no mute. */
        Mute: {
            /**
             * Format: date-time
             * @description End of the mute. Absent if there is no mute.
             * @example 2026-11-20T11:00:00.000000Z
             */
            muted_until?: string;
            /** @description Who muted the alerts. Absent if they are not muted. */
            muted_by?: string;
            /** @description True if the mute ends when the incident ends, but no later than `muted_until`. Absent otherwise. */
            until_resolved?: boolean;
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
        /** @description One page of results. */
        ResultPage: {
            /** @description At most `limit` results, newest first. */
            results: components["schemas"]["Result"][];
            /**
             * @description Value to send as `after` for the next page. Absent on the last page.
             * @example 2026-11-20T10~00~00.123456Z_7k2m9x0c4v5b
             */
            next?: string;
        };
        /** @description Checks and heartbeats to which a route or maintenance window applies: either all, or those with a tag, or a list. */
        Scope: {
            /** @description True: all checks and heartbeats, and the organisation's monitors. */
            all?: boolean;
            /** @description Tags: checks and heartbeats with at least one of these tags. */
            tags?: string[];
            /** @description The checks, by guid or `key:NAME`. Responses contain guids. */
            checks?: string[];
            /** @description The heartbeats, by guid or `key:NAME`. Responses contain guids. */
            heartbeats?: string[];
        };
        /** @description Hours in which the alerts of the route wait. Absent: none. */
        QuietHours: {
            /**
             * @description Start of the quiet hours, as local time in `zone`.
             * @example 22:00
             */
            from: string;
            /**
             * @description End of the quiet hours, as local time in `zone`. If it is not later than `from`, the hours end on the next day.
             * @example 07:00
             */
            to: string;
            /** @description Days on which the quiet hours begin, from 1 (Monday) to 7 (Sunday). Absent or empty: every day. */
            days?: number[];
            /**
             * @description Time zone of `from`, `to` and `days`.
             * @example Europe/Paris
             */
            zone: string;
            /** @description Whether alerts about something that is down wait too. */
            holds_down?: boolean;
        };
        /** @description Channels that take turns. Each turn lasts a week. */
        RouteRotation: {
            /** @description The channels in the order of their turns, by id or `key:NAME`. Responses contain ids. */
            channels: string[];
            /**
             * @description Date on which the turn of the first channel begins.
             * @example 2026-11-23
             */
            starts_on: string;
            /**
             * @description Time of day at which turns change, as local time in `zone`.
             * @example 09:00
             */
            at: string;
            /**
             * @description Time zone of `starts_on` and `at`.
             * @example Europe/Paris
             */
            zone: string;
        };
        /** @description Channels to notify: either all of a list, or the channel of a rotation whose turn it is. */
        RouteStep: {
            /**
             * Format: int32
             * @description Number of seconds after the first step. 0 or absent for the first step, which notifies at once.
             */
            after_sec?: number;
            /** @description The channels, by id or `key:NAME`. Responses contain ids. */
            channels?: string[];
            rotation?: components["schemas"]["RouteRotation"];
        };
        /** @description A rule that decides which alerts go to which channels, and when. */
        Route: {
            /** @description Identifier of the route. */
            guid: string;
            key?: components["schemas"]["Key"];
            /**
             * @description Name of the route, at most 100 characters.
             * @example Payments at night
             */
            name: string;
            /** @description Whether the route is enabled. A disabled route has no effect. */
            enabled: boolean;
            scope: components["schemas"]["Scope"];
            /** @description Groups of events to which the route applies. Absent or empty: all. */
            events?: string[];
            /** @description Severity of the alerts. Absent: the type of the event decides. */
            severity?: string;
            /**
             * Format: int32
             * @description Number of seconds for which a problem must last before the first step, at most 172,800 (two days).
             */
            delay_sec?: number;
            quiet?: components["schemas"]["QuietHours"];
            /** @description Steps that decide which channels are notified, and when. The first step notifies at once. Each later step notifies after its delay, unless someone has acknowledged the incident by then. At most ten steps. */
            steps: components["schemas"]["RouteStep"][];
        };
        /** @description One page of routes. */
        RoutePage: {
            /** @description At most `limit` routes, in their order. */
            routes: components["schemas"]["Route"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description Hours in which the alerts of the route wait. Null: none. */
        QuietHoursInput: {
            /**
             * @description Start of the quiet hours, as local time in `zone`.
             * @example 22:00
             */
            from: string;
            /**
             * @description End of the quiet hours, as local time in `zone`. If it is not later than `from`, the hours end on the next day.
             * @example 07:00
             */
            to: string;
            /** @description Days on which the quiet hours begin, from 1 (Monday) to 7 (Sunday). Absent or empty: every day. */
            days?: number[];
            /**
             * @description Time zone of `from`, `to` and `days`.
             * @example Europe/Paris
             */
            zone: string;
            /** @description Whether alerts about something that is down wait too. */
            holds_down?: boolean;
        } | null;
        /** @description The fields of a route. `guid` is ignored, so you can send back what you have read. */
        RouteInput: {
            /**
             * @description Your own name for the route, unique among the routes of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.
             * @example payments
             */
            key?: string | null;
            /**
             * @description Name of the route, at most 100 characters.
             * @example Payments at night
             */
            name?: string | null;
            /** @description Whether the route is enabled. A disabled route has no effect. Default: true. */
            enabled?: boolean | null;
            scope?: components["schemas"]["Scope"];
            /** @description Groups of events to which the route applies. Absent or empty: all. */
            events?: ("down" | "late" | "up" | "reminder" | "degraded" | "certificate" | "unmonitored" | "monitor_offline" | "flapping" | "report")[] | null;
            /** @description Severity of the alerts. Absent: the type of the event decides. */
            severity?: string | null;
            /**
             * Format: int32
             * @description Number of seconds for which a problem must last before the first step, at most 172,800 (two days).
             */
            delay_sec?: number | null;
            quiet?: components["schemas"]["QuietHoursInput"];
            /** @description Steps that decide which channels are notified, and when. The first step notifies at once. Each later step notifies after its delay, unless someone has acknowledged the incident by then. At most ten steps. */
            steps?: components["schemas"]["RouteStep"][] | null;
        };
        /** @description A position in the list of routes. */
        RoutePlace: {
            /**
             * Format: int32
             * @description New position of the route, starting at 1. If it is greater than the number of routes, the route moves to the end.
             */
            position: number;
        };
        /** @description What happens to the alert for one channel. */
        PreviewedChannel: {
            /** @description Identifier of the channel. */
            id: string;
            /** @description Name of the channel. */
            name: string;
            /** @description Whether the channel would be notified now, later or never. */
            told: string;
            /**
             * Format: date-time
             * @description Time at which the channel would be notified later. Absent if unknown, and for other channels.
             * @example 2026-11-20T07:00:00.000000Z
             */
            at?: string;
            /** @description Severity of the alert, as a route sets it. Absent: the type of the event decides. */
            severity?: string;
            /**
             * @description Reason, in a few words.
             * @example route "Payments at night"
             */
            why: string;
        };
        /** @description The channels that an alert would notify. */
        AlertPreview: {
            /** @description All enabled channels. The channels that would be notified come first, the earliest first. */
            channels: components["schemas"]["PreviewedChannel"][];
            /** @description Names of the disabled channels, which receive nothing. Absent if there are none. */
            disabled?: string[];
            /**
             * @description Reason why the alert would be withheld. Absent if it would not be.
             * @example maintenance until 14:00
             */
            held?: string;
        };
        /** @description An agent that runs checks from one location. */
        ConfiguredMonitor: {
            /** @description Identifies the monitor. */
            id: string;
            /** @description Whether the monitor is the organisation's own (`private`) or belongs to the shared fleet (`shared`). */
            class: string;
            /** @description Name of the monitor. Can be empty. */
            name: string;
            /** @description Region of the monitor. */
            region: string;
            /** @description Country of the monitor. */
            country: string;
            /** @description City of the monitor. */
            city: string;
            /** @description False if the monitor is disabled and runs no checks. */
            enabled: boolean;
            /** @description True if the operator of the server has disabled the monitor. Absent otherwise. */
            disabled_by_platform?: boolean;
            /** @description State of the monitor. `reset`: it waits for an agent to reclaim it. `unseen`: it has sent no request since it enrolled. */
            state: string;
            /**
             * Format: date-time
             * @description Time of the last request from the monitor. Absent if there was none.
             */
            last_seen_at?: string;
            /** @description Version of the agent. Absent if the agent has not reported it, and for shared monitors. */
            version?: string;
        };
        /** @description One page of monitors. */
        MonitorPage: {
            /** @description At most `limit` monitors. */
            monitors: components["schemas"]["ConfiguredMonitor"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description The retired monitor. */
        RetiredMonitor: {
            /** @description Identifier of the retired monitor. */
            id: string;
        };
        /** @description The writable fields of a monitor. */
        MonitorInput: {
            /**
             * @description Name of the monitor. Default: empty. If an agent enrolls again as this monitor, the agent's name replaces this name.
             * @example Frankfurt 1
             */
            name?: string | null;
            /** @description False disables the monitor, so it runs no checks. Default: true. */
            enabled?: boolean | null;
        };
        /** @description A token with which agents enroll. */
        EnrollmentToken: {
            /** @description Identifier of the token. It cannot be used to enroll. */
            id: string;
            /**
             * Format: date-time
             * @description Time at which the token was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time at which the token expires.
             */
            expires_at: string;
        };
        /** @description The valid enrollment tokens. */
        EnrollmentTokens: {
            /** @description At most 500 tokens. */
            enrollment_tokens: components["schemas"]["EnrollmentToken"][];
        };
        /** @description The settings of a new enrollment token. */
        EnrollmentTokenInput: {
            /**
             * Format: int32
             * @description Lifetime of the token in seconds, from 1 to 31,536,000. Default: 86,400, which is a day.
             */
            ttl_sec?: number | null;
        };
        /** @description A new enrollment token, with its text. */
        CreatedEnrollmentToken: {
            /** @description Identifier of the token. It cannot be used to enroll. */
            id: string;
            /**
             * @description Text of the token, with which agents enroll. It is shown only once.
             * @example dogwatch_enroll_4fD0
             */
            token: string;
            /**
             * Format: date-time
             * @description Time at which the token expires.
             */
            expires_at: string;
        };
        /** @description The revoked token. */
        RevokedEnrollmentToken: {
            /** @description Identifier of the revoked token. */
            id: string;
        };
        /** @description A tag, and the number of its uses. */
        TagUse: {
            /** @description The tag, in lower case. */
            tag: string;
            /** @description Number of checks with the tag. */
            checks: number;
            /** @description Number of heartbeats with the tag. */
            heartbeats: number;
            /** @description Number of routes that apply to the tag. */
            routes: number;
            /** @description Number of maintenance windows that apply to the tag. */
            maintenance_windows: number;
        };
        /** @description The tags of the organisation. */
        Tags: {
            /** @description All tags, in alphabetical order. */
            tags: components["schemas"]["TagUse"][];
        };
        /** @description The removed tag. */
        DeletedTag: {
            /** @description The removed tag. */
            tag: string;
        };
        /** @description The new name of a tag. */
        TagInput: {
            /**
             * @description The new tag: 1 to 50 characters without commas.
             * @example webshop
             */
            tag: string;
        };
        /** @description A receiver of alerts, without secrets. `secrets` lists the secrets that are set. */
        Channel: {
            /**
             * @description Identifier of the channel.
             * @example 12
             */
            id: string;
            key?: components["schemas"]["Key"];
            /** @description Name of the channel. */
            name: string;
            /** @description Kind of the channel, which decides the fields of `destination`. */
            kind: string;
            /** @description False if the channel is disabled and receives nothing. */
            enabled: boolean;
            /**
             * @description Fields of the destination, without secrets. `ChannelInput` lists the fields of each kind.
             * @example {
             *       "telegram_chat": "-100123"
             *     }
             */
            destination?: {
                [key: string]: string;
            };
            /**
             * @description Names of the secret fields of `destination` that are set, in alphabetical order. Absent if there are none.
             * @example [
             *       "telegram_token"
             *     ]
             */
            secrets?: string[];
            /** @description True while the owner of the email address has not confirmed that alerts may be sent to it. Absent otherwise. */
            unconfirmed?: boolean;
            /**
             * Format: date-time
             * @description Time at which the receiver responded that it no longer exists, so the channel was disabled. Absent otherwise.
             */
            gone_at?: string;
        };
        /** @description One page of channels. */
        ChannelPage: {
            /** @description At most `limit` channels. */
            channels: components["schemas"]["Channel"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description The writable fields of a channel. Other fields of `Channel` are ignored, so you can send back what you have read. */
        ChannelInput: {
            /**
             * @description Your own name for the channel, unique among the channels of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.
             * @example ops-chat
             */
            key?: string | null;
            /**
             * @description Name of the channel.
             * @example Ops chat
             */
            name?: string | null;
            /**
             * @description Kind of the channel, which decides the fields of `destination`. It cannot be changed later. `Channel` lists the kinds; the plan decides which kinds are allowed.
             * @example telegram
             */
            kind?: string | null;
            /** @description False disables the channel, so it receives nothing. Default: true. */
            enabled?: boolean | null;
            /**
             * @description Fields of the destination. Null or an empty string removes a field. Responses never contain secrets.
             *
             *     - `ntfy`: `ntfy_topic`, `grouping` (optional)
             *     - `email`: `email`, `grouping` (optional)
             *     - `webhook`: `webhook_url` (secret), `webhook_secret` (secret, optional)
             *     - `slack`: `webhook_url` (secret), `grouping` (optional)
             *     - `discord`: `discord_url` (secret), `grouping` (optional)
             *     - `teams`: `teams_url` (secret), `grouping` (optional)
             *     - `telegram`: `telegram_chat`, `telegram_token` (secret), `telegram_topic` (optional), `grouping` (optional)
             *     - `pagerduty`: `pagerduty_key` (secret), `pagerduty_region` (optional)
             *     - `opsgenie`: `opsgenie_key` (secret), `opsgenie_region` (optional)
             *     - `pushover`: `pushover_user` (secret), `pushover_token` (secret), `pushover_device` (optional), `grouping` (optional)
             *     - `gotify`: `gotify_url` (secret), `gotify_token` (secret), `grouping` (optional)
             *     - `mattermost`: `mattermost_url` (secret), `grouping` (optional)
             *     - `google-chat`: `google_chat_url` (secret), `grouping` (optional)
             *     - `matrix`: `matrix_room`, `matrix_url` (secret), `matrix_token` (secret), `grouping` (optional)
             *     - `zulip`: `zulip_channel`, `zulip_url` (secret), `zulip_email`, `zulip_key` (secret), `zulip_topic` (optional), `grouping` (optional)
             *     - `twilio-sms`: `twilio_to`, `twilio_from`, `twilio_account`, `twilio_token` (secret), `grouping` (optional)
             *     - `twilio-voice`: `twilio_to`, `twilio_from`, `twilio_account`, `twilio_token` (secret), `grouping` (optional)
             *     - `signal`: `signal_to`, `signal_from`, `signal_url` (secret), `grouping` (optional)
             *     - `webhook-template`: `template_url` (secret), `template_method` (optional), `template_headers` (secret, optional), `template_body` (secret)
             *     - `alertmanager`: `alertmanager_url` (secret), `alertmanager_token` (secret, optional)
             *     - `syslog`: `syslog_url` (secret), `syslog_facility` (optional)
             *     - `apprise`: `apprise_url` (secret), `apprise_key` (secret), `apprise_tag` (optional), `grouping` (optional)
             * @example {
             *       "telegram_chat": "-100123",
             *       "telegram_token": "123456:AA-example"
             *     }
             */
            destination?: {
                [key: string]: string | null;
            } | null;
        };
        /** @description The deleted channel. */
        DeletedChannel: {
            /** @description Identifier of the deleted channel. */
            id: string;
        };
        /** @description A test message that is queued. */
        ChannelTest: {
            /** @description Identifier of the delivery, for `GET /deliveries/{delivery}`. */
            delivery: string;
            /** @description State of the delivery. */
            state: string;
        };
        /** @description The recipient of the confirmation email. */
        ConfirmationAsked: {
            /**
             * @description The address of the channel.
             * @example ops@example.com
             */
            email: string;
        };
        /** @description The channel that receives the alert. */
        DeliveryChannel: {
            /** @description Identifier of the channel. */
            id: string;
            /** @description Name of the channel. */
            name: string;
        };
        /** @description The delivery of an alert to one channel. */
        Delivery: {
            /**
             * @description Identifier of the delivery.
             * @example 31
             */
            id: string;
            /**
             * @description Type of the event.
             * @example check.down
             */
            event: string;
            /** @description Names of the checks, heartbeats or monitors that the alert is about, at most eleven. Absent if there are none, or if the token cannot read them. */
            names?: string[];
            /** @description Identifier of the incident that the alert is about. Absent if there is none, or if the token cannot read incidents. */
            incident?: string;
            channel: components["schemas"]["DeliveryChannel"];
            /** @description `pending`, `delivered` or `failed`. `superseded`: the alert was no longer true when it was due. `summarised`: a summary of many alerts replaced it. `unconfirmed`: it waits until the owner of the address confirms the address. */
            state: string;
            /**
             * Format: int32
             * @description Number of attempts so far.
             */
            attempts: number;
            /**
             * Format: date-time
             * @description Time at which the delivery was queued.
             * @example 2026-11-20T10:00:01.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the next attempt. Absent unless the delivery is pending.
             * @example 2026-11-20T10:01:01.000000Z
             */
            next_attempt_at?: string;
            /**
             * Format: date-time
             * @description Time of the last attempt. Absent if there was none.
             * @example 2026-11-20T10:00:02.000000Z
             */
            last_attempt_at?: string;
            /**
             * Format: int32
             * @description Status code of the last http response. Absent if there was none.
             */
            last_status?: number;
            /**
             * Format: int32
             * @description Duration of the last attempt in milliseconds. Absent if there was none.
             */
            last_latency_ms?: number;
            /** @description Error of the last attempt. Absent if the attempt succeeded. */
            last_error?: string;
        };
        /** @description One page of deliveries. */
        DeliveryPage: {
            /** @description At most `limit` deliveries, newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description A scheduled job that pings Dogwatch. A missing ping raises an alert. */
        ConfiguredHeartbeat: {
            /** @description Identifier of the heartbeat. */
            guid: string;
            key?: components["schemas"]["Key"];
            /** @description Name of the heartbeat. */
            name: string;
            /**
             * Format: int32
             * @description Maximum number of seconds between two pings, without the grace period. With `cron`, the longest time between two of its times.
             */
            interval_sec: number;
            /**
             * Format: int32
             * @description Number of seconds by which a ping can be late.
             */
            grace_sec: number;
            /**
             * @description Cron expression of the times at which a ping is expected. Absent if a ping is expected every `interval_sec`.
             * @example 30 2 * * 1-5
             */
            cron?: string;
            /**
             * @description Time zone of `cron`. Absent without `cron`.
             * @example Europe/Paris
             */
            cron_zone?: string;
            /**
             * Format: int32
             * @description Number of seconds between reminders while the heartbeat is down. Absent: no reminders.
             */
            resend_interval_sec?: number;
            /** @description Tags of the heartbeat, for searching and for routing alerts: in lower case, in alphabetical order. Absent if there are none. */
            tags?: string[];
            /** @description False if the heartbeat is paused. */
            enabled: boolean;
            /** @description True if the operator of the server has disabled the heartbeat. Absent otherwise. */
            disabled_by_platform?: boolean;
            /** @description Whether the public status page shows the heartbeat. To change this, change the entries of the status page. */
            show_on_status_page: boolean;
            /** @description Stored state of the heartbeat. It can be stale while the heartbeat is paused, because a paused heartbeat is not judged. */
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
        };
        /** @description One page of heartbeats. */
        HeartbeatPage: {
            /** @description At most `limit` heartbeats. */
            heartbeats: components["schemas"]["ConfiguredHeartbeat"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description The writable fields of a heartbeat. Other fields of `ConfiguredHeartbeat` are ignored, so you can send back what you have read. */
        HeartbeatInput: {
            /**
             * @description Your own name for the heartbeat, unique among the heartbeats of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.
             * @example nightly-backup
             */
            key?: string | null;
            /**
             * @description Name of the heartbeat.
             * @example Nightly backup
             */
            name?: string | null;
            /**
             * Format: int32
             * @description Maximum number of seconds between two pings, from 1 to 31,536,000. Omit it if you send `cron`, which then decides it.
             */
            interval_sec?: number | null;
            /**
             * Format: int32
             * @description Number of seconds by which a ping can be late, from 0 to 31,536,000. Default: 3600.
             */
            grace_sec?: number | null;
            /**
             * @description Cron expression of the times at which a ping is expected: minute, hour, day of month, month, day of week. Or one of `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly`. The times are those at which Debian's cron starts a job, including on days when clocks change. Null or absent: a ping is expected every `interval_sec`.
             * @example 30 2 * * 1-5
             */
            cron?: string | null;
            /**
             * @description Time zone of `cron`. Default: `UTC`.
             * @example Europe/Paris
             */
            cron_zone?: string | null;
            /**
             * Format: int32
             * @description Number of seconds between reminders while the heartbeat is down. Default: 0, which means no reminders.
             */
            resend_interval_sec?: number | null;
            /** @description Tags of the heartbeat, for searching and for routing alerts. */
            tags?: string[] | null;
            /** @description False pauses the heartbeat. Default: true. */
            enabled?: boolean | null;
        };
        /** @description A new heartbeat, with its ping URL. */
        CreatedHeartbeat: components["schemas"]["ConfiguredHeartbeat"] & {
            /**
             * @description URL that the job must request. It is a secret.
             * @example https://dogwatch.example.com/ping/dogwatch_beat_4fD0
             */
            ping_url: string;
        };
        /** @description URL of a heartbeat that the job must request. */
        PingUrl: {
            /**
             * @description The URL. It is a secret. `GET`, `HEAD` and `POST` requests have the same effect.
             * @example https://dogwatch.example.com/ping/dogwatch_beat_4fD0
             */
            ping_url: string;
        };
        /** @description A period, once or repeated, in which alerts are withheld. Responses to changes contain no `state`. */
        MaintenanceWindow: {
            /** @description Identifier of the maintenance window. */
            guid: string;
            key?: components["schemas"]["Key"];
            /**
             * @description Name of the maintenance window, at most 100 characters.
             * @example Database upgrade
             */
            name: string;
            scope: components["schemas"]["Scope"];
            /**
             * @description First start of the window, as local time in `zone`.
             * @example 2026-11-23T02:00
             */
            starts_at: string;
            /**
             * Format: int32
             * @description Duration of the window in seconds, from 60 to 2,592,000 (30 days).
             * @example 3600
             */
            duration_sec: number;
            /**
             * @description Time zone of `starts_at` and `rule`.
             * @example Europe/Paris
             */
            zone: string;
            /**
             * @description Recurrence rule of RFC 5545, without its start. Absent: the window does not repeat.
             * @example FREQ=WEEKLY;BYDAY=SA
             */
            rule?: string;
            /** @description Whether the status page announces the window. */
            is_public?: boolean;
            /** @description Whether the window is current (`running`), in the future (`announced`) or in the past (`over`). */
            state?: string;
            /**
             * Format: date-time
             * @description Start of the current or next occurrence; for a past window, of the last one. Absent if the window never occurred.
             * @example 2026-11-23T01:00:00.000000Z
             */
            begins_at?: string;
            /**
             * Format: date-time
             * @description End of the same occurrence.
             * @example 2026-11-23T02:00:00.000000Z
             */
            ends_at?: string;
        };
        /** @description One page of maintenance windows. */
        MaintenanceWindowPage: {
            /** @description At most `limit` maintenance windows. */
            windows: components["schemas"]["MaintenanceWindow"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description The fields of a maintenance window. `guid`, `state`, `begins_at` and `ends_at` are ignored, so you can send back what you have read. */
        MaintenanceWindowInput: {
            /**
             * @description Your own name for the window, unique among the maintenance windows of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.
             * @example nightly
             */
            key?: string | null;
            /**
             * @description Name of the maintenance window, at most 100 characters.
             * @example Database upgrade
             */
            name?: string | null;
            scope?: components["schemas"]["Scope"];
            /**
             * @description First start of the window, as local time in `zone`.
             * @example 2026-11-23T02:00
             */
            starts_at?: string | null;
            /**
             * Format: int32
             * @description Duration of the window in seconds, from 60 to 2,592,000 (30 days).
             * @example 3600
             */
            duration_sec?: number | null;
            /**
             * @description Time zone of `starts_at` and `rule`. Default: `UTC`.
             * @example Europe/Paris
             */
            zone?: string | null;
            /**
             * @description Recurrence rule of RFC 5545, without its start. Absent: the window does not repeat.
             * @example FREQ=WEEKLY;BYDAY=SA
             */
            rule?: string | null;
            /** @description Whether the status page announces the window. */
            is_public?: boolean | null;
        };
        /** @description Outcome of the run. Absent unless `state` is `done`. For a private definition, it contains only the verdict and its numbers. */
        RunResult: {
            /** @description Whether the run passed. Absent if there is no verdict; `not_run` then contains the reason. */
            success?: boolean;
            /** @description Reason why there is no verdict. Absent if there is a verdict. */
            not_run?: string;
            /**
             * Format: date-time
             * @description Start time of the run.
             * @example 2026-11-20T10:00:00.000000Z
             */
            ran_at?: string;
            /**
             * @description `ok`, the rule that failed, or the kind of error, such as `status` or `timeout`.
             * @example timeout
             */
            kind?: string;
            /** @description Reason for the failure, in one line. Absent if the run passed. */
            error?: string;
            /**
             * Format: int32
             * @description Status code of the last http response. Absent if there was none.
             */
            http_status?: number;
            /**
             * Format: int32
             * @description Response time in milliseconds.
             */
            latency_ms?: number;
            /** @description Last IP address to which the monitor connected. */
            address?: string;
            /**
             * Format: int32
             * @description Number of whole days until the certificate that expires first. Negative if it has expired. Absent if the target presented no certificate.
             */
            certificate_days?: number;
            /** @description URLs of the redirects, in order. Absent if there was no redirect. */
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
            /** @description First characters of the response. Absent if there are none. */
            response_sample?: string;
        };
        /** @description A requested run and its outcome. */
        Run: {
            /** @description Identifier of the run. */
            id: string;
            /** @description Identifier of the monitor that runs the check. */
            monitor_id: string;
            /** @description Name of the monitor. Absent if it has none, and in the response to the request for a run. */
            monitor_name?: string;
            /** @description `waiting`: the monitor has not reported yet. `done`: the monitor has reported. `lost`: the monitor has not reported within two minutes, and no report will follow. */
            state: string;
            result?: components["schemas"]["RunResult"];
        };
        /** @description One change, or several changes that were counted together. */
        AuditEntry: {
            /**
             * Format: int64
             * @description Identifier of the entry. Later entries have larger ids.
             */
            id: number;
            /**
             * Format: date-time
             * @description Time of the change; with `times`, of the first change.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /**
             * @description Email address of the person who made the change; `operator` for the operator of the server, or `dogwatch` for the server itself.
             * @example ann@example.com
             */
            actor: string;
            /** @description Email address of the admin who was logged in as `actor`. Absent if there was none. */
            impersonator?: string;
            /**
             * @description Type of the change.
             * @example check.edit
             */
            action: string;
            /**
             * @description Name of the changed resource at the time of the change. With `times`, the name in the last change.
             * @example Shop
             */
            subject: string;
            /** @description Further details, which depend on `action`. Absent if there are none. */
            detail?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description Number of changes that this entry counts. Absent for a single change.
             */
            times?: number;
            /**
             * Format: date-time
             * @description Time of the last counted change. Absent for a single change.
             */
            last_at?: string;
        };
        /** @description One page of the audit log. */
        AuditPage: {
            /** @description At most `limit` entries. */
            entries: components["schemas"]["AuditEntry"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description An entry of the status page: either a check or a heartbeat. */
        StatusPageEntry: {
            /** @description The check, by guid or `key:NAME`. Responses contain guids. */
            check?: string;
            /** @description The heartbeat, by guid or `key:NAME`. Responses contain guids. */
            heartbeat?: string;
            /**
             * @description Name that the public sees, at most 100 characters. Absent: the name of the check or heartbeat.
             * @example Shop
             */
            public_name: string;
        };
        /** @description The public status page. */
        StatusPage: {
            /**
             * @description Last part of the address, `/status/SLUG`: 3 to 40 lower-case letters, digits and hyphens.
             * @example acme
             */
            slug: string;
            /**
             * @description Title of the page, at most 100 characters.
             * @example Acme
             */
            title: string;
            /** @description Text below the title, at most 1,000 characters. */
            description?: string;
            /** @description Whether the public can see the page. */
            enabled: boolean;
            /** @description Checks and heartbeats that the page shows, in this order. */
            entries: components["schemas"]["StatusPageEntry"][];
        };
        /** @description The new content of the status page. */
        StatusPageInput: {
            /**
             * @description Last part of the address, `/status/SLUG`: 3 to 40 lower-case letters, digits and hyphens.
             * @example acme
             */
            slug: string;
            /**
             * @description Title of the page, at most 100 characters.
             * @example Acme
             */
            title: string;
            /** @description Text below the title, at most 1,000 characters. */
            description?: string;
            /** @description Whether the public can see the page. */
            enabled?: boolean;
            /** @description Checks and heartbeats that the page shows, in this order. */
            entries: components["schemas"]["StatusPageEntry"][];
        };
        /** @description Figures of the whole range. */
        SummaryTotal: {
            /**
             * Format: int32
             * @description Number of results, without results during maintenance.
             */
            runs: number;
            /**
             * Format: int32
             * @description Number of failures among `runs`.
             */
            failures: number;
            /** @description Percentage of the runs that passed, rounded down to two decimals. Absent if there were no runs. */
            uptime?: number;
            /** @description Percentage of the due runs whose results arrived. Absent if no run was due. */
            coverage?: number;
            /**
             * Format: int32
             * @description Length of the range in seconds, not before the check existed. It is the sum of the five following times.
             */
            total_sec: number;
            /**
             * Format: int32
             * @description Number of seconds for which the check was up: the share of passed runs in the monitored time.
             */
            up_sec: number;
            /**
             * Format: int32
             * @description Number of seconds for which the check was failing: the rest of the monitored time.
             */
            failing_sec: number;
            /**
             * Format: int32
             * @description Number of seconds for which the check was due but not monitored.
             */
            unknown_sec: number;
            /**
             * Format: int32
             * @description Number of seconds for which the check was not due.
             */
            paused_sec: number;
            /**
             * Format: int32
             * @description Number of seconds for which the check was under maintenance.
             */
            maintenance_sec: number;
            /**
             * Format: int32
             * @description Mean response time of the successes in milliseconds. Absent if there were none.
             */
            mean_ms?: number;
            /**
             * Format: int32
             * @description Longest response time of the successes in milliseconds. Absent if there were none.
             */
            max_ms?: number;
            /**
             * Format: int32
             * @description Median response time of the successes in milliseconds, with an error of at most 2 %. Absent if there were none, or if
             *     a server of an earlier version summarised a part of the range.
             */
            p50_ms?: number;
            /**
             * Format: int32
             * @description 95th percentile of the response times of the successes, in milliseconds. Precision and absence are those of `p50_ms`.
             */
            p95_ms?: number;
        };
        /** @description Figures of one step. */
        SummaryStep: {
            /**
             * Format: date-time
             * @description Start of the step.
             * @example 2026-11-20T09:00:00.000000Z
             */
            at: string;
            /**
             * Format: int32
             * @description Number of results, without results during maintenance.
             */
            runs: number;
            /**
             * Format: int32
             * @description Number of failures among `runs`.
             */
            failures: number;
            /** @description Percentage of the runs that passed, rounded down to two decimals. Absent if there were no runs. */
            uptime?: number;
            /** @description Percentage of the due runs whose results arrived. Absent if no run was due. */
            coverage?: number;
            /**
             * Format: int32
             * @description Number of seconds for which the check was due but not monitored. Absent means 0.
             */
            unknown_sec?: number;
            /**
             * Format: int32
             * @description Number of seconds for which the check was under maintenance. Absent means 0.
             */
            maintenance_sec?: number;
            /**
             * Format: int32
             * @description Mean response time of the successes in milliseconds. Absent if there were none.
             */
            mean_ms?: number;
            /**
             * Format: int32
             * @description Longest response time of the successes in milliseconds. Absent if there were none.
             */
            max_ms?: number;
            /**
             * Format: int32
             * @description Median response time of the successes in milliseconds. It is exact for steps of an hour and ranges of at most eight
             *     days; otherwise, the error is at most 2 %. Absent if there were no successes, or if a server of an earlier version
             *     summarised the step.
             */
            p50_ms?: number;
            /**
             * Format: int32
             * @description 95th percentile of the response times of the successes, in milliseconds. Precision and absence are those of `p50_ms`.
             */
            p95_ms?: number;
        };
        /** @description Uptime and response times of a check over a range. */
        CheckSummary: {
            /** @description The check. */
            guid: string;
            key?: components["schemas"]["Key"];
            /** @description Name of the check. */
            name: string;
            /**
             * Format: date-time
             * @description Start of the range.
             * @example 2026-11-19T10:00:00.000000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description End of the range.
             * @example 2026-11-20T10:00:00.000000Z
             */
            until: string;
            /** @description Length of a step. */
            step: string;
            total: components["schemas"]["SummaryTotal"];
            /** @description The steps, oldest first. The first step is not before the check existed, or before the oldest stored results. */
            steps: components["schemas"]["SummaryStep"][];
        };
        /** @description The totals of one check over the range. */
        SummaryOfCheck: {
            /** @description The check. */
            guid: string;
            key?: components["schemas"]["Key"];
            /** @description Name of the check. */
            name: string;
            total: components["schemas"]["SummaryTotal"];
        };
        /** @description The totals of many checks over a range. */
        SummaryPage: {
            /**
             * Format: date-time
             * @description Start of the range.
             * @example 2026-11-19T10:00:00.000000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description End of the range.
             * @example 2026-11-20T10:00:00.000000Z
             */
            until: string;
            /** @description At most `limit` checks. */
            summaries: components["schemas"]["SummaryOfCheck"][];
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description A period in which a check or heartbeat was down. */
        Incident: {
            /** @description Identifier of the incident. */
            id: string;
            /** @description Whether the incident is about a check or a heartbeat. */
            kind: string;
            /** @description Guid of the check or heartbeat. */
            guid: string;
            /** @description Current name of the check or heartbeat. */
            name: string;
            /**
             * Format: date-time
             * @description Time at which the incident began.
             * @example 2026-11-20T10:00:00.000000Z
             */
            began_at: string;
            /**
             * Format: date-time
             * @description Time at which the incident ended. Absent while the incident is open.
             * @example 2026-11-20T10:05:00.000000Z
             */
            ended_at?: string;
            /** @description Reason for the end. `recovered`: the target recovered. `threshold`: the check is no longer down under its current rules. `disabled` or `deleted`: the check or heartbeat was disabled or deleted. Absent while the incident is open. */
            end_reason?: string;
            /**
             * @description Cause of the failure, in a few words.
             * @example timeout: no answer within 10 s
             */
            cause: string;
            /**
             * @description Rule by which the check was down. Absent for a heartbeat, and if it was not recorded.
             * @example failing from 2 of 3 monitors for 2 min
             */
            verdict?: string;
            /**
             * @description When the alert will be sent, in words. Absent if no alert is waiting, or the incident has ended.
             * @example after the quiet hours
             */
            held?: string;
            /**
             * Format: date-time
             * @description Time of the acknowledgement. Absent if the incident is not acknowledged.
             * @example 2026-11-20T10:02:00.000000Z
             */
            acknowledged_at?: string;
            /**
             * @description Who acknowledged the incident. Absent if it is not acknowledged.
             * @example ann@example.com (token on call)
             */
            acknowledged_by?: string;
        };
        /** @description One page of incidents. */
        IncidentPage: {
            /** @description At most `limit` incidents. */
            incidents: components["schemas"]["Incident"][];
            /**
             * Format: int32
             * @description Number of open incidents in the whole organisation.
             */
            open: number;
            /** @description Value to send as `after` for the next page. Absent on the last page. */
            next?: string;
        };
        /** @description The failure with which the incident began. Absent for a heartbeat, and if the result is no longer stored. */
        IncidentFailure: {
            /**
             * Format: date-time
             * @description Start time of the run.
             * @example 2026-11-20T09:59:30.000000Z
             */
            ran_at: string;
            /** @description Identifier of the monitor that ran the check. */
            monitor_id: string;
            /** @description Name of the monitor. Absent if it has none. */
            monitor_name?: string;
            /**
             * Format: int32
             * @description Response time in milliseconds.
             */
            latency_ms: number;
            /**
             * Format: int32
             * @description Status code of the http response. Absent if there was none.
             */
            http_status?: number;
            /** @description Reason for the failure. */
            error?: string;
            /** @description First characters of the response. Absent if there are none. */
            response_sample?: string;
        };
        /** @description The ping with which the job reported its failure. Absent for a check, and if no such ping is stored. */
        IncidentPing: {
            /**
             * Format: int32
             * @description Exit code that the job reported. Absent if it reported none.
             */
            exit_code?: number;
            /** @description Body of the ping. Absent if it was empty. */
            body?: string;
        };
        /** @description Results of one monitor until the check went down. */
        IncidentMonitor: {
            /** @description Identifier of the monitor. */
            id: string;
            /** @description Name of the monitor. Absent if it has none. */
            name?: string;
            /**
             * Format: date-time
             * @description Time of the first of its consecutive failures. Absent if its last result was a success.
             * @example 2026-11-20T09:59:30.000000Z
             */
            failing_since?: string;
            /**
             * Format: int32
             * @description Number of consecutive failures. Absent if its last result was a success.
             */
            failures?: number;
            /**
             * Format: date-time
             * @description Time of its last result.
             * @example 2026-11-20T10:00:00.000000Z
             */
            last_at: string;
        };
        /** @description One entry of the timeline. */
        IncidentEntry: {
            /**
             * Format: date-time
             * @description Time of the entry. For a planned entry, the expected time.
             * @example 2026-11-20T10:00:00.000000Z
             */
            at: string;
            /** @description Kind of the entry: a failure (`bad`), a warning (`warn`), a recovery (`good`), an alert (`told`), or an action of a person (`said`). */
            kind: string;
            /**
             * @description Event, in one sentence.
             * @example Down alert delivered to Ops
             */
            title: string;
            /** @description Further details, one per line. Absent if there are none. */
            lines?: string[];
            /** @description True if the entry is in the future. Absent otherwise. */
            planned?: boolean;
        };
        /** @description A note on an incident. */
        IncidentNote: {
            /**
             * Format: int64
             * @description Identifier of the note.
             */
            id: number;
            /**
             * Format: date-time
             * @description Time at which the note was written.
             * @example 2026-11-20T10:10:00.000000Z
             */
            created_at: string;
            /**
             * @description Author of the note.
             * @example ann@example.com (token on call)
             */
            author: string;
            /** @description Text of the note. */
            note: string;
            /**
             * Format: date-time
             * @description Time of the last change. Absent if the note was never changed.
             * @example 2026-11-20T10:20:00.000000Z
             */
            edited_at?: string;
        };
        /** @description Report that people write after an incident. Absent if there is none. */
        IncidentPostmortem: {
            /** @description Text in Markdown. */
            text: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             * @example 2026-11-21T10:00:00.000000Z
             */
            edited_at: string;
            /** @description Who made the last change. */
            edited_by: string;
        };
        /** @description Another incident that began at about the same time. */
        IncidentNeighbour: {
            /** @description Identifier of the other incident. */
            id: string;
            /** @description Whether the incident is about a check or a heartbeat. */
            kind: string;
            /** @description Guid of its check or heartbeat. */
            guid: string;
            /** @description Name of its check or heartbeat. */
            name: string;
            /**
             * Format: date-time
             * @description Time at which the incident began.
             * @example 2026-11-20T10:00:10.000000Z
             */
            began_at: string;
            /**
             * Format: date-time
             * @description Time at which the incident ended. Absent while the incident is open.
             * @example 2026-11-20T10:05:10.000000Z
             */
            ended_at?: string;
        };
        /** @description An incident with all its details. */
        IncidentInDetail: components["schemas"]["Incident"] & {
            /** @description Current tags of the check or heartbeat. Absent if there are none. */
            tags?: string[];
            /** @description True if the check has a private definition, so only the kind of failure is known. Absent otherwise. */
            private_definition?: boolean;
            failure?: components["schemas"]["IncidentFailure"];
            ping?: components["schemas"]["IncidentPing"];
            /** @description Results of each monitor of the check until the check went down. Monitors that failed come first. */
            monitors?: components["schemas"]["IncidentMonitor"][];
            /**
             * Format: date-time
             * @description End of the mute of the check or heartbeat. Absent if it is not muted.
             * @example 2026-11-20T11:00:00.000000Z
             */
            muted_until?: string;
            /** @description Who muted the alerts. Absent if they are not muted. */
            muted_by?: string;
            /** @description True if the mute ends when the incident ends, but no later than `muted_until`. Absent otherwise. */
            until_resolved?: boolean;
            /** @description Entries in chronological order, oldest first. Planned entries come last. */
            timeline?: components["schemas"]["IncidentEntry"][];
            /** @description Notes on the incident, oldest first. Absent if there are none. */
            notes?: components["schemas"]["IncidentNote"][];
            postmortem?: components["schemas"]["IncidentPostmortem"];
            /** @description Other incidents that began within a minute of this incident. Absent if there are none. */
            neighbours?: components["schemas"]["IncidentNeighbour"][];
        };
        /** @description The notes on an incident. */
        IncidentNotes: {
            /** @description All notes, oldest first. */
            notes: components["schemas"]["IncidentNote"][];
        };
        /** @description The text of a note. */
        IncidentNoteInput: {
            /** @description Text of the note, at most 2,000 characters. Must not be blank. */
            note: string;
        };
        /** @description The note that was deleted. */
        DeletedNote: {
            /**
             * Format: int64
             * @description Identifier of the deleted note.
             */
            id: number;
        };
        /** @description The text of a postmortem. */
        PostmortemInput: {
            /** @description Text in Markdown, at most 20,000 characters. Must not be blank. */
            text: string;
        };
        /** @description An empty object. */
        DeletedPostmortem: Record<string, never>;
        /** @description A change to a channel. */
        BulkChannel: {
            /** @enum {string} */
            kind: "channel";
            body?: components["schemas"]["ChannelInput"];
        };
        /** @description A change to a check. */
        BulkCheck: {
            /** @enum {string} */
            kind: "check";
            body?: components["schemas"]["CheckInput"];
        };
        /** @description A change to a heartbeat. */
        BulkHeartbeat: {
            /** @enum {string} */
            kind: "heartbeat";
            body?: components["schemas"]["HeartbeatInput"];
        };
        /** @description A change to a maintenance window. */
        BulkWindow: {
            /** @enum {string} */
            kind: "window";
            body?: components["schemas"]["MaintenanceWindowInput"];
        };
        /** @description A change to a route. */
        BulkRoute: {
            /** @enum {string} */
            kind: "route";
            body?: components["schemas"]["RouteInput"];
        };
        /** @description A change to the status page: a `put` without `key` and `id`. The status page cannot be deleted. */
        BulkStatusPage: {
            /** @enum {string} */
            kind: "status_page";
            body?: components["schemas"]["StatusPageInput"];
        };
        /** @description One change. It identifies its resource by either `key` or `id`. A change of the status page has neither. */
        BulkChange: {
            /**
             * @description `put` sets all fields of a resource, and creates the resource if its `key` does not exist. `delete` deletes an existing resource.
             * @enum {string}
             */
            action: "put" | "delete";
            /**
             * @description Kind of the resource.
             * @enum {string}
             */
            kind: "channel" | "check" | "heartbeat" | "window" | "route" | "status_page";
            /**
             * @description Key of the resource.
             * @example shop
             */
            key?: string;
            /** @description Guid or id of an existing resource. */
            id?: string;
            /**
             * @description State in which the resource must be: its `ETag` without the quotes, or `found` of a dry run. `none`: the resource
             *     must not exist. Absent: any state.
             */
            if_match?: string;
        } & (components["schemas"]["BulkChannel"] | components["schemas"]["BulkCheck"] | components["schemas"]["BulkHeartbeat"] | components["schemas"]["BulkWindow"] | components["schemas"]["BulkRoute"] | components["schemas"]["BulkStatusPage"]);
        /** @description Changes that are made together, or not at all. */
        BulkRequest: {
            /** @description Whether to compute the plan without storing anything. The `Idempotency-Key` of a dry run is ignored. Default: false. */
            dry_run?: boolean;
            /** @description At most 1,000 changes. Each must be about a different resource. */
            changes: components["schemas"]["BulkChange"][];
            /**
             * @description Routes in their new order, each by guid or `key:NAME`. These routes are reordered among their current positions;
             *     other routes do not move. The server does this after the changes, and only if all changes succeed. The token needs the
             *     scope for writing routes.
             */
            route_order?: string[];
        };
        /** @description A field that differs. Values longer than 300 characters are truncated. Secrets are shown as `(secret)`. */
        BulkDifference: {
            /**
             * @description Name of the field.
             * @example interval_sec
             */
            field: string;
            /** @description Value before the change. Absent if the field was not set. */
            before?: unknown;
            /** @description Value after the change. Absent if the field is not set. */
            after?: unknown;
            /**
             * @description False for a stored secret that a dry run sent with a token for which secrets of this kind are not compared: the
             *     response does not reveal whether the two differ. Also false with `may_be_needed`. Absent otherwise.
             */
            compared?: boolean;
            /**
             * @description True for a stored secret that a dry run omitted, if it sent a secret destination with a token that cannot write
             *     channels. If the destination is a new one, the change is refused without this secret. Absent otherwise.
             */
            may_be_needed?: boolean;
        };
        /** @description Outcome of one change. */
        BulkChanged: {
            /** @enum {string} */
            action: "created" | "replaced" | "deleted" | "unchanged";
            /**
             * @description Kind of the resource, as in the change.
             * @example check
             */
            kind: string;
            key?: components["schemas"]["Key"];
            /** @description Guid or id of the resource. For a resource that a dry run would create, the value is a placeholder. */
            id: string;
            /**
             * @description State of the resource before the change, in the format of `if_match`. `none` if the resource did not exist.
             * @example 0123456789abcdef0123456789abcdef
             */
            found?: string;
            /** @description Fields that differ. Empty for an unchanged resource, except for secrets that were not compared. */
            fields: components["schemas"]["BulkDifference"][];
            /**
             * @description What has no effect as the resource is set, as in the resource itself: for example, monitors that cannot run the check. Absent when there is nothing to warn of.
             * @example [
             *       "monitors: 2 of 3 monitors can run this check (missing ability: tls)"
             *     ]
             */
            warnings?: string[];
        };
        /** @description Number of changes by outcome. */
        BulkCounts: {
            created: number;
            replaced: number;
            deleted: number;
            unchanged: number;
        };
        /** @description The changes that were made, or would be made. */
        BulkAnswer: {
            /** @description Outcome of each change, in the order of the request. */
            changes: components["schemas"]["BulkChanged"][];
            counts: components["schemas"]["BulkCounts"];
            /** @description Whether `route_order` changed the order of the routes, or would change it. Absent without `route_order`. */
            reordered?: boolean;
        };
        /**
         * @description Text in the Prometheus exposition format, version 0.0.4.
         * @example # HELP dogwatch_check_up Whether the check is up. Left out while nobody knows, and while it is paused.
         *     # TYPE dogwatch_check_up gauge
         *     dogwatch_check_up{check="8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",name="Shop"} 1
         */
        Exposition: string;
    };
    responses: {
        /** @description The credential is missing, malformed, unknown, revoked or expired. On purpose, the response does not reveal which of these applies. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "WWW-Authenticate": components["headers"]["BearerChallenge"];
                [name: string]: unknown;
            };
            content: {
                /** @example missing, malformed or unknown configuration token */
                "text/plain": components["schemas"]["ErrorLine"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The token does not have the scope of the operation, or the client address is outside the token's range. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example this needs the scope checks:write */
                "text/plain": components["schemas"]["ErrorLine"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
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
                "application/problem+json": components["schemas"]["ProblemDetails"];
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
                "application/problem+json": components["schemas"]["ProblemDetails"];
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
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The request breaks the contract, and nothing was changed. The line names the field and what it must be. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example interval_sec must be at least 30 on the team plan */
                "text/plain": components["schemas"]["ErrorLine"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The request conflicts with the current state. For example, the `Idempotency-Key` was sent with a different request, or another resource of the same kind has the `key`. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example this idempotency-key was already used for a different request */
                "text/plain": components["schemas"]["ErrorLine"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The body is too large. The limit is 128 KiB, unless the operation says otherwise. */
        TooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example the body must be at most 131072 bytes */
                "text/plain": components["schemas"]["ErrorLine"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The organisation has no resource with this guid, id or key. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example no check with that guid */
                "text/plain": components["schemas"]["ErrorLine"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The resource has changed since the version in `If-Match`. Nothing was changed. */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                /** @example if-match does not match the current version of the resource */
                "text/plain": components["schemas"]["ErrorLine"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
    };
    parameters: {
        /** @description The maximum number of items per page. */
        Limit: number;
        /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
        After: string;
        /** @description Only resources with this tag. */
        Tag: string;
        /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
        IdempotencyKey: string;
        /**
         * @description The `guid`, compared as text, or `key:` and the key.
         * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
         */
        Guid: string;
        /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
        IfMatch: string;
        /**
         * @description The `id` of the monitor, compared as text.
         * @example 7k2m9x0c4v5b
         */
        MonitorId: string;
        /**
         * @description The `id` of the token: the SHA-256 of its text, in hex.
         * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
         */
        EnrollmentTokenId: string;
        /**
         * @description The tag. Case is ignored.
         * @example shop
         */
        TagName: string;
        /**
         * @description The `id`, compared as text, or `key:` and the key.
         * @example 12
         */
        Id: string;
        /**
         * @description Identifier of the delivery.
         * @example 31
         */
        Delivery: string;
        /**
         * @description The `id` of the run, compared as text.
         * @example 0c9e7f6a-5b4c-4d3e-8f2a-1b0c9d8e7f6a
         */
        Run: string;
        /**
         * @description The `id` of the incident, compared as text.
         * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
         */
        Incident: string;
        /**
         * @description The `id` of the note.
         * @example 7
         */
        Note: string;
    };
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
        /**
         * @description Version of the resource. Send it as `If-Match` with a change.
         * @example "3f2a9c0d1b4e5f603f2a9c0d1b4e5f60"
         */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listChecks: {
        parameters: {
            query?: {
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
                /** @description Only resources with this tag. */
                tag?: components["parameters"]["Tag"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of checks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    createCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckInput"];
            };
        };
        responses: {
            /** @description The check. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    /** @description Path of the created resource, relative to the base URL of the server. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredCheck"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
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
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredCheck"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    replaceCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckInput"];
            };
        };
        responses: {
            /** @description The check after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredCheck"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted check. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    changeCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckInput"];
            };
        };
        responses: {
            /** @description The check after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredCheck"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    pauseCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredCheck"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    resumeCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredCheck"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    muteCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MuteInput"];
            };
        };
        responses: {
            /** @description The end of the mute, and who muted the alerts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mute"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    unmuteCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An empty object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mute"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listResults: {
        parameters: {
            query?: {
                /** @description Only successes (true), or only failures (false). */
                success?: boolean;
                /** @description Only results of the monitor with this id. */
                monitor?: string;
                /** @description Only results of runs that began before this time. */
                until?: string;
                /** @description Only results of runs that began at or after this time. */
                since?: string;
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of results. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listRoutes: {
        parameters: {
            query?: {
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of routes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    createRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RouteInput"];
            };
        };
        responses: {
            /** @description The route. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    /** @description Path of the created resource, relative to the base URL of the server. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Route"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getRoute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The route. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Route"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    replaceRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RouteInput"];
            };
        };
        responses: {
            /** @description The route after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Route"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted route. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    changeRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RouteInput"];
            };
        };
        responses: {
            /** @description The route after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Route"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    moveRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoutePlace"];
            };
        };
        responses: {
            /** @description The route. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Route"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    previewAlert: {
        parameters: {
            query: {
                /**
                 * @description Type of the event, as in webhooks.
                 * @example check.down
                 */
                event: string;
                /** @description The check that the alert is about, by guid or `key:NAME`. */
                check?: string;
                /** @description The heartbeat that the alert is about, by guid or `key:NAME`. */
                heartbeat?: string;
                /** @description Time of the alert. Default: now. */
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channels that the alert would notify, and the other channels. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertPreview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listMonitors: {
        parameters: {
            query?: {
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of monitors. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MonitorPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getMonitor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the monitor, compared as text.
                 * @example 7k2m9x0c4v5b
                 */
                id: components["parameters"]["MonitorId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The monitor. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredMonitor"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteMonitor: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id` of the monitor, compared as text.
                 * @example 7k2m9x0c4v5b
                 */
                id: components["parameters"]["MonitorId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The retired monitor. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetiredMonitor"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    changeMonitor: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id` of the monitor, compared as text.
                 * @example 7k2m9x0c4v5b
                 */
                id: components["parameters"]["MonitorId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MonitorInput"];
            };
        };
        responses: {
            /** @description The monitor after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredMonitor"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listEnrollmentTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The valid enrollment tokens. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrollmentTokens"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    createEnrollmentToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnrollmentTokenInput"];
            };
        };
        responses: {
            /** @description The token, with its text. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedEnrollmentToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    revokeEnrollmentToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the token: the SHA-256 of its text, in hex.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                id: components["parameters"]["EnrollmentTokenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedEnrollmentToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tags. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tags"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The tag. Case is ignored.
                 * @example shop
                 */
                tag: components["parameters"]["TagName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The removed tag. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedTag"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    renameTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The tag. Case is ignored.
                 * @example shop
                 */
                tag: components["parameters"]["TagName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagInput"];
            };
        };
        responses: {
            /** @description The tag after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagUse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listChannels: {
        parameters: {
            query?: {
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of channels. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    createChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelInput"];
            };
        };
        responses: {
            /** @description The channel. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    /** @description Path of the created resource, relative to the base URL of the server. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id`, compared as text, or `key:` and the key.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    replaceChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text, or `key:` and the key.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelInput"];
            };
        };
        responses: {
            /** @description The channel after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text, or `key:` and the key.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted channel. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedChannel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    changeChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text, or `key:` and the key.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelInput"];
            };
        };
        responses: {
            /** @description The channel after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    testChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text, or `key:` and the key.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test message is queued. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    askForConfirmation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text, or `key:` and the key.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email is queued. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmationAsked"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Only deliveries to the channel with this id, or `key:NAME`. */
                channel?: string;
                /** @description Only deliveries about the incident with this id. */
                incident?: string;
                /** @description Only deliveries about the check with this guid, or `key:NAME`. */
                check?: string;
                /** @description Only deliveries in this state. One request searches at most 20,000 deliveries, so a page can contain fewer than `limit` items, or none, and still have a `next`. */
                state?: "pending" | "delivered" | "failed" | "superseded" | "summarised" | "unconfirmed";
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the delivery.
                 * @example 31
                 */
                delivery: components["parameters"]["Delivery"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listHeartbeats: {
        parameters: {
            query?: {
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
                /** @description Only resources with this tag. */
                tag?: components["parameters"]["Tag"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of heartbeats. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeartbeatPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    createHeartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeartbeatInput"];
            };
        };
        responses: {
            /** @description The heartbeat, with its ping URL. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    /** @description Path of the created resource, relative to the base URL of the server. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedHeartbeat"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getHeartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The heartbeat. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredHeartbeat"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    replaceHeartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeartbeatInput"];
            };
        };
        responses: {
            /** @description The heartbeat after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredHeartbeat"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteHeartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted heartbeat. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    changeHeartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeartbeatInput"];
            };
        };
        responses: {
            /** @description The heartbeat after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredHeartbeat"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    pauseHeartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The heartbeat after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredHeartbeat"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    resumeHeartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The heartbeat after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfiguredHeartbeat"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    muteHeartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MuteInput"];
            };
        };
        responses: {
            /** @description The end of the mute, and who muted the alerts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mute"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    unmuteHeartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An empty object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mute"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getPingUrl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ping URL. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingUrl"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    rotatePingUrl: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new ping URL. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingUrl"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listMaintenanceWindows: {
        parameters: {
            query?: {
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of maintenance windows. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindowPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    createMaintenanceWindow: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceWindowInput"];
            };
        };
        responses: {
            /** @description The maintenance window. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    /** @description Path of the created resource, relative to the base URL of the server. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getMaintenanceWindow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The maintenance window. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindow"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    replaceMaintenanceWindow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceWindowInput"];
            };
        };
        responses: {
            /** @description The maintenance window after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteMaintenanceWindow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted maintenance window. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    changeMaintenanceWindow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceWindowInput"];
            };
        };
        responses: {
            /** @description The maintenance window after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    endMaintenanceWindow: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The maintenance window. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindow"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    runCheck: {
        parameters: {
            query?: {
                /** @description Id of the monitor that runs the check. Default: the monitor that sent a request most recently. */
                monitor?: string;
            };
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the created resource, relative to the base URL of the server. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the run, compared as text.
                 * @example 0c9e7f6a-5b4c-4d3e-8f2a-1b0c9d8e7f6a
                 */
                run: components["parameters"]["Run"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description Only entries created at or after this time. */
                since?: string;
                /** @description Only entries created before this time. */
                until?: string;
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of entries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getStatusPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    replaceStatusPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatusPageInput"];
            };
        };
        responses: {
            /** @description The status page after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getCheckSummary: {
        parameters: {
            query?: {
                /** @description Start of the range. Default: 24 hours before `until`. */
                since?: string;
                /** @description End of the range. Default: now. A time in the future counts as now. */
                until?: string;
                /** @description Length of a step. Default: an hour for ranges of up to two days, otherwise a day. */
                step?: "hour" | "day";
            };
            header?: never;
            path: {
                /**
                 * @description The `guid`, compared as text, or `key:` and the key.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The summary. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckSummary"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listSummaries: {
        parameters: {
            query?: {
                /** @description Only resources with this tag. */
                tag?: components["parameters"]["Tag"];
                /** @description Start of the range. Default: 24 hours before `until`. */
                since?: string;
                /** @description End of the range. Default: now. A time in the future counts as now. */
                until?: string;
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of summaries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummaryPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                /** @description Only open incidents, or only incidents that have ended. */
                state?: "open" | "ended";
                /** @description Only incidents of the check with this guid, or `key:NAME`. */
                check?: string;
                /** @description Only incidents of the heartbeat with this guid, or `key:NAME`. Ignored if `check` is set. */
                heartbeat?: string;
                /** @description Only resources with this tag. */
                tag?: components["parameters"]["Tag"];
                /** @description Only incidents that began at or after this time. */
                since?: string;
                /** @description Only incidents that began before this time. */
                until?: string;
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of incidents. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getIncident: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The incident. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentInDetail"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    acknowledgeIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The incident after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    unacknowledgeIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The incident after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    muteIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MuteInput"];
            };
        };
        responses: {
            /** @description The end of the mute, and who muted the alerts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mute"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    unmuteIncident: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An empty object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mute"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    listIncidentNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentNotes"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    createIncidentNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentNoteInput"];
            };
        };
        responses: {
            /** @description The note. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentNote"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getIncidentNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
                /**
                 * @description The `id` of the note.
                 * @example 7
                 */
                note: components["parameters"]["Note"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The note. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentNote"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    replaceIncidentNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
                /**
                 * @description The `id` of the note.
                 * @example 7
                 */
                note: components["parameters"]["Note"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentNoteInput"];
            };
        };
        responses: {
            /** @description The note after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentNote"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteIncidentNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
                /**
                 * @description The `id` of the note.
                 * @example 7
                 */
                note: components["parameters"]["Note"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted note. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedNote"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    getPostmortem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The postmortem. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentPostmortem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    replacePostmortem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PostmortemInput"];
            };
        };
        responses: {
            /** @description The postmortem after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentPostmortem"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    deletePostmortem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id` of the incident, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An empty object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedPostmortem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    changeInBulk: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkRequest"];
            };
        };
        responses: {
            /** @description The changes that were made, or would be made. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
    readMetrics: {
        parameters: {
            query?: {
                /** @description Only resources with this tag. */
                tag?: components["parameters"]["Tag"];
                /** @description Only the check with this guid, or `key:NAME`. */
                check?: string;
                /** @description Number of the requested part. Each check or heartbeat is in one part, with all its metrics, and stays in this part while `parts` does not change. */
                part?: number;
                /** @description Number of parts of about the same size into which all metrics are divided. Required with `part`. Refused with `check`. */
                parts?: number;
                /** @description `all`: each line contains the name of its check or heartbeat. `id`: only `dogwatch_check_info` and `dogwatch_heartbeat_info` contain the names, which makes the response a quarter smaller. */
                labels?: "all" | "id";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics. All of them are gauges. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": components["schemas"]["Exposition"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["Overloaded"];
        };
    };
}

/** The security scheme of each operation. */
export interface security {
    getToken: "configurationToken";
    listChecks: "configurationToken";
    createCheck: "configurationToken";
    getCheck: "configurationToken";
    replaceCheck: "configurationToken";
    deleteCheck: "configurationToken";
    changeCheck: "configurationToken";
    pauseCheck: "configurationToken";
    resumeCheck: "configurationToken";
    muteCheck: "configurationToken";
    unmuteCheck: "configurationToken";
    listResults: "configurationToken";
    listRoutes: "configurationToken";
    createRoute: "configurationToken";
    getRoute: "configurationToken";
    replaceRoute: "configurationToken";
    deleteRoute: "configurationToken";
    changeRoute: "configurationToken";
    moveRoute: "configurationToken";
    previewAlert: "configurationToken";
    listMonitors: "configurationToken";
    getMonitor: "configurationToken";
    deleteMonitor: "configurationToken";
    changeMonitor: "configurationToken";
    listEnrollmentTokens: "configurationToken";
    createEnrollmentToken: "configurationToken";
    revokeEnrollmentToken: "configurationToken";
    listTags: "configurationToken";
    deleteTag: "configurationToken";
    renameTag: "configurationToken";
    listChannels: "configurationToken";
    createChannel: "configurationToken";
    getChannel: "configurationToken";
    replaceChannel: "configurationToken";
    deleteChannel: "configurationToken";
    changeChannel: "configurationToken";
    testChannel: "configurationToken";
    askForConfirmation: "configurationToken";
    listDeliveries: "configurationToken";
    getDelivery: "configurationToken";
    listHeartbeats: "configurationToken";
    createHeartbeat: "configurationToken";
    getHeartbeat: "configurationToken";
    replaceHeartbeat: "configurationToken";
    deleteHeartbeat: "configurationToken";
    changeHeartbeat: "configurationToken";
    pauseHeartbeat: "configurationToken";
    resumeHeartbeat: "configurationToken";
    muteHeartbeat: "configurationToken";
    unmuteHeartbeat: "configurationToken";
    getPingUrl: "configurationToken";
    rotatePingUrl: "configurationToken";
    listMaintenanceWindows: "configurationToken";
    createMaintenanceWindow: "configurationToken";
    getMaintenanceWindow: "configurationToken";
    replaceMaintenanceWindow: "configurationToken";
    deleteMaintenanceWindow: "configurationToken";
    changeMaintenanceWindow: "configurationToken";
    endMaintenanceWindow: "configurationToken";
    runCheck: "configurationToken";
    getRun: "configurationToken";
    listAuditEntries: "configurationToken";
    getStatusPage: "configurationToken";
    replaceStatusPage: "configurationToken";
    getCheckSummary: "configurationToken";
    listSummaries: "configurationToken";
    listIncidents: "configurationToken";
    getIncident: "configurationToken";
    acknowledgeIncident: "configurationToken";
    unacknowledgeIncident: "configurationToken";
    muteIncident: "configurationToken";
    unmuteIncident: "configurationToken";
    listIncidentNotes: "configurationToken";
    createIncidentNote: "configurationToken";
    getIncidentNote: "configurationToken";
    replaceIncidentNote: "configurationToken";
    deleteIncidentNote: "configurationToken";
    getPostmortem: "configurationToken";
    replacePostmortem: "configurationToken";
    deletePostmortem: "configurationToken";
    changeInBulk: "configurationToken";
    readMetrics: "configurationToken";
}

/** The document itself, references resolved. */
export const document: Readonly<Record<string, unknown>> = resolved({
  "openapi": "3.0.3",
  "info": {
    "title": "Dogwatch configuration API",
    "version": "1.0.0",
    "license": {
      "name": "MIT",
      "url": "https://opensource.org/license/mit"
    },
    "description": "Reads and changes the configuration of one organisation, for scripts and for configuration as code. The account API\nis read-only and exports all data.\n\n**Errors are `text/plain`**: one line each that names the field at fault, as in the other APIs. If the `Accept` header\nof a request contains `application/problem+json`, errors have the format of RFC 9457, with a pointer to each field at\nfault. Errors about invalid HTTP are always text. A refused request changes nothing.\n\nThe credential is a configuration token, `dogwatch_cfg_...`. Its scopes decide what it can do; `x-scope` of each\noperation is the scope that the operation needs. This API does not accept personal access tokens, and the account API\ndoes not accept configuration tokens.\n\n**Safe to repeat.** Send an `Idempotency-Key` of your choice with a `POST`, and the same key if you repeat the request.\nThe request is then carried out once, and a repeat gets the same response, byte for byte. Keys are stored for a day.\nEvery resource that can be changed has an `ETag`. Send it as `If-Match`, so that the change is refused with 412 if the\nresource has changed since.\n\n**Keys.** You can give a check, heartbeat, channel, route or maintenance window a `key`. Two resources of the same kind\nin one organisation cannot have the same key. Wherever a path or a body contains a `guid` or `id`, you can write `key:`\nand the key, for example `key:shop`. Responses contain the `guid` or `id`, and the `key` if there is one.\n\nTimestamps are in UTC with exactly six fractional digits. An optional field that is 0, false or empty is absent, never\nnull.\n\nLimits per token: 20 requests per second with a burst of 200. Limits per organisation: ten changes per second with a\nburst of 2,000; each change in a bulk request counts. A limit per client address applies before these limits.\n\nWithin version 1 of the path, changes are additive: new fields can appear. Ignore fields that you do not know.\n"
  },
  "servers": [
    {
      "url": "/config-api/v1",
      "description": "Relative to the base URL of the server."
    }
  ],
  "tags": [
    {
      "name": "token",
      "description": "The current token and its scopes."
    },
    {
      "name": "checks",
      "description": "Targets, and the rules that decide whether each target is healthy."
    },
    {
      "name": "routes",
      "description": "Rules that decide which alerts go to which channels, and when."
    },
    {
      "name": "heartbeats",
      "description": "Jobs that must ping Dogwatch on time."
    },
    {
      "name": "maintenance",
      "description": "Maintenance windows, during which alerts are withheld."
    },
    {
      "name": "monitors",
      "description": "Agents that run checks from one location, and the tokens with which new agents enroll."
    },
    {
      "name": "tags",
      "description": "Labels of checks and heartbeats, for searching and for routing alerts."
    },
    {
      "name": "channels",
      "description": "Receivers of alerts."
    },
    {
      "name": "incidents",
      "description": "Periods during which a check or heartbeat was down."
    },
    {
      "name": "bulk",
      "description": "Many changes in one request, with a dry run."
    },
    {
      "name": "audit",
      "description": "The log of changes: who changed what, and when."
    },
    {
      "name": "status-page",
      "description": "The public status page of the organisation."
    },
    {
      "name": "metrics",
      "description": "Metrics for monitoring systems."
    }
  ],
  "security": [
    {
      "configurationToken": []
    }
  ],
  "paths": {
    "/token": {
      "get": {
        "operationId": "getToken",
        "x-scope": "read",
        "summary": "Read the current token",
        "description": "Returns the scopes, the organisation and the expiry time of the token that sends the request.\n",
        "tags": [
          "token"
        ],
        "responses": {
          "200": {
            "description": "The token.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Token"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
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
    "/checks": {
      "get": {
        "operationId": "listChecks",
        "x-scope": "checks:read",
        "summary": "List the checks",
        "description": "Returns all checks of the organisation, oldest first, at most `limit` per page. For the next page, send `next` as\n`after`. The last page has no `next`.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          },
          {
            "$ref": "#/components/parameters/Tag"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of checks.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CheckPage"
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
            "$ref": "#/components/responses/Forbidden"
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
      },
      "post": {
        "operationId": "createCheck",
        "x-scope": "checks:write",
        "summary": "Create a check",
        "description": "The fields are those of the import and export file. `name`, `url` and `interval_sec` are sufficient. Without `monitors`\nand `all_monitors`, all monitors run the check, including monitors that are added later.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/CheckInput"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The check.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Location": {
                "description": "Path of the created resource, relative to the base URL of the server.",
                "required": true,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredCheck"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
        "x-scope": "checks:read",
        "summary": "Read a check",
        "description": "Returns one check of the organisation.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          }
        ],
        "responses": {
          "200": {
            "description": "The check.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredCheck"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "put": {
        "operationId": "replaceCheck",
        "x-scope": "checks:write",
        "summary": "Replace a check",
        "description": "Sets every field. An omitted field gets its default, except `key`, which does not change. If both `monitors` and\n`all_monitors` are omitted, they do not change.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/CheckInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The check after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredCheck"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "patch": {
        "operationId": "changeCheck",
        "x-scope": "checks:write",
        "summary": "Change some fields of a check",
        "description": "Sets the fields that are sent. Other fields do not change. A field that is null gets its default.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/CheckInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The check after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredCheck"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deleteCheck",
        "x-scope": "checks:write",
        "summary": "Delete a check",
        "description": "Deletes the check. It disappears for all readers at once. Returns 404 if the check does not exist.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "responses": {
          "200": {
            "description": "The deleted check.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Deleted"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
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
    "/checks/{guid}/pause": {
      "post": {
        "operationId": "pauseCheck",
        "x-scope": "checks:write",
        "summary": "Pause a check",
        "description": "Stops its alerts. An open incident ends without an alert. Pausing again changes nothing.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The check after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredCheck"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/checks/{guid}/resume": {
      "post": {
        "operationId": "resumeCheck",
        "x-scope": "checks:write",
        "summary": "Resume a check",
        "description": "Starts judging the check again. Earlier results no longer affect its state. Resuming again changes nothing.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The check after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredCheck"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/checks/{guid}/mute": {
      "post": {
        "operationId": "muteCheck",
        "x-scope": "checks:write",
        "summary": "Mute a check",
        "description": "Withholds all alerts about the check until the given time, including alerts about a recovery. Muting again replaces the\nend of the mute. With `until_resolved`, the mute ends when the open incident ends, and the channels that were alerted\nare notified of the recovery. Returns 409 if no incident is open.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/MuteInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The end of the mute, and who muted the alerts.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Mute"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/checks/{guid}/unmute": {
      "post": {
        "operationId": "unmuteCheck",
        "x-scope": "checks:write",
        "summary": "Unmute a check",
        "description": "Ends the mute, and sends withheld alerts that still apply. If there is no mute, nothing changes.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "An empty object.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Mute"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
        "x-scope": "checks:read",
        "summary": "List the results of a check",
        "description": "Returns the results of the check, newest first. For the next page, send `next` as `after`. The last page has no `next`.\nWith `success` or `monitor`, one request searches at most 10,000 results. A page can then contain fewer than `limit`\nresults, or none, and still have a `next`.\n\nThe plan decides how long results are kept. To copy all results, use the account API, which returns the oldest first.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "name": "success",
            "in": "query",
            "required": false,
            "description": "Only successes (true), or only failures (false).",
            "schema": {
              "type": "boolean"
            }
          },
          {
            "name": "monitor",
            "in": "query",
            "required": false,
            "description": "Only results of the monitor with this id.",
            "schema": {
              "type": "string",
              "maxLength": 64
            }
          },
          {
            "name": "until",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only results of runs that began before this time.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "name": "since",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only results of runs that began at or after this time.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "name": "after",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "The `next` of the previous page.",
            "schema": {
              "type": "string",
              "maxLength": 160
            }
          }
        ],
        "responses": {
          "200": {
            "description": "One page of results.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ResultPage"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
    "/routes": {
      "get": {
        "operationId": "listRoutes",
        "x-scope": "routes:read",
        "summary": "List the routes",
        "description": "Returns all routes of the organisation in their order, at most `limit` per page. For the next page, send `next` as\n`after`. The last page has no `next`.\n",
        "tags": [
          "routes"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of routes.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/RoutePage"
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
            "$ref": "#/components/responses/Forbidden"
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
      },
      "post": {
        "operationId": "createRoute",
        "x-scope": "routes:write",
        "summary": "Create a route",
        "description": "Adds a route at the end of the list. `name`, `scope` and `steps` are sufficient. If no enabled route matches an alert,\nthe alert goes to every channel. When a route changes, Dogwatch applies the current routes to all waiting alerts.\n",
        "tags": [
          "routes"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/RouteInput"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The route.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Location": {
                "description": "Path of the created resource, relative to the base URL of the server.",
                "required": true,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Route"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/routes/{guid}": {
      "get": {
        "operationId": "getRoute",
        "x-scope": "routes:read",
        "summary": "Read one route",
        "description": "Returns one route of the organisation.\n",
        "tags": [
          "routes"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          }
        ],
        "responses": {
          "200": {
            "description": "The route.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Route"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "put": {
        "operationId": "replaceRoute",
        "x-scope": "routes:write",
        "summary": "Replace a route",
        "description": "Sets every field. An omitted field gets its default, except `key`, which does not change.\n",
        "tags": [
          "routes"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/RouteInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The route after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Route"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "patch": {
        "operationId": "changeRoute",
        "x-scope": "routes:write",
        "summary": "Change some fields of a route",
        "description": "Sets the fields that are sent, each as a whole. Other fields do not change. A field that is null gets its default.\n",
        "tags": [
          "routes"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/RouteInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The route after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Route"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deleteRoute",
        "x-scope": "routes:write",
        "summary": "Delete a route",
        "description": "Returns 404 if the route does not exist.\n",
        "tags": [
          "routes"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "responses": {
          "200": {
            "description": "The deleted route.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Deleted"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
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
    "/routes/{guid}/move": {
      "post": {
        "operationId": "moveRoute",
        "x-scope": "routes:write",
        "summary": "Move a route to another position",
        "description": "Moves the route to `position`. The order of the other routes does not change. If the route already has this position,\nnothing changes.\n",
        "tags": [
          "routes"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/RoutePlace"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The route.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Route"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/alert-preview": {
      "get": {
        "operationId": "previewAlert",
        "x-scope": "routes:read",
        "summary": "Preview which channels an alert would notify",
        "description": "Applies the rules for real alerts, with the current routes, mutes and maintenance windows. The preview of a reminder or\nrecovery assumes that the problem was reported just before. Without `check` and `heartbeat`, the alert is about the\norganisation's monitors.\n",
        "tags": [
          "routes"
        ],
        "parameters": [
          {
            "name": "event",
            "in": "query",
            "required": true,
            "description": "Type of the event, as in webhooks.",
            "schema": {
              "type": "string",
              "maxLength": 64
            },
            "example": "check.down"
          },
          {
            "name": "check",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "The check that the alert is about, by guid or `key:NAME`.",
            "schema": {
              "type": "string",
              "maxLength": 68
            }
          },
          {
            "name": "heartbeat",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "The heartbeat that the alert is about, by guid or `key:NAME`.",
            "schema": {
              "type": "string",
              "maxLength": 68
            }
          },
          {
            "name": "at",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Time of the alert. Default: now.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The channels that the alert would notify, and the other channels.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AlertPreview"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
        "x-scope": "monitors:read",
        "summary": "List the monitors",
        "description": "Returns the organisation's own monitors by id, and then the shared monitors, at most `limit` per page. For the next\npage, send `next` as `after`. The last page has no `next`.\n",
        "tags": [
          "monitors"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of monitors.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/MonitorPage"
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
            "$ref": "#/components/responses/Forbidden"
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
    "/monitors/{id}": {
      "get": {
        "operationId": "getMonitor",
        "x-scope": "monitors:read",
        "summary": "Read a monitor",
        "description": "Returns one of the organisation's own monitors, or a shared monitor.\n",
        "tags": [
          "monitors"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/MonitorId"
          }
        ],
        "responses": {
          "200": {
            "description": "The monitor.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredMonitor"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "patch": {
        "operationId": "changeMonitor",
        "x-scope": "monitors:write",
        "summary": "Rename, enable or disable a monitor",
        "description": "Sets the fields that are sent. Other fields do not change. If a monitor is disabled, the other monitors take over its\nturns. Shared monitors cannot be changed.\n",
        "tags": [
          "monitors"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/MonitorId"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/MonitorInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The monitor after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredMonitor"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deleteMonitor",
        "x-scope": "monitors:write",
        "summary": "Retire a monitor",
        "description": "Revokes the API key of the monitor and removes the monitor from all lists. Other monitors take over its turns at once.\nThe results of the monitor are kept under the name of the monitor. Shared monitors cannot be retired.\n",
        "tags": [
          "monitors"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/MonitorId"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "responses": {
          "200": {
            "description": "The retired monitor.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/RetiredMonitor"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
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
    "/enrollment-tokens": {
      "get": {
        "operationId": "listEnrollmentTokens",
        "x-scope": "monitors:read",
        "summary": "List the enrollment tokens",
        "description": "Returns the valid enrollment tokens, newest first, at most 500. The texts of the tokens are not stored.\n",
        "tags": [
          "monitors"
        ],
        "responses": {
          "200": {
            "description": "The valid enrollment tokens.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/EnrollmentTokens"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
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
      },
      "post": {
        "operationId": "createEnrollmentToken",
        "x-scope": "monitors:write",
        "summary": "Create an enrollment token",
        "description": "Agents can enroll with the token until it expires or is revoked. The response contains the text of the token, which is\nshown only once. A repeat with the same `Idempotency-Key` returns the text again.\n",
        "tags": [
          "monitors"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/EnrollmentTokenInput"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The token, with its text.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CreatedEnrollmentToken"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/enrollment-tokens/{id}": {
      "delete": {
        "operationId": "revokeEnrollmentToken",
        "x-scope": "monitors:write",
        "summary": "Revoke an enrollment token",
        "description": "Agents can no longer enroll with the token. Monitors that have enrolled with it keep working. Returns 404 if the token\nhas expired.\n",
        "tags": [
          "monitors"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/EnrollmentTokenId"
          }
        ],
        "responses": {
          "200": {
            "description": "The revoked token.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/RevokedEnrollmentToken"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
    "/tags": {
      "get": {
        "operationId": "listTags",
        "x-scope": "checks:read",
        "summary": "List the tags",
        "description": "Returns all tags of checks, heartbeats, routes and maintenance windows, in alphabetical order, with their numbers of uses.\n",
        "tags": [
          "tags"
        ],
        "responses": {
          "200": {
            "description": "The tags.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Tags"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
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
    "/tags/{tag}": {
      "patch": {
        "operationId": "renameTag",
        "x-scope": "checks:write",
        "summary": "Rename a tag",
        "description": "Renames the tag in all checks, heartbeats, routes and maintenance windows at once, and in the targets of composite\nchecks. If the new tag exists, the two tags become one. For each kind of resource with the tag, the token needs the scope for writing, for example `routes:write`.\nReturns 409 if more than 2,000 checks and heartbeats have the tag.\n",
        "tags": [
          "tags"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/TagName"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/TagInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The tag after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/TagUse"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deleteTag",
        "x-scope": "checks:write",
        "summary": "Remove a tag",
        "description": "Removes the tag from all checks, heartbeats, routes and maintenance windows at once, and from the targets of composite\nchecks. For each kind of resource with the tag, the token needs the scope for writing. Returns 409 if the scope of a\nroute or maintenance window, or the target of a composite check, consists only of this tag, or if more than 2,000\nchecks and heartbeats have the tag.\n",
        "tags": [
          "tags"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/TagName"
          }
        ],
        "responses": {
          "200": {
            "description": "The removed tag.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/DeletedTag"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/channels": {
      "get": {
        "operationId": "listChannels",
        "x-scope": "channels:read",
        "summary": "List the channels",
        "description": "Returns all channels of the organisation, oldest first, at most `limit` per page. For the next page, send `next` as\n`after`. The last page has no `next`.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of channels.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ChannelPage"
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
            "$ref": "#/components/responses/Forbidden"
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
      },
      "post": {
        "operationId": "createChannel",
        "x-scope": "channels:write",
        "summary": "Create a channel",
        "description": "`name`, `kind` and the fields of the kind in `destination` are sufficient. An email channel receives alerts only after\nthe owner of its address has confirmed it. Dogwatch sends an email that asks for the confirmation. The verified\naddress of the token's creator needs no confirmation.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ChannelInput"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The channel.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Location": {
                "description": "Path of the created resource, relative to the base URL of the server.",
                "required": true,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Channel"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/channels/{id}": {
      "get": {
        "operationId": "getChannel",
        "x-scope": "channels:read",
        "summary": "Read a channel",
        "description": "Returns one channel of the organisation.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Id"
          }
        ],
        "responses": {
          "200": {
            "description": "The channel.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Channel"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "put": {
        "operationId": "replaceChannel",
        "x-scope": "channels:write",
        "summary": "Replace a channel",
        "description": "Sets every field. An omitted field gets its default, except `key`, which does not change. Omitted secrets also do not\nchange, unless the URL or the first field of the kind changes: then all secrets must be sent. The kind cannot change.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Id"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ChannelInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The channel after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Channel"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "patch": {
        "operationId": "changeChannel",
        "x-scope": "channels:write",
        "summary": "Change some fields of a channel",
        "description": "Sets the fields that are sent, also within `destination`. Other fields do not change. A field that is null gets its\ndefault. If the destination changes, the secrets must be sent.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Id"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ChannelInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The channel after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Channel"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deleteChannel",
        "x-scope": "channels:write",
        "summary": "Delete a channel",
        "description": "Permanently deletes the channel and the log of its deliveries. Returns 404 if the channel does not exist.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Id"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "responses": {
          "200": {
            "description": "The deleted channel.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/DeletedChannel"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
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
    "/channels/{id}/test": {
      "post": {
        "operationId": "testChannel",
        "x-scope": "channels:write",
        "summary": "Send a test message",
        "description": "Queues a test message. `GET /deliveries/{delivery}` returns its outcome. Returns 409 if the channel is disabled or\nunconfirmed. An organisation can send ten tests, and after that one every 30 seconds.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Id"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The test message is queued.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ChannelTest"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/channels/{id}/confirmation": {
      "post": {
        "operationId": "askForConfirmation",
        "x-scope": "channels:write",
        "summary": "Resend the confirmation email",
        "description": "Sends the owner of the channel's address another email, with a link that confirms the address. The link expires after\n7 days. Returns 409 if the address is already confirmed, or if the channel is not an email channel. An address gets\nthree such emails at most, and after that one per day; further requests return 429. A server without a mail server\nreturns 400.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Id"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The email is queued.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfirmationAsked"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/deliveries": {
      "get": {
        "operationId": "listDeliveries",
        "x-scope": "channels:read",
        "summary": "List the deliveries",
        "description": "Returns the deliveries, newest first, at most `limit` per page. A delivery is an alert to one channel. For the next\npage, send `next` as `after`. The last page has no `next`. Deliveries are kept as long as results.\n\nThe response omits what the token cannot read: `names` without `checks:read`, `heartbeats:read` or `monitors:read`\n(which one depends on the event), and `incident` without `incidents:read`.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "name": "channel",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only deliveries to the channel with this id, or `key:NAME`.",
            "schema": {
              "type": "string",
              "maxLength": 68
            }
          },
          {
            "name": "incident",
            "in": "query",
            "required": false,
            "description": "Only deliveries about the incident with this id.",
            "schema": {
              "type": "string",
              "maxLength": 64
            }
          },
          {
            "name": "check",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only deliveries about the check with this guid, or `key:NAME`.",
            "schema": {
              "type": "string",
              "maxLength": 68
            }
          },
          {
            "name": "state",
            "in": "query",
            "required": false,
            "description": "Only deliveries in this state. One request searches at most 20,000 deliveries, so a page can contain fewer than `limit` items, or none, and still have a `next`.",
            "schema": {
              "type": "string",
              "enum": [
                "pending",
                "delivered",
                "failed",
                "superseded",
                "summarised",
                "unconfirmed"
              ]
            }
          },
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of deliveries.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/DeliveryPage"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
    "/deliveries/{delivery}": {
      "get": {
        "operationId": "getDelivery",
        "x-scope": "channels:read",
        "summary": "Read a delivery",
        "description": "Returns the outcome of one message, for example of a test. As in the list, fields that the token cannot read are\nomitted.\n",
        "tags": [
          "channels"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Delivery"
          }
        ],
        "responses": {
          "200": {
            "description": "The delivery.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Delivery"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
        "x-scope": "heartbeats:read",
        "summary": "List the heartbeats",
        "description": "Returns all heartbeats of the organisation, oldest first, at most `limit` per page. For the next page, send `next` as\n`after`. The last page has no `next`.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          },
          {
            "$ref": "#/components/parameters/Tag"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of heartbeats.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/HeartbeatPage"
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
            "$ref": "#/components/responses/Forbidden"
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
      },
      "post": {
        "operationId": "createHeartbeat",
        "x-scope": "heartbeats:write",
        "summary": "Create a heartbeat",
        "description": "`name` and either `interval_sec` or `cron` are sufficient. The response contains the `ping_url` that the job must\nrequest. The URL is a secret, so responses of other operations on heartbeats do not contain it.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/HeartbeatInput"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The heartbeat, with its ping URL.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Location": {
                "description": "Path of the created resource, relative to the base URL of the server.",
                "required": true,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CreatedHeartbeat"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/heartbeats/{guid}": {
      "get": {
        "operationId": "getHeartbeat",
        "x-scope": "heartbeats:read",
        "summary": "Read a heartbeat",
        "description": "Returns one heartbeat of the organisation.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          }
        ],
        "responses": {
          "200": {
            "description": "The heartbeat.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredHeartbeat"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "put": {
        "operationId": "replaceHeartbeat",
        "x-scope": "heartbeats:write",
        "summary": "Replace a heartbeat",
        "description": "Sets every field. An omitted field gets its default, except `key`, which does not change. The ping URL does not change.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/HeartbeatInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The heartbeat after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredHeartbeat"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "patch": {
        "operationId": "changeHeartbeat",
        "x-scope": "heartbeats:write",
        "summary": "Change some fields of a heartbeat",
        "description": "Sets the fields that are sent. Other fields do not change. A field that is null gets its default.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/HeartbeatInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The heartbeat after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredHeartbeat"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deleteHeartbeat",
        "x-scope": "heartbeats:write",
        "summary": "Delete a heartbeat",
        "description": "Permanently deletes the heartbeat and its pings, without an alert. Returns 404 if the heartbeat does not exist.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "responses": {
          "200": {
            "description": "The deleted heartbeat.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Deleted"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
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
    "/heartbeats/{guid}/pause": {
      "post": {
        "operationId": "pauseHeartbeat",
        "x-scope": "heartbeats:write",
        "summary": "Pause a heartbeat",
        "description": "Stops its alerts. An open incident ends without an alert. Pausing again changes nothing.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The heartbeat after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredHeartbeat"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/heartbeats/{guid}/resume": {
      "post": {
        "operationId": "resumeHeartbeat",
        "x-scope": "heartbeats:write",
        "summary": "Resume a heartbeat",
        "description": "Resumes the heartbeat as if it were new: it waits for its next ping. Resuming again changes nothing.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The heartbeat after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ConfiguredHeartbeat"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/heartbeats/{guid}/mute": {
      "post": {
        "operationId": "muteHeartbeat",
        "x-scope": "heartbeats:write",
        "summary": "Mute a heartbeat",
        "description": "Withholds all alerts about the heartbeat until the given time, including alerts about a recovery. Muting again replaces\nthe end of the mute. With `until_resolved`, the mute ends when the open incident ends, and the channels that were\nalerted are notified of the recovery. Returns 409 if no incident is open.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/MuteInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The end of the mute, and who muted the alerts.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Mute"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/heartbeats/{guid}/unmute": {
      "post": {
        "operationId": "unmuteHeartbeat",
        "x-scope": "heartbeats:write",
        "summary": "Unmute a heartbeat",
        "description": "Ends the mute, and sends withheld alerts that still apply. If there is no mute, nothing changes.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "An empty object.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Mute"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/heartbeats/{guid}/ping-url": {
      "get": {
        "operationId": "getPingUrl",
        "x-scope": "heartbeats:write",
        "summary": "Read the ping URL of a heartbeat",
        "description": "Returns the URL that the job must request. Anyone who knows the URL can ping the heartbeat, so read-only tokens cannot\nread it.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          }
        ],
        "responses": {
          "200": {
            "description": "The ping URL.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PingUrl"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "post": {
        "operationId": "rotatePingUrl",
        "x-scope": "heartbeats:write",
        "summary": "Replace the ping URL of a heartbeat",
        "description": "Creates a new ping URL. The old URL stops working at once.\n",
        "tags": [
          "heartbeats"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The new ping URL.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PingUrl"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/maintenance": {
      "get": {
        "operationId": "listMaintenanceWindows",
        "x-scope": "maintenance:read",
        "summary": "List the maintenance windows",
        "description": "Returns all windows of the organisation, at most `limit` per page: current windows, then future windows, then past\nwindows. For the next page, send `next` as `after`. The last page has no `next`.\n",
        "tags": [
          "maintenance"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of maintenance windows.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/MaintenanceWindowPage"
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
            "$ref": "#/components/responses/Forbidden"
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
      },
      "post": {
        "operationId": "createMaintenanceWindow",
        "x-scope": "maintenance:write",
        "summary": "Create a maintenance window",
        "description": "During the window, alerts about the checks and heartbeats in its scope are withheld, and their results count neither as\nup nor as down. `name`, `scope`, `starts_at` and `duration_sec` are sufficient. The window must not end in the past.\n",
        "tags": [
          "maintenance"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/MaintenanceWindowInput"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The maintenance window.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Location": {
                "description": "Path of the created resource, relative to the base URL of the server.",
                "required": true,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/MaintenanceWindow"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/maintenance/{guid}": {
      "get": {
        "operationId": "getMaintenanceWindow",
        "x-scope": "maintenance:read",
        "summary": "Read a maintenance window",
        "description": "Returns one maintenance window of the organisation.\n",
        "tags": [
          "maintenance"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          }
        ],
        "responses": {
          "200": {
            "description": "The maintenance window.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/MaintenanceWindow"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "put": {
        "operationId": "replaceMaintenanceWindow",
        "x-scope": "maintenance:write",
        "summary": "Replace a maintenance window",
        "description": "Sets every field. An omitted field gets its default, except `key`, which does not change. Past occurrences of the\nwindow do not change.\n",
        "tags": [
          "maintenance"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/MaintenanceWindowInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The maintenance window after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/MaintenanceWindow"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "patch": {
        "operationId": "changeMaintenanceWindow",
        "x-scope": "maintenance:write",
        "summary": "Change some fields of a maintenance window",
        "description": "Sets the fields that are sent, each as a whole. Other fields do not change. A field that is null gets its default.\n",
        "tags": [
          "maintenance"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/MaintenanceWindowInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The maintenance window after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/MaintenanceWindow"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deleteMaintenanceWindow",
        "x-scope": "maintenance:write",
        "summary": "Delete a maintenance window",
        "description": "Deletes the window. A current window ends now, and withheld alerts that still apply are sent. Returns 404 if the\nwindow does not exist.\n",
        "tags": [
          "maintenance"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "responses": {
          "200": {
            "description": "The deleted maintenance window.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Deleted"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
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
    "/maintenance/{guid}/end": {
      "post": {
        "operationId": "endMaintenanceWindow",
        "x-scope": "maintenance:write",
        "summary": "End a current maintenance window",
        "description": "Ends the current occurrence now, and sends withheld alerts that still apply. A repeating window will start again. If\nthe window is not current, nothing changes.\n",
        "tags": [
          "maintenance"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The maintenance window.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/MaintenanceWindow"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/checks/{guid}/run": {
      "post": {
        "operationId": "runCheck",
        "x-scope": "checks:write",
        "summary": "Run a check now",
        "description": "Asks an online monitor of the check for a run out of turn. The result counts like the result of any other run. The\nresponse contains the id of the run. Read the run until its `state` is no longer `waiting`, which takes some seconds.\nReturns 409 if the check is paused, or if none of its monitors is online.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "name": "monitor",
            "in": "query",
            "required": false,
            "description": "Id of the monitor that runs the check. Default: the monitor that sent a request most recently.",
            "schema": {
              "type": "string",
              "maxLength": 64
            }
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "201": {
            "description": "The run.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "Location": {
                "description": "Path of the created resource, relative to the base URL of the server.",
                "required": true,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Run"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/runs/{run}": {
      "get": {
        "operationId": "getRun",
        "x-scope": "checks:read",
        "summary": "Read the outcome of a run",
        "description": "Returns a run that was requested in the last ten minutes.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Run"
          }
        ],
        "responses": {
          "200": {
            "description": "The run.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Run"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
    "/audit": {
      "get": {
        "operationId": "listAuditEntries",
        "x-scope": "audit:read",
        "summary": "List the audit log",
        "description": "Returns all recorded changes, newest first, at most `limit` per page. For the next page, send `next` as `after`. The\nlast page has no `next`. If a change was made with this API, `actor` is the creator of the token, and `detail` contains\nthe name of the token.\n\nFor each organisation and day, 5,000 entries are stored in full, and at least 100 for each actor. Further changes are\nonly counted: there is one entry for each hour, actor and action, with `times` and `last_at`.\n",
        "tags": [
          "audit"
        ],
        "parameters": [
          {
            "name": "since",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only entries created at or after this time.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "name": "until",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only entries created before this time.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of entries.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AuditPage"
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
            "$ref": "#/components/responses/Forbidden"
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
    "/status-page": {
      "get": {
        "operationId": "getStatusPage",
        "x-scope": "status_page:read",
        "summary": "Read the status page",
        "description": "Returns the address and the texts of the public status page, and the checks and heartbeats that it shows. Returns 404\nuntil the status page is saved for the first time.\n",
        "tags": [
          "status-page"
        ],
        "responses": {
          "200": {
            "description": "The status page.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/StatusPage"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "put": {
        "operationId": "replaceStatusPage",
        "x-scope": "status_page:write",
        "summary": "Replace the status page",
        "description": "Sets the address, the texts and the entries of the status page, and creates the page if it does not exist. The page no\nlonger shows checks and heartbeats that are not in `entries`. If `enabled` is omitted, it does not change. The body can\nhave at most 1 MiB.\n",
        "tags": [
          "status-page"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/StatusPageInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The status page after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/StatusPage"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/checks/{guid}/summary": {
      "get": {
        "operationId": "getCheckSummary",
        "x-scope": "checks:read",
        "summary": "Read uptime and response times of a check",
        "description": "Divides the range into whole steps, which begin at full hours or at midnight UTC. The range is widened to whole steps.\nWith steps of an hour, a range has at most 31 days. With steps of a day, it has at most 400. Unmonitored time counts\nneither as up nor as down. Results during maintenance do not count. Results that the plan no longer keeps do not count.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Guid"
          },
          {
            "name": "since",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Start of the range. Default: 24 hours before `until`.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "name": "until",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "End of the range. Default: now. A time in the future counts as now.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "name": "step",
            "in": "query",
            "required": false,
            "description": "Length of a step. Default: an hour for ranges of up to two days, otherwise a day.",
            "schema": {
              "type": "string",
              "enum": [
                "hour",
                "day"
              ]
            }
          }
        ],
        "responses": {
          "200": {
            "description": "The summary.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/CheckSummary"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
    "/summaries": {
      "get": {
        "operationId": "listSummaries",
        "x-scope": "checks:read",
        "summary": "Read uptime and response times of many checks",
        "description": "Returns the totals of all checks, or of all checks with a tag, oldest check first, at most `limit` per page. For the\nnext page, send `next` as `after`. The last page has no `next`. Ranges of up to two days have whole hours. Longer ranges\nhave whole days in UTC, at most 92.\n",
        "tags": [
          "checks"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Tag"
          },
          {
            "name": "since",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Start of the range. Default: 24 hours before `until`.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "name": "until",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "End of the range. Default: now. A time in the future counts as now.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of summaries.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/SummaryPage"
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
            "$ref": "#/components/responses/Forbidden"
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
    "/incidents": {
      "get": {
        "operationId": "listIncidents",
        "x-scope": "incidents:read",
        "summary": "List the incidents",
        "description": "Returns all incidents of the organisation, newest first, at most `limit` per page. For the next page, send `next` as\n`after`. The last page has no `next`.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "name": "state",
            "in": "query",
            "required": false,
            "description": "Only open incidents, or only incidents that have ended.",
            "schema": {
              "type": "string",
              "enum": [
                "open",
                "ended"
              ]
            }
          },
          {
            "name": "check",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only incidents of the check with this guid, or `key:NAME`.",
            "schema": {
              "type": "string",
              "maxLength": 68
            }
          },
          {
            "name": "heartbeat",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only incidents of the heartbeat with this guid, or `key:NAME`. Ignored if `check` is set.",
            "schema": {
              "type": "string",
              "maxLength": 68
            }
          },
          {
            "$ref": "#/components/parameters/Tag"
          },
          {
            "name": "since",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only incidents that began at or after this time.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "name": "until",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only incidents that began before this time.",
            "schema": {
              "type": "string",
              "format": "date-time"
            }
          },
          {
            "$ref": "#/components/parameters/Limit"
          },
          {
            "$ref": "#/components/parameters/After"
          }
        ],
        "responses": {
          "200": {
            "description": "One page of incidents.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IncidentPage"
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
            "$ref": "#/components/responses/Forbidden"
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
    "/incidents/{incident}": {
      "get": {
        "operationId": "getIncident",
        "x-scope": "incidents:read",
        "summary": "Read an incident",
        "description": "Returns one incident with the results of each monitor, its timeline, its notes and its postmortem.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          }
        ],
        "responses": {
          "200": {
            "description": "The incident.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IncidentInDetail"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
    "/incidents/{incident}/acknowledge": {
      "post": {
        "operationId": "acknowledgeIncident",
        "x-scope": "incidents:ack",
        "summary": "Acknowledge an incident",
        "description": "Stops reminders and escalation, and notifies the channels that were alerted. The acknowledgement is recorded with the\ncreator and the name of the token. Acknowledging again changes nothing. Returns 409 if the incident has ended.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The incident after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Incident"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/incidents/{incident}/unacknowledge": {
      "post": {
        "operationId": "unacknowledgeIncident",
        "x-scope": "incidents:ack",
        "summary": "Unacknowledge an incident",
        "description": "Removes the acknowledgement. Reminders start again, and the escalation continues at the step that is due by now. If the\nincident is not acknowledged, nothing changes. Returns 409 if the incident has ended.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "The incident after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Incident"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/incidents/{incident}/mute": {
      "post": {
        "operationId": "muteIncident",
        "x-scope": "incidents:write",
        "summary": "Mute the check or heartbeat of an incident",
        "description": "Withholds all alerts about the check or heartbeat until the given time, including alerts about a recovery. Muting again\nreplaces the end of the mute. With `until_resolved`, the mute ends when the incident ends, and the channels that were\nalerted are notified of the recovery.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/MuteInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The end of the mute, and who muted the alerts.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Mute"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/incidents/{incident}/unmute": {
      "post": {
        "operationId": "unmuteIncident",
        "x-scope": "incidents:write",
        "summary": "Unmute the check or heartbeat of an incident",
        "description": "Ends the mute, and sends withheld alerts that still apply. If there is no mute, nothing changes.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "responses": {
          "200": {
            "description": "An empty object.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Mute"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
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
    "/incidents/{incident}/notes": {
      "get": {
        "operationId": "listIncidentNotes",
        "x-scope": "incidents:read",
        "summary": "List the notes on an incident",
        "description": "Returns all notes, oldest first.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          }
        ],
        "responses": {
          "200": {
            "description": "The notes.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IncidentNotes"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "post": {
        "operationId": "createIncidentNote",
        "x-scope": "incidents:write",
        "summary": "Add a note to an incident",
        "description": "The author of the note is the creator of the token, with the name of the token. An incident can have at most 200 notes.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/IncidentNoteInput"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The note.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IncidentNote"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/incidents/{incident}/notes/{note}": {
      "get": {
        "operationId": "getIncidentNote",
        "x-scope": "incidents:read",
        "summary": "Read a note on an incident",
        "description": "Returns one note.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/Note"
          }
        ],
        "responses": {
          "200": {
            "description": "The note.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IncidentNote"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "put": {
        "operationId": "replaceIncidentNote",
        "x-scope": "incidents:write",
        "summary": "Change a note on an incident",
        "description": "Replaces the text of a note and sets `edited_at`. Only the author can change a note. The author of notes that were\nwritten with a token is the creator of the token.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/Note"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/IncidentNoteInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The note after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IncidentNote"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deleteIncidentNote",
        "x-scope": "incidents:write",
        "summary": "Delete a note on an incident",
        "description": "Only the author can delete a note. The author of notes that were written with a token is the creator of the token.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/Note"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "responses": {
          "200": {
            "description": "The deleted note.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/DeletedNote"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
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
    "/incidents/{incident}/postmortem": {
      "get": {
        "operationId": "getPostmortem",
        "x-scope": "incidents:read",
        "summary": "Read the postmortem of an incident",
        "description": "Returns 404 if the incident has no postmortem.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          }
        ],
        "responses": {
          "200": {
            "description": "The postmortem.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IncidentPostmortem"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      },
      "put": {
        "operationId": "replacePostmortem",
        "x-scope": "incidents:write",
        "summary": "Write the postmortem of an incident",
        "description": "Creates or replaces the postmortem. An incident has at most one postmortem, which all members with access edit. Send\nthe `ETag` of the version that you have read as `If-Match`, so that you do not overwrite other changes.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/PostmortemInput"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The postmortem after the change.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/IncidentPostmortem"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
      },
      "delete": {
        "operationId": "deletePostmortem",
        "x-scope": "incidents:write",
        "summary": "Delete the postmortem of an incident",
        "description": "Returns 404 if the incident has no postmortem.\n",
        "tags": [
          "incidents"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Incident"
          },
          {
            "$ref": "#/components/parameters/IfMatch"
          }
        ],
        "responses": {
          "200": {
            "description": "An empty object.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/DeletedPostmortem"
                }
              }
            }
          },
          "401": {
            "$ref": "#/components/responses/Unauthorized"
          },
          "403": {
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
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
    "/bulk": {
      "post": {
        "operationId": "changeInBulk",
        "x-scope": "read",
        "summary": "Make many changes in one request, or preview them",
        "description": "Makes all changes, or none of them. Changes can refer to each other's resources by `key:` in any order. Deletions are\nmade first, then channels are stored, then checks, and then the resources that refer to them. A `put` with `key`\ncreates the resource, or sets all of its fields. A change that sets the current values has no effect and creates no\nentry in the audit log.\n\nWith `if_match`, a change is made only if its resource is in the given state. If any resource is in another state,\nnothing is changed, and the 412 names this resource. `found` in the response is the state of each resource before the\nchange, so you can send `found` of a dry run as `if_match`.\n\nWith `dry_run`, nothing is stored, and the response is the plan. The same request without `dry_run` then does what the\nplan says, unless someone changes the resources in between. A dry run needs the scopes for reading the resources. A\nchange needs the scopes for writing them, such as `checks:write`.\n\n**Secrets in a dry run.** Secrets of channels are compared only for tokens that can write channels, and secrets of\nchecks only for tokens with `checks:secrets`. For other tokens, the plan marks the secret with `compared: false`, so no\nresponse reveals whether a given secret is the stored one. If a token has `checks:write` but not `checks:secrets`, a\ncheck with such a secret is always `replaced` in the plan. If a token that cannot write channels sends a secret\ndestination, such as a URL, and omits other secrets of the channel, the plan marks these with `may_be_needed`: the\nchange requires them if the destination is a new one.\n\n**Limits.** Each change counts towards the organisation's ten changes per second (burst 2,000). A dry run counts towards\nan equal limit per token. A repeat of a completed request with the same `Idempotency-Key` does not count. A request\ncan test at most 250 templates of channels, for at most 3 seconds. If the changes take longer than 10 seconds together,\nthe request is refused with 429, and nothing is changed.\n\n**Errors.** A refused request reports all faults of one kind of resource together, each with its position, for example\n`changes[3].body.url must be a valid target`. If there are too many for one line, the line contains the number of\nfurther faults. For channels, heartbeats, routes and maintenance windows, the server stops after 20 faults.\n",
        "tags": [
          "bulk"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/BulkRequest"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The changes that were made, or would be made.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/BulkAnswer"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
          },
          "409": {
            "$ref": "#/components/responses/Conflict"
          },
          "412": {
            "$ref": "#/components/responses/PreconditionFailed"
          },
          "413": {
            "$ref": "#/components/responses/TooLarge"
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
    "/metrics": {
      "get": {
        "operationId": "readMetrics",
        "x-scope": "metrics:read",
        "summary": "Read metrics of checks, heartbeats and monitors",
        "description": "Returns metrics in the Prometheus text format, which can be up to five seconds old:\n\n- For each check: whether it is up, paused, unmonitored or degraded, whether an incident is open, the response time and\n  certificate expiry of the latest run, and uptime and coverage over the last 24 hours.\n- For each heartbeat: whether it is up, and the time of the latest ping.\n- For each monitor: whether it is online.\n\n`metrics:read` gives access to all metrics. Without it, `checks:read`, `heartbeats:read` and `monitors:read` each give\naccess to the metrics of their resource.\n\nA response contains at most 10,000 checks and 10,000 heartbeats. If there are more, the request is refused with 400. To\nread all metrics in parts, use `part` and `parts`. To read only resources with a tag, use `tag`. With `tag` or `check`,\nthe response contains no monitors. With `parts`, the first part contains all monitors. Request gzip, because it makes\nthe response several times smaller.\n",
        "tags": [
          "metrics"
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/Tag"
          },
          {
            "name": "check",
            "in": "query",
            "required": false,
            "allowReserved": true,
            "description": "Only the check with this guid, or `key:NAME`.",
            "schema": {
              "type": "string",
              "maxLength": 68
            }
          },
          {
            "name": "part",
            "in": "query",
            "required": false,
            "description": "Number of the requested part. Each check or heartbeat is in one part, with all its metrics, and stays in this part while `parts` does not change.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 100
            }
          },
          {
            "name": "parts",
            "in": "query",
            "required": false,
            "description": "Number of parts of about the same size into which all metrics are divided. Required with `part`. Refused with `check`.",
            "schema": {
              "type": "integer",
              "minimum": 1,
              "maximum": 100
            }
          },
          {
            "name": "labels",
            "in": "query",
            "required": false,
            "description": "`all`: each line contains the name of its check or heartbeat. `id`: only `dogwatch_check_info` and `dogwatch_heartbeat_info` contain the names, which makes the response a quarter smaller.",
            "schema": {
              "type": "string",
              "enum": [
                "all",
                "id"
              ],
              "default": "all"
            }
          }
        ],
        "responses": {
          "200": {
            "description": "Metrics. All of them are gauges.",
            "headers": {
              "X-Request-Id": {
                "$ref": "#/components/headers/RequestId"
              }
            },
            "content": {
              "text/plain": {
                "schema": {
                  "$ref": "#/components/schemas/Exposition"
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
            "$ref": "#/components/responses/Forbidden"
          },
          "404": {
            "$ref": "#/components/responses/NotFound"
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
      "configurationToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token that the owner or an admin creates in the browser, `dogwatch_cfg_...`. It is shown once and has scopes. It can have an expiry time and a range of client addresses. It works as long as its creator is the owner or an admin."
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
      },
      "ETag": {
        "description": "Version of the resource. Send it as `If-Match` with a change.",
        "required": true,
        "schema": {
          "type": "string"
        },
        "example": "\"3f2a9c0d1b4e5f603f2a9c0d1b4e5f60\""
      }
    },
    "schemas": {
      "Token": {
        "description": "A token and its scopes.",
        "type": "object",
        "required": [
          "name",
          "org_name",
          "scopes"
        ],
        "properties": {
          "name": {
            "description": "Name of the token.",
            "type": "string"
          },
          "org_name": {
            "description": "Name of the organisation that the token can access.",
            "type": "string"
          },
          "scopes": {
            "description": "Scopes of the token. `read` and `write` include all scopes of that kind except `audit:read` and `checks:secrets`, which must be given individually. `checks:secrets` shows the secrets of checks to a token that can read checks.",
            "type": "array",
            "items": {
              "type": "string",
              "x-extensible-enum": [
                "read",
                "write",
                "checks:read",
                "checks:write",
                "heartbeats:read",
                "heartbeats:write",
                "channels:read",
                "channels:write",
                "routes:read",
                "routes:write",
                "maintenance:read",
                "maintenance:write",
                "monitors:read",
                "monitors:write",
                "incidents:read",
                "incidents:write",
                "incidents:ack",
                "metrics:read",
                "audit:read",
                "checks:secrets",
                "status_page:read",
                "status_page:write"
              ]
            }
          },
          "expires_at": {
            "description": "Time at which the token expires. Absent if it does not expire.",
            "type": "string",
            "format": "date-time",
            "example": "2027-02-18T10:00:00.000000Z"
          }
        }
      },
      "ErrorLine": {
        "description": "One line of plain text in lower case that describes the error.",
        "type": "string"
      },
      "ProblemError": {
        "description": "The error of one field of the body, or of one query parameter.",
        "type": "object",
        "required": [
          "detail"
        ],
        "properties": {
          "detail": {
            "description": "What the field must be.",
            "type": "string",
            "example": "interval_sec must be at least 30 on the team plan"
          },
          "pointer": {
            "description": "The field of the body, as a JSON pointer in URI fragment form. Absent for a parameter.",
            "type": "string",
            "example": "#/interval_sec"
          },
          "parameter": {
            "description": "Name of the query parameter. Absent for a field of the body.",
            "type": "string"
          }
        }
      },
      "ProblemDetails": {
        "description": "An error in the format of RFC 9457, for clients that send its media type in `Accept`.",
        "type": "object",
        "required": [
          "type",
          "title",
          "status",
          "detail"
        ],
        "properties": {
          "type": {
            "description": "Always `about:blank`, which means that `title` and `status` describe the kind of error.",
            "type": "string",
            "example": "about:blank"
          },
          "title": {
            "description": "Name of the status code.",
            "type": "string",
            "example": "Bad Request"
          },
          "status": {
            "description": "Status code of the response.",
            "type": "integer",
            "format": "int32",
            "example": 400
          },
          "detail": {
            "description": "The line that other clients receive.",
            "type": "string",
            "example": "interval_sec must be at least 30 on the team plan"
          },
          "errors": {
            "description": "Errors of individual fields, at most 200. Absent if no field is at fault.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ProblemError"
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
      "Key": {
        "description": "The name that a client chose for the resource. You can write `key:` and this name instead of the `guid` or `id`. Absent if there is none.",
        "type": "string",
        "example": "shop"
      },
      "ConfiguredCheck": {
        "description": "A check with its monitors. Lists, and responses to changes, contain no `state`. For tokens without `checks:secrets`, secrets are shown as `***`: the password in `url`, its parameters with names such as `token` or `api_key`, all headers except harmless ones such as `Accept`, `post_data`, and the password in `proxy`.",
        "allOf": [
          {
            "$ref": "#/components/schemas/Check"
          },
          {
            "type": "object",
            "properties": {
              "key": {
                "$ref": "#/components/schemas/Key"
              },
              "all_monitors": {
                "description": "Whether all monitors run it, including ones added later. False or absent means those of `monitors`.",
                "type": "boolean"
              },
              "monitors": {
                "description": "The ids of the monitors that run it now, in order. Absent when there are none.",
                "type": "array",
                "items": {
                  "type": "string"
                },
                "example": [
                  "7k2m9x0c4v5b"
                ]
              },
              "warnings": {
                "description": "What has no effect as the check is set, such as retries that do not fit into its interval. Each begins with the name of its field. Absent when there is nothing to warn of.",
                "type": "array",
                "items": {
                  "type": "string"
                },
                "example": [
                  "retry_count has no effect with fewer than 3 monitors: one retry takes up to 27 s, and the check runs every 10 s"
                ]
              }
            }
          }
        ]
      },
      "CheckPage": {
        "description": "One page of checks.",
        "type": "object",
        "required": [
          "checks"
        ],
        "properties": {
          "checks": {
            "description": "At most `limit` checks.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ConfiguredCheck"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "CheckInput": {
        "description": "The fields of a check, as in the import and export file. `guid`, `state`, `state_since` and `warnings` are ignored, so you can send back what you have read. Instead of a stored secret, you can send `***` to keep it. If the scheme, host or port of `url`, the `Host` header or the `proxy` changes, or `insecure_skip_verify` is turned on, `***` is refused, and so is a `PATCH` that omits a field with secrets.",
        "type": "object",
        "properties": {
          "key": {
            "description": "Your own name for the check, unique among the checks of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.",
            "type": "string",
            "nullable": true,
            "example": "shop"
          },
          "name": {
            "description": "Name of the check.",
            "type": "string",
            "nullable": true
          },
          "url": {
            "description": "Target of the check. The scheme, such as `https` or `dns`, selects the kind of check. `composite:key:web-1,tag:db` combines other checks, and `domain:example.com` watches a registration. The server judges these two without monitors, so they have no results, and fields about runs are refused.",
            "type": "string",
            "nullable": true,
            "example": "https://shop.example.com/health"
          },
          "interval_sec": {
            "description": "Number of seconds between two runs, over all monitors of the check together. Ignored if the server judges the check.",
            "type": "integer",
            "format": "int32",
            "nullable": true
          },
          "enabled": {
            "description": "False pauses the check. Default: true.",
            "type": "boolean",
            "nullable": true
          },
          "timeout_sec": {
            "description": "Maximum duration of one run, in seconds, at most 60. 0 means 10.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "depends_on": {
            "description": "The guid of another check of the organisation, or the id of a monitor. `key:NAME` names a check by its key. While this dependency is down, alerts about the check wait.",
            "type": "string",
            "nullable": true
          },
          "tags": {
            "description": "Tags of the check, for searching and for routing alerts. Responses contain them in lower case, in alphabetical order and without duplicates.",
            "type": "array",
            "nullable": true,
            "items": {
              "type": "string"
            }
          },
          "restricted": {
            "description": "Whether only the organisation's own monitors may run the check. Always true if the target is not a public address.",
            "type": "boolean",
            "nullable": true
          },
          "method": {
            "description": "Method of the request for http and https, in capital letters. Empty: GET, or POST if there is a `post_data`.",
            "type": "string",
            "nullable": true,
            "maxLength": 20,
            "example": "PUT"
          },
          "disable_redirects": {
            "description": "Whether to judge the first response of an http or https target without following redirects. Default: false.",
            "type": "boolean",
            "nullable": true
          },
          "insecure_skip_verify": {
            "description": "Whether to skip the verification of the certificate. Applies only to https and tls. Default: false.",
            "type": "boolean",
            "nullable": true
          },
          "post_data": {
            "description": "Request body for http and https. If not empty, the request is a POST with this body, or has the `method`.",
            "type": "string",
            "nullable": true
          },
          "max_redirects": {
            "description": "Maximum number of redirects to follow. A further redirect fails the check. 0 means 10.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "ip_family": {
            "description": "Version of IP with which runs connect. `both`: each run checks the target over IPv4 and over IPv6, and passes if both do. Empty means `any`.",
            "type": "string",
            "nullable": true,
            "x-extensible-enum": [
              "any",
              "4",
              "6",
              "both"
            ]
          },
          "proxy": {
            "description": "Proxy for http and https: `http://host:port` or `socks5://host:port`, with an optional `user:password@`. Only the organisation's own monitors run a check with a proxy. Empty: no proxy.",
            "type": "string",
            "nullable": true,
            "maxLength": 2048,
            "example": "http://proxy.example.com:3128"
          },
          "match_string": {
            "description": "Text to match against the body (http, https), the banner that the service sends after connecting (tcp), or a line about the certificate (tls): `subject=...; san=...; issuer=...; not_after=...`. Empty: the content is not checked.",
            "type": "string",
            "nullable": true
          },
          "match_mode": {
            "description": "How to compare `match_string`. Default: `contains`. Regular expressions use RE2 syntax and are case-sensitive.",
            "type": "string",
            "nullable": true,
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
            "nullable": true,
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
            "nullable": true,
            "format": "int32"
          },
          "status_codes": {
            "description": "Status codes with which a run passes, for http and https: single ones and ranges. Must not be set together with `status_code_op`. Empty: `status_code_op` decides.",
            "type": "array",
            "nullable": true,
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
            "description": "For https and tls: the check fails if its certificate expires in this number of days or fewer. With 14, a certificate with exactly 14 days left fails. 0 means no limit.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "max_response_time_ms": {
            "description": "Maximum response time in milliseconds. A slower response fails. 0 means no limit.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "assertions": {
            "description": "Rules on single parts of the response, in addition to the other fields. All must pass.",
            "type": "array",
            "nullable": true,
            "maxItems": 20,
            "items": {
              "$ref": "#/components/schemas/Assertion"
            }
          },
          "invert_result": {
            "description": "Whether to flip the verdict, after all other rules and for every scheme. Default: false.",
            "type": "boolean",
            "nullable": true
          },
          "result_detail_max_chars": {
            "description": "Maximum number of characters in `error` and in `response_sample` of a result. 0 means that neither is stored.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "retry_count": {
            "description": "Maximum number of retries after a failed run, before the failure counts. 0 means no retries.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "retry_interval_sec": {
            "description": "Number of seconds between the end of a failed run and its retry. 0 means 5.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "degraded_over_ms": {
            "description": "Response time in milliseconds above which a result is slow. Slow results make the check degraded. 0 means no limit.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "degraded_after": {
            "description": "Number of consecutive slow results after which the check is degraded. 0 means 1.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "cert_warn_days": {
            "description": "The check is degraded if a certificate in its verified chain expires in fewer than this number of days. 0 means no warning.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "cert_warn_percent": {
            "description": "The check is degraded if its certificate has less than this share of its lifetime left, in percent. 0 means no warning.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "down_interval_sec": {
            "description": "Number of consecutive failures after which the check is down and an alert is sent. Despite its name, the field is not in seconds. 0 means 1.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "down_majority": {
            "description": "Whether the check is down only if a majority of the monitors with a recent result fail. Consecutive failures then count per monitor.",
            "type": "boolean",
            "nullable": true
          },
          "down_places": {
            "description": "Number of monitors with a recent result that must fail before the check is down. If fewer monitors have a recent result, all of them must fail. Consecutive failures then count per monitor. 0: the results of all monitors count together. Ignored if `down_majority` is true.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "alert_every_change": {
            "description": "Whether each change of state causes an alert, even if the check is flapping. If false, a flapping check causes one alert about the flapping, and one when the check has settled.",
            "type": "boolean",
            "nullable": true
          },
          "up_successes": {
            "description": "Number of consecutive successes after which a check that is down is up again. 0 means 1.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "resend_interval_sec": {
            "description": "Number of seconds between reminders while the check is down. 0 means no reminders.",
            "type": "integer",
            "nullable": true,
            "format": "int32"
          },
          "headers": {
            "description": "Additional request headers for http and https, at most 10.",
            "type": "object",
            "nullable": true,
            "additionalProperties": {
              "type": "string"
            }
          },
          "all_monitors": {
            "description": "True assigns the check to all monitors, including monitors that are added later. Must not be true if `monitors` is set.",
            "type": "boolean",
            "nullable": true
          },
          "monitors": {
            "description": "Ids of the monitors that run the check. They replace the current monitors.",
            "type": "array",
            "nullable": true,
            "maxItems": 1000,
            "items": {
              "type": "string",
              "maxLength": 64
            }
          }
        }
      },
      "Deleted": {
        "description": "The deleted resource.",
        "type": "object",
        "required": [
          "guid"
        ],
        "properties": {
          "guid": {
            "description": "Guid of the deleted resource.",
            "type": "string"
          }
        }
      },
      "MuteInput": {
        "description": "End of a mute: either `until` or `until_resolved`.",
        "type": "object",
        "properties": {
          "until": {
            "description": "End of the mute: a time in the future, at most 90 days from now.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T11:00:00.000000Z"
          },
          "until_resolved": {
            "description": "True mutes until the incident ends, for at most 90 days. Use it instead of `until`. Returns 409 if no incident is open.",
            "type": "boolean"
          }
        }
      },
      "Mute": {
        "description": "Mute of a check or heartbeat: its alerts are withheld until it ends. Without `muted_until`, there is no mute.",
        "type": "object",
        "properties": {
          "muted_until": {
            "description": "End of the mute. Absent if there is no mute.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T11:00:00.000000Z"
          },
          "muted_by": {
            "description": "Who muted the alerts. Absent if they are not muted.",
            "type": "string"
          },
          "until_resolved": {
            "description": "True if the mute ends when the incident ends, but no later than `muted_until`. Absent otherwise.",
            "type": "boolean"
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
      "ResultPage": {
        "description": "One page of results.",
        "type": "object",
        "required": [
          "results"
        ],
        "properties": {
          "results": {
            "description": "At most `limit` results, newest first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Result"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string",
            "example": "2026-11-20T10~00~00.123456Z_7k2m9x0c4v5b"
          }
        }
      },
      "Scope": {
        "description": "Checks and heartbeats to which a route or maintenance window applies: either all, or those with a tag, or a list.",
        "type": "object",
        "properties": {
          "all": {
            "description": "True: all checks and heartbeats, and the organisation's monitors.",
            "type": "boolean"
          },
          "tags": {
            "description": "Tags: checks and heartbeats with at least one of these tags.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "checks": {
            "description": "The checks, by guid or `key:NAME`. Responses contain guids.",
            "type": "array",
            "items": {
              "type": "string",
              "maxLength": 68
            }
          },
          "heartbeats": {
            "description": "The heartbeats, by guid or `key:NAME`. Responses contain guids.",
            "type": "array",
            "items": {
              "type": "string",
              "maxLength": 68
            }
          }
        }
      },
      "QuietHours": {
        "description": "Hours in which the alerts of the route wait. Absent: none.",
        "type": "object",
        "required": [
          "from",
          "to",
          "zone"
        ],
        "properties": {
          "from": {
            "description": "Start of the quiet hours, as local time in `zone`.",
            "type": "string",
            "example": "22:00"
          },
          "to": {
            "description": "End of the quiet hours, as local time in `zone`. If it is not later than `from`, the hours end on the next day.",
            "type": "string",
            "example": "07:00"
          },
          "days": {
            "description": "Days on which the quiet hours begin, from 1 (Monday) to 7 (Sunday). Absent or empty: every day.",
            "type": "array",
            "items": {
              "type": "integer",
              "format": "int32"
            }
          },
          "zone": {
            "description": "Time zone of `from`, `to` and `days`.",
            "type": "string",
            "example": "Europe/Paris"
          },
          "holds_down": {
            "description": "Whether alerts about something that is down wait too.",
            "type": "boolean"
          }
        }
      },
      "RouteRotation": {
        "description": "Channels that take turns. Each turn lasts a week.",
        "type": "object",
        "required": [
          "channels",
          "starts_on",
          "at",
          "zone"
        ],
        "properties": {
          "channels": {
            "description": "The channels in the order of their turns, by id or `key:NAME`. Responses contain ids.",
            "type": "array",
            "items": {
              "type": "string",
              "maxLength": 68
            }
          },
          "starts_on": {
            "description": "Date on which the turn of the first channel begins.",
            "type": "string",
            "example": "2026-11-23"
          },
          "at": {
            "description": "Time of day at which turns change, as local time in `zone`.",
            "type": "string",
            "example": "09:00"
          },
          "zone": {
            "description": "Time zone of `starts_on` and `at`.",
            "type": "string",
            "example": "Europe/Paris"
          }
        }
      },
      "RouteStep": {
        "description": "Channels to notify: either all of a list, or the channel of a rotation whose turn it is.",
        "type": "object",
        "properties": {
          "after_sec": {
            "description": "Number of seconds after the first step. 0 or absent for the first step, which notifies at once.",
            "type": "integer",
            "format": "int32"
          },
          "channels": {
            "description": "The channels, by id or `key:NAME`. Responses contain ids.",
            "type": "array",
            "items": {
              "type": "string",
              "maxLength": 68
            }
          },
          "rotation": {
            "$ref": "#/components/schemas/RouteRotation"
          }
        }
      },
      "Route": {
        "description": "A rule that decides which alerts go to which channels, and when.",
        "type": "object",
        "required": [
          "guid",
          "name",
          "enabled",
          "scope",
          "steps"
        ],
        "properties": {
          "guid": {
            "description": "Identifier of the route.",
            "type": "string"
          },
          "key": {
            "$ref": "#/components/schemas/Key"
          },
          "name": {
            "description": "Name of the route, at most 100 characters.",
            "type": "string",
            "example": "Payments at night"
          },
          "enabled": {
            "description": "Whether the route is enabled. A disabled route has no effect.",
            "type": "boolean"
          },
          "scope": {
            "$ref": "#/components/schemas/Scope"
          },
          "events": {
            "description": "Groups of events to which the route applies. Absent or empty: all.",
            "type": "array",
            "items": {
              "type": "string",
              "x-extensible-enum": [
                "down",
                "late",
                "up",
                "reminder",
                "degraded",
                "certificate",
                "unmonitored",
                "monitor_offline",
                "flapping",
                "report"
              ]
            }
          },
          "severity": {
            "description": "Severity of the alerts. Absent: the type of the event decides.",
            "type": "string",
            "x-extensible-enum": [
              "critical",
              "warning",
              "info"
            ]
          },
          "delay_sec": {
            "description": "Number of seconds for which a problem must last before the first step, at most 172,800 (two days).",
            "type": "integer",
            "format": "int32"
          },
          "quiet": {
            "$ref": "#/components/schemas/QuietHours"
          },
          "steps": {
            "description": "Steps that decide which channels are notified, and when. The first step notifies at once. Each later step notifies after its delay, unless someone has acknowledged the incident by then. At most ten steps.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/RouteStep"
            }
          }
        }
      },
      "RoutePage": {
        "description": "One page of routes.",
        "type": "object",
        "required": [
          "routes"
        ],
        "properties": {
          "routes": {
            "description": "At most `limit` routes, in their order.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Route"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "QuietHoursInput": {
        "description": "Hours in which the alerts of the route wait. Null: none.",
        "type": "object",
        "nullable": true,
        "required": [
          "from",
          "to",
          "zone"
        ],
        "properties": {
          "from": {
            "description": "Start of the quiet hours, as local time in `zone`.",
            "type": "string",
            "example": "22:00"
          },
          "to": {
            "description": "End of the quiet hours, as local time in `zone`. If it is not later than `from`, the hours end on the next day.",
            "type": "string",
            "example": "07:00"
          },
          "days": {
            "description": "Days on which the quiet hours begin, from 1 (Monday) to 7 (Sunday). Absent or empty: every day.",
            "type": "array",
            "items": {
              "type": "integer",
              "format": "int32"
            }
          },
          "zone": {
            "description": "Time zone of `from`, `to` and `days`.",
            "type": "string",
            "example": "Europe/Paris"
          },
          "holds_down": {
            "description": "Whether alerts about something that is down wait too.",
            "type": "boolean"
          }
        }
      },
      "RouteInput": {
        "description": "The fields of a route. `guid` is ignored, so you can send back what you have read.",
        "type": "object",
        "properties": {
          "key": {
            "description": "Your own name for the route, unique among the routes of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.",
            "type": "string",
            "nullable": true,
            "example": "payments"
          },
          "name": {
            "description": "Name of the route, at most 100 characters.",
            "type": "string",
            "nullable": true,
            "example": "Payments at night"
          },
          "enabled": {
            "description": "Whether the route is enabled. A disabled route has no effect. Default: true.",
            "type": "boolean",
            "nullable": true
          },
          "scope": {
            "$ref": "#/components/schemas/Scope"
          },
          "events": {
            "description": "Groups of events to which the route applies. Absent or empty: all.",
            "type": "array",
            "nullable": true,
            "items": {
              "type": "string",
              "enum": [
                "down",
                "late",
                "up",
                "reminder",
                "degraded",
                "certificate",
                "unmonitored",
                "monitor_offline",
                "flapping",
                "report"
              ]
            }
          },
          "severity": {
            "description": "Severity of the alerts. Absent: the type of the event decides.",
            "type": "string",
            "nullable": true,
            "x-extensible-enum": [
              "critical",
              "warning",
              "info"
            ]
          },
          "delay_sec": {
            "description": "Number of seconds for which a problem must last before the first step, at most 172,800 (two days).",
            "type": "integer",
            "format": "int32",
            "nullable": true
          },
          "quiet": {
            "$ref": "#/components/schemas/QuietHoursInput"
          },
          "steps": {
            "description": "Steps that decide which channels are notified, and when. The first step notifies at once. Each later step notifies after its delay, unless someone has acknowledged the incident by then. At most ten steps.",
            "type": "array",
            "nullable": true,
            "items": {
              "$ref": "#/components/schemas/RouteStep"
            }
          }
        }
      },
      "RoutePlace": {
        "description": "A position in the list of routes.",
        "type": "object",
        "required": [
          "position"
        ],
        "properties": {
          "position": {
            "description": "New position of the route, starting at 1. If it is greater than the number of routes, the route moves to the end.",
            "type": "integer",
            "format": "int32",
            "minimum": 1,
            "maximum": 1000
          }
        }
      },
      "PreviewedChannel": {
        "description": "What happens to the alert for one channel.",
        "type": "object",
        "required": [
          "id",
          "name",
          "told",
          "why"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the channel.",
            "type": "string"
          },
          "name": {
            "description": "Name of the channel.",
            "type": "string"
          },
          "told": {
            "description": "Whether the channel would be notified now, later or never.",
            "type": "string",
            "x-extensible-enum": [
              "now",
              "later",
              "never"
            ]
          },
          "at": {
            "description": "Time at which the channel would be notified later. Absent if unknown, and for other channels.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T07:00:00.000000Z"
          },
          "severity": {
            "description": "Severity of the alert, as a route sets it. Absent: the type of the event decides.",
            "type": "string",
            "x-extensible-enum": [
              "critical",
              "warning",
              "info"
            ]
          },
          "why": {
            "description": "Reason, in a few words.",
            "type": "string",
            "example": "route \"Payments at night\""
          }
        }
      },
      "AlertPreview": {
        "description": "The channels that an alert would notify.",
        "type": "object",
        "required": [
          "channels"
        ],
        "properties": {
          "channels": {
            "description": "All enabled channels. The channels that would be notified come first, the earliest first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/PreviewedChannel"
            }
          },
          "disabled": {
            "description": "Names of the disabled channels, which receive nothing. Absent if there are none.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "held": {
            "description": "Reason why the alert would be withheld. Absent if it would not be.",
            "type": "string",
            "example": "maintenance until 14:00"
          }
        }
      },
      "ConfiguredMonitor": {
        "description": "An agent that runs checks from one location.",
        "type": "object",
        "required": [
          "id",
          "class",
          "name",
          "region",
          "country",
          "city",
          "enabled",
          "state"
        ],
        "properties": {
          "id": {
            "description": "Identifies the monitor.",
            "type": "string"
          },
          "class": {
            "description": "Whether the monitor is the organisation's own (`private`) or belongs to the shared fleet (`shared`).",
            "type": "string",
            "x-extensible-enum": [
              "private",
              "shared"
            ]
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
          "enabled": {
            "description": "False if the monitor is disabled and runs no checks.",
            "type": "boolean"
          },
          "disabled_by_platform": {
            "description": "True if the operator of the server has disabled the monitor. Absent otherwise.",
            "type": "boolean"
          },
          "state": {
            "description": "State of the monitor. `reset`: it waits for an agent to reclaim it. `unseen`: it has sent no request since it enrolled.",
            "type": "string",
            "x-extensible-enum": [
              "reset",
              "disabled",
              "unseen",
              "offline",
              "online"
            ]
          },
          "last_seen_at": {
            "description": "Time of the last request from the monitor. Absent if there was none.",
            "type": "string",
            "format": "date-time"
          },
          "version": {
            "description": "Version of the agent. Absent if the agent has not reported it, and for shared monitors.",
            "type": "string"
          }
        }
      },
      "MonitorPage": {
        "description": "One page of monitors.",
        "type": "object",
        "required": [
          "monitors"
        ],
        "properties": {
          "monitors": {
            "description": "At most `limit` monitors.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ConfiguredMonitor"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "RetiredMonitor": {
        "description": "The retired monitor.",
        "type": "object",
        "required": [
          "id"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the retired monitor.",
            "type": "string"
          }
        }
      },
      "MonitorInput": {
        "description": "The writable fields of a monitor.",
        "type": "object",
        "properties": {
          "name": {
            "description": "Name of the monitor. Default: empty. If an agent enrolls again as this monitor, the agent's name replaces this name.",
            "type": "string",
            "nullable": true,
            "example": "Frankfurt 1"
          },
          "enabled": {
            "description": "False disables the monitor, so it runs no checks. Default: true.",
            "type": "boolean",
            "nullable": true
          }
        }
      },
      "EnrollmentToken": {
        "description": "A token with which agents enroll.",
        "type": "object",
        "required": [
          "id",
          "created_at",
          "expires_at"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the token. It cannot be used to enroll.",
            "type": "string"
          },
          "created_at": {
            "description": "Time at which the token was created.",
            "type": "string",
            "format": "date-time"
          },
          "expires_at": {
            "description": "Time at which the token expires.",
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "EnrollmentTokens": {
        "description": "The valid enrollment tokens.",
        "type": "object",
        "required": [
          "enrollment_tokens"
        ],
        "properties": {
          "enrollment_tokens": {
            "description": "At most 500 tokens.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/EnrollmentToken"
            }
          }
        }
      },
      "EnrollmentTokenInput": {
        "description": "The settings of a new enrollment token.",
        "type": "object",
        "properties": {
          "ttl_sec": {
            "description": "Lifetime of the token in seconds, from 1 to 31,536,000. Default: 86,400, which is a day.",
            "type": "integer",
            "format": "int32",
            "nullable": true
          }
        }
      },
      "CreatedEnrollmentToken": {
        "description": "A new enrollment token, with its text.",
        "type": "object",
        "required": [
          "id",
          "token",
          "expires_at"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the token. It cannot be used to enroll.",
            "type": "string"
          },
          "token": {
            "description": "Text of the token, with which agents enroll. It is shown only once.",
            "type": "string",
            "example": "dogwatch_enroll_4fD0"
          },
          "expires_at": {
            "description": "Time at which the token expires.",
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "RevokedEnrollmentToken": {
        "description": "The revoked token.",
        "type": "object",
        "required": [
          "id"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the revoked token.",
            "type": "string"
          }
        }
      },
      "TagUse": {
        "description": "A tag, and the number of its uses.",
        "type": "object",
        "required": [
          "tag",
          "checks",
          "heartbeats",
          "routes",
          "maintenance_windows"
        ],
        "properties": {
          "tag": {
            "description": "The tag, in lower case.",
            "type": "string"
          },
          "checks": {
            "description": "Number of checks with the tag.",
            "type": "integer"
          },
          "heartbeats": {
            "description": "Number of heartbeats with the tag.",
            "type": "integer"
          },
          "routes": {
            "description": "Number of routes that apply to the tag.",
            "type": "integer"
          },
          "maintenance_windows": {
            "description": "Number of maintenance windows that apply to the tag.",
            "type": "integer"
          }
        }
      },
      "Tags": {
        "description": "The tags of the organisation.",
        "type": "object",
        "required": [
          "tags"
        ],
        "properties": {
          "tags": {
            "description": "All tags, in alphabetical order.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/TagUse"
            }
          }
        }
      },
      "DeletedTag": {
        "description": "The removed tag.",
        "type": "object",
        "required": [
          "tag"
        ],
        "properties": {
          "tag": {
            "description": "The removed tag.",
            "type": "string"
          }
        }
      },
      "TagInput": {
        "description": "The new name of a tag.",
        "type": "object",
        "required": [
          "tag"
        ],
        "properties": {
          "tag": {
            "description": "The new tag: 1 to 50 characters without commas.",
            "type": "string",
            "maxLength": 200,
            "example": "webshop"
          }
        }
      },
      "Channel": {
        "description": "A receiver of alerts, without secrets. `secrets` lists the secrets that are set.",
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
            "type": "string",
            "example": "12"
          },
          "key": {
            "$ref": "#/components/schemas/Key"
          },
          "name": {
            "description": "Name of the channel.",
            "type": "string"
          },
          "kind": {
            "description": "Kind of the channel, which decides the fields of `destination`.",
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
          "destination": {
            "description": "Fields of the destination, without secrets. `ChannelInput` lists the fields of each kind.",
            "type": "object",
            "additionalProperties": {
              "type": "string"
            },
            "example": {
              "telegram_chat": "-100123"
            }
          },
          "secrets": {
            "description": "Names of the secret fields of `destination` that are set, in alphabetical order. Absent if there are none.",
            "type": "array",
            "items": {
              "type": "string"
            },
            "example": [
              "telegram_token"
            ]
          },
          "unconfirmed": {
            "description": "True while the owner of the email address has not confirmed that alerts may be sent to it. Absent otherwise.",
            "type": "boolean"
          },
          "gone_at": {
            "description": "Time at which the receiver responded that it no longer exists, so the channel was disabled. Absent otherwise.",
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "ChannelPage": {
        "description": "One page of channels.",
        "type": "object",
        "required": [
          "channels"
        ],
        "properties": {
          "channels": {
            "description": "At most `limit` channels.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Channel"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "ChannelInput": {
        "description": "The writable fields of a channel. Other fields of `Channel` are ignored, so you can send back what you have read.",
        "type": "object",
        "properties": {
          "key": {
            "description": "Your own name for the channel, unique among the channels of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.",
            "type": "string",
            "nullable": true,
            "example": "ops-chat"
          },
          "name": {
            "description": "Name of the channel.",
            "type": "string",
            "nullable": true,
            "example": "Ops chat"
          },
          "kind": {
            "description": "Kind of the channel, which decides the fields of `destination`. It cannot be changed later. `Channel` lists the kinds; the plan decides which kinds are allowed.",
            "type": "string",
            "nullable": true,
            "example": "telegram"
          },
          "enabled": {
            "description": "False disables the channel, so it receives nothing. Default: true.",
            "type": "boolean",
            "nullable": true
          },
          "destination": {
            "description": "Fields of the destination. Null or an empty string removes a field. Responses never contain secrets.\n\n- `ntfy`: `ntfy_topic`, `grouping` (optional)\n- `email`: `email`, `grouping` (optional)\n- `webhook`: `webhook_url` (secret), `webhook_secret` (secret, optional)\n- `slack`: `webhook_url` (secret), `grouping` (optional)\n- `discord`: `discord_url` (secret), `grouping` (optional)\n- `teams`: `teams_url` (secret), `grouping` (optional)\n- `telegram`: `telegram_chat`, `telegram_token` (secret), `telegram_topic` (optional), `grouping` (optional)\n- `pagerduty`: `pagerduty_key` (secret), `pagerduty_region` (optional)\n- `opsgenie`: `opsgenie_key` (secret), `opsgenie_region` (optional)\n- `pushover`: `pushover_user` (secret), `pushover_token` (secret), `pushover_device` (optional), `grouping` (optional)\n- `gotify`: `gotify_url` (secret), `gotify_token` (secret), `grouping` (optional)\n- `mattermost`: `mattermost_url` (secret), `grouping` (optional)\n- `google-chat`: `google_chat_url` (secret), `grouping` (optional)\n- `matrix`: `matrix_room`, `matrix_url` (secret), `matrix_token` (secret), `grouping` (optional)\n- `zulip`: `zulip_channel`, `zulip_url` (secret), `zulip_email`, `zulip_key` (secret), `zulip_topic` (optional), `grouping` (optional)\n- `twilio-sms`: `twilio_to`, `twilio_from`, `twilio_account`, `twilio_token` (secret), `grouping` (optional)\n- `twilio-voice`: `twilio_to`, `twilio_from`, `twilio_account`, `twilio_token` (secret), `grouping` (optional)\n- `signal`: `signal_to`, `signal_from`, `signal_url` (secret), `grouping` (optional)\n- `webhook-template`: `template_url` (secret), `template_method` (optional), `template_headers` (secret, optional), `template_body` (secret)\n- `alertmanager`: `alertmanager_url` (secret), `alertmanager_token` (secret, optional)\n- `syslog`: `syslog_url` (secret), `syslog_facility` (optional)\n- `apprise`: `apprise_url` (secret), `apprise_key` (secret), `apprise_tag` (optional), `grouping` (optional)\n",
            "type": "object",
            "nullable": true,
            "additionalProperties": {
              "type": "string",
              "nullable": true
            },
            "example": {
              "telegram_chat": "-100123",
              "telegram_token": "123456:AA-example"
            }
          }
        }
      },
      "DeletedChannel": {
        "description": "The deleted channel.",
        "type": "object",
        "required": [
          "id"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the deleted channel.",
            "type": "string"
          }
        }
      },
      "ChannelTest": {
        "description": "A test message that is queued.",
        "type": "object",
        "required": [
          "delivery",
          "state"
        ],
        "properties": {
          "delivery": {
            "description": "Identifier of the delivery, for `GET /deliveries/{delivery}`.",
            "type": "string"
          },
          "state": {
            "description": "State of the delivery.",
            "type": "string",
            "x-extensible-enum": [
              "queued"
            ]
          }
        }
      },
      "ConfirmationAsked": {
        "description": "The recipient of the confirmation email.",
        "type": "object",
        "required": [
          "email"
        ],
        "properties": {
          "email": {
            "description": "The address of the channel.",
            "type": "string",
            "example": "ops@example.com"
          }
        }
      },
      "DeliveryChannel": {
        "description": "The channel that receives the alert.",
        "type": "object",
        "required": [
          "id",
          "name"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the channel.",
            "type": "string"
          },
          "name": {
            "description": "Name of the channel.",
            "type": "string"
          }
        }
      },
      "Delivery": {
        "description": "The delivery of an alert to one channel.",
        "type": "object",
        "required": [
          "id",
          "event",
          "channel",
          "state",
          "attempts",
          "created_at"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the delivery.",
            "type": "string",
            "example": "31"
          },
          "event": {
            "description": "Type of the event.",
            "type": "string",
            "example": "check.down"
          },
          "names": {
            "description": "Names of the checks, heartbeats or monitors that the alert is about, at most eleven. Absent if there are none, or if the token cannot read them.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "incident": {
            "description": "Identifier of the incident that the alert is about. Absent if there is none, or if the token cannot read incidents.",
            "type": "string"
          },
          "channel": {
            "$ref": "#/components/schemas/DeliveryChannel"
          },
          "state": {
            "description": "`pending`, `delivered` or `failed`. `superseded`: the alert was no longer true when it was due. `summarised`: a summary of many alerts replaced it. `unconfirmed`: it waits until the owner of the address confirms the address.",
            "type": "string",
            "x-extensible-enum": [
              "pending",
              "delivered",
              "failed",
              "superseded",
              "summarised",
              "unconfirmed"
            ]
          },
          "attempts": {
            "description": "Number of attempts so far.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "created_at": {
            "description": "Time at which the delivery was queued.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:01.000000Z"
          },
          "next_attempt_at": {
            "description": "Time of the next attempt. Absent unless the delivery is pending.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:01:01.000000Z"
          },
          "last_attempt_at": {
            "description": "Time of the last attempt. Absent if there was none.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:02.000000Z"
          },
          "last_status": {
            "description": "Status code of the last http response. Absent if there was none.",
            "type": "integer",
            "format": "int32"
          },
          "last_latency_ms": {
            "description": "Duration of the last attempt in milliseconds. Absent if there was none.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "last_error": {
            "description": "Error of the last attempt. Absent if the attempt succeeded.",
            "type": "string"
          }
        }
      },
      "DeliveryPage": {
        "description": "One page of deliveries.",
        "type": "object",
        "required": [
          "deliveries"
        ],
        "properties": {
          "deliveries": {
            "description": "At most `limit` deliveries, newest first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Delivery"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "ConfiguredHeartbeat": {
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
          "key": {
            "$ref": "#/components/schemas/Key"
          },
          "name": {
            "description": "Name of the heartbeat.",
            "type": "string"
          },
          "interval_sec": {
            "description": "Maximum number of seconds between two pings, without the grace period. With `cron`, the longest time between two of its times.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "grace_sec": {
            "description": "Number of seconds by which a ping can be late.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "cron": {
            "description": "Cron expression of the times at which a ping is expected. Absent if a ping is expected every `interval_sec`.",
            "type": "string",
            "example": "30 2 * * 1-5"
          },
          "cron_zone": {
            "description": "Time zone of `cron`. Absent without `cron`.",
            "type": "string",
            "example": "Europe/Paris"
          },
          "resend_interval_sec": {
            "description": "Number of seconds between reminders while the heartbeat is down. Absent: no reminders.",
            "type": "integer",
            "format": "int32",
            "minimum": 0
          },
          "tags": {
            "description": "Tags of the heartbeat, for searching and for routing alerts: in lower case, in alphabetical order. Absent if there are none.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "enabled": {
            "description": "False if the heartbeat is paused.",
            "type": "boolean"
          },
          "disabled_by_platform": {
            "description": "True if the operator of the server has disabled the heartbeat. Absent otherwise.",
            "type": "boolean"
          },
          "show_on_status_page": {
            "description": "Whether the public status page shows the heartbeat. To change this, change the entries of the status page.",
            "type": "boolean"
          },
          "state": {
            "description": "Stored state of the heartbeat. It can be stale while the heartbeat is paused, because a paused heartbeat is not judged.",
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
          }
        }
      },
      "HeartbeatPage": {
        "description": "One page of heartbeats.",
        "type": "object",
        "required": [
          "heartbeats"
        ],
        "properties": {
          "heartbeats": {
            "description": "At most `limit` heartbeats.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/ConfiguredHeartbeat"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "HeartbeatInput": {
        "description": "The writable fields of a heartbeat. Other fields of `ConfiguredHeartbeat` are ignored, so you can send back what you have read.",
        "type": "object",
        "properties": {
          "key": {
            "description": "Your own name for the heartbeat, unique among the heartbeats of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.",
            "type": "string",
            "nullable": true,
            "example": "nightly-backup"
          },
          "name": {
            "description": "Name of the heartbeat.",
            "type": "string",
            "nullable": true,
            "example": "Nightly backup"
          },
          "interval_sec": {
            "description": "Maximum number of seconds between two pings, from 1 to 31,536,000. Omit it if you send `cron`, which then decides it.",
            "type": "integer",
            "format": "int32",
            "nullable": true
          },
          "grace_sec": {
            "description": "Number of seconds by which a ping can be late, from 0 to 31,536,000. Default: 3600.",
            "type": "integer",
            "format": "int32",
            "nullable": true
          },
          "cron": {
            "description": "Cron expression of the times at which a ping is expected: minute, hour, day of month, month, day of week. Or one of `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly`. The times are those at which Debian's cron starts a job, including on days when clocks change. Null or absent: a ping is expected every `interval_sec`.",
            "type": "string",
            "nullable": true,
            "example": "30 2 * * 1-5"
          },
          "cron_zone": {
            "description": "Time zone of `cron`. Default: `UTC`.",
            "type": "string",
            "nullable": true,
            "example": "Europe/Paris"
          },
          "resend_interval_sec": {
            "description": "Number of seconds between reminders while the heartbeat is down. Default: 0, which means no reminders.",
            "type": "integer",
            "format": "int32",
            "nullable": true
          },
          "tags": {
            "description": "Tags of the heartbeat, for searching and for routing alerts.",
            "type": "array",
            "nullable": true,
            "items": {
              "type": "string"
            }
          },
          "enabled": {
            "description": "False pauses the heartbeat. Default: true.",
            "type": "boolean",
            "nullable": true
          }
        }
      },
      "CreatedHeartbeat": {
        "description": "A new heartbeat, with its ping URL.",
        "allOf": [
          {
            "$ref": "#/components/schemas/ConfiguredHeartbeat"
          },
          {
            "type": "object",
            "required": [
              "ping_url"
            ],
            "properties": {
              "ping_url": {
                "description": "URL that the job must request. It is a secret.",
                "type": "string",
                "example": "https://dogwatch.example.com/ping/dogwatch_beat_4fD0"
              }
            }
          }
        ]
      },
      "PingUrl": {
        "description": "URL of a heartbeat that the job must request.",
        "type": "object",
        "required": [
          "ping_url"
        ],
        "properties": {
          "ping_url": {
            "description": "The URL. It is a secret. `GET`, `HEAD` and `POST` requests have the same effect.",
            "type": "string",
            "example": "https://dogwatch.example.com/ping/dogwatch_beat_4fD0"
          }
        }
      },
      "MaintenanceWindow": {
        "description": "A period, once or repeated, in which alerts are withheld. Responses to changes contain no `state`.",
        "type": "object",
        "required": [
          "guid",
          "name",
          "scope",
          "starts_at",
          "duration_sec",
          "zone"
        ],
        "properties": {
          "guid": {
            "description": "Identifier of the maintenance window.",
            "type": "string"
          },
          "key": {
            "$ref": "#/components/schemas/Key"
          },
          "name": {
            "description": "Name of the maintenance window, at most 100 characters.",
            "type": "string",
            "example": "Database upgrade"
          },
          "scope": {
            "$ref": "#/components/schemas/Scope"
          },
          "starts_at": {
            "description": "First start of the window, as local time in `zone`.",
            "type": "string",
            "example": "2026-11-23T02:00"
          },
          "duration_sec": {
            "description": "Duration of the window in seconds, from 60 to 2,592,000 (30 days).",
            "type": "integer",
            "format": "int32",
            "example": 3600
          },
          "zone": {
            "description": "Time zone of `starts_at` and `rule`.",
            "type": "string",
            "example": "Europe/Paris"
          },
          "rule": {
            "description": "Recurrence rule of RFC 5545, without its start. Absent: the window does not repeat.",
            "type": "string",
            "example": "FREQ=WEEKLY;BYDAY=SA"
          },
          "is_public": {
            "description": "Whether the status page announces the window.",
            "type": "boolean"
          },
          "state": {
            "description": "Whether the window is current (`running`), in the future (`announced`) or in the past (`over`).",
            "type": "string",
            "x-extensible-enum": [
              "running",
              "announced",
              "over"
            ]
          },
          "begins_at": {
            "description": "Start of the current or next occurrence; for a past window, of the last one. Absent if the window never occurred.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-23T01:00:00.000000Z"
          },
          "ends_at": {
            "description": "End of the same occurrence.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-23T02:00:00.000000Z"
          }
        }
      },
      "MaintenanceWindowPage": {
        "description": "One page of maintenance windows.",
        "type": "object",
        "required": [
          "windows"
        ],
        "properties": {
          "windows": {
            "description": "At most `limit` maintenance windows.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/MaintenanceWindow"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "MaintenanceWindowInput": {
        "description": "The fields of a maintenance window. `guid`, `state`, `begins_at` and `ends_at` are ignored, so you can send back what you have read.",
        "type": "object",
        "properties": {
          "key": {
            "description": "Your own name for the window, unique among the maintenance windows of the organisation: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Absent: the key does not change. Null: the key is removed.",
            "type": "string",
            "nullable": true,
            "example": "nightly"
          },
          "name": {
            "description": "Name of the maintenance window, at most 100 characters.",
            "type": "string",
            "nullable": true,
            "example": "Database upgrade"
          },
          "scope": {
            "$ref": "#/components/schemas/Scope"
          },
          "starts_at": {
            "description": "First start of the window, as local time in `zone`.",
            "type": "string",
            "nullable": true,
            "example": "2026-11-23T02:00"
          },
          "duration_sec": {
            "description": "Duration of the window in seconds, from 60 to 2,592,000 (30 days).",
            "type": "integer",
            "format": "int32",
            "nullable": true,
            "example": 3600
          },
          "zone": {
            "description": "Time zone of `starts_at` and `rule`. Default: `UTC`.",
            "type": "string",
            "nullable": true,
            "example": "Europe/Paris"
          },
          "rule": {
            "description": "Recurrence rule of RFC 5545, without its start. Absent: the window does not repeat.",
            "type": "string",
            "nullable": true,
            "example": "FREQ=WEEKLY;BYDAY=SA"
          },
          "is_public": {
            "description": "Whether the status page announces the window.",
            "type": "boolean",
            "nullable": true
          }
        }
      },
      "RunResult": {
        "description": "Outcome of the run. Absent unless `state` is `done`. For a private definition, it contains only the verdict and its numbers.",
        "type": "object",
        "properties": {
          "success": {
            "description": "Whether the run passed. Absent if there is no verdict; `not_run` then contains the reason.",
            "type": "boolean"
          },
          "not_run": {
            "description": "Reason why there is no verdict. Absent if there is a verdict.",
            "type": "string",
            "x-extensible-enum": [
              "unknown_check",
              "no_verdict",
              "busy"
            ]
          },
          "ran_at": {
            "description": "Start time of the run.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.000000Z"
          },
          "kind": {
            "description": "`ok`, the rule that failed, or the kind of error, such as `status` or `timeout`.",
            "type": "string",
            "example": "timeout"
          },
          "error": {
            "description": "Reason for the failure, in one line. Absent if the run passed.",
            "type": "string"
          },
          "http_status": {
            "description": "Status code of the last http response. Absent if there was none.",
            "type": "integer",
            "format": "int32"
          },
          "latency_ms": {
            "description": "Response time in milliseconds.",
            "type": "integer",
            "format": "int32"
          },
          "address": {
            "description": "Last IP address to which the monitor connected.",
            "type": "string"
          },
          "certificate_days": {
            "description": "Number of whole days until the certificate that expires first. Negative if it has expired. Absent if the target presented no certificate.",
            "type": "integer",
            "format": "int32"
          },
          "redirects": {
            "description": "URLs of the redirects, in order. Absent if there was no redirect.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "assertions": {
            "description": "Outcomes of the `assertions` of the check, in their order. Absent if they were not judged.",
            "type": "array",
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
                  "example": "\"down\""
                }
              }
            }
          },
          "response_sample": {
            "description": "First characters of the response. Absent if there are none.",
            "type": "string"
          }
        }
      },
      "Run": {
        "description": "A requested run and its outcome.",
        "type": "object",
        "required": [
          "id",
          "monitor_id",
          "state"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the run.",
            "type": "string"
          },
          "monitor_id": {
            "description": "Identifier of the monitor that runs the check.",
            "type": "string"
          },
          "monitor_name": {
            "description": "Name of the monitor. Absent if it has none, and in the response to the request for a run.",
            "type": "string"
          },
          "state": {
            "description": "`waiting`: the monitor has not reported yet. `done`: the monitor has reported. `lost`: the monitor has not reported within two minutes, and no report will follow.",
            "type": "string",
            "x-extensible-enum": [
              "waiting",
              "done",
              "lost"
            ]
          },
          "result": {
            "$ref": "#/components/schemas/RunResult"
          }
        }
      },
      "AuditEntry": {
        "description": "One change, or several changes that were counted together.",
        "type": "object",
        "required": [
          "id",
          "created_at",
          "actor",
          "action",
          "subject"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the entry. Later entries have larger ids.",
            "type": "integer",
            "format": "int64"
          },
          "created_at": {
            "description": "Time of the change; with `times`, of the first change.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.000000Z"
          },
          "actor": {
            "description": "Email address of the person who made the change; `operator` for the operator of the server, or `dogwatch` for the server itself.",
            "type": "string",
            "example": "ann@example.com"
          },
          "impersonator": {
            "description": "Email address of the admin who was logged in as `actor`. Absent if there was none.",
            "type": "string"
          },
          "action": {
            "description": "Type of the change.",
            "type": "string",
            "example": "check.edit"
          },
          "subject": {
            "description": "Name of the changed resource at the time of the change. With `times`, the name in the last change.",
            "type": "string",
            "example": "Shop"
          },
          "detail": {
            "description": "Further details, which depend on `action`. Absent if there are none.",
            "type": "object",
            "additionalProperties": true
          },
          "times": {
            "description": "Number of changes that this entry counts. Absent for a single change.",
            "type": "integer",
            "format": "int64"
          },
          "last_at": {
            "description": "Time of the last counted change. Absent for a single change.",
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "AuditPage": {
        "description": "One page of the audit log.",
        "type": "object",
        "required": [
          "entries"
        ],
        "properties": {
          "entries": {
            "description": "At most `limit` entries.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/AuditEntry"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "StatusPageEntry": {
        "description": "An entry of the status page: either a check or a heartbeat.",
        "type": "object",
        "required": [
          "public_name"
        ],
        "properties": {
          "check": {
            "description": "The check, by guid or `key:NAME`. Responses contain guids.",
            "type": "string",
            "maxLength": 68
          },
          "heartbeat": {
            "description": "The heartbeat, by guid or `key:NAME`. Responses contain guids.",
            "type": "string",
            "maxLength": 68
          },
          "public_name": {
            "description": "Name that the public sees, at most 100 characters. Absent: the name of the check or heartbeat.",
            "type": "string",
            "example": "Shop"
          }
        }
      },
      "StatusPage": {
        "description": "The public status page.",
        "type": "object",
        "required": [
          "slug",
          "title",
          "enabled",
          "entries"
        ],
        "properties": {
          "slug": {
            "description": "Last part of the address, `/status/SLUG`: 3 to 40 lower-case letters, digits and hyphens.",
            "type": "string",
            "example": "acme"
          },
          "title": {
            "description": "Title of the page, at most 100 characters.",
            "type": "string",
            "example": "Acme"
          },
          "description": {
            "description": "Text below the title, at most 1,000 characters.",
            "type": "string"
          },
          "enabled": {
            "description": "Whether the public can see the page.",
            "type": "boolean"
          },
          "entries": {
            "description": "Checks and heartbeats that the page shows, in this order.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/StatusPageEntry"
            }
          }
        }
      },
      "StatusPageInput": {
        "description": "The new content of the status page.",
        "type": "object",
        "required": [
          "slug",
          "title",
          "entries"
        ],
        "properties": {
          "slug": {
            "description": "Last part of the address, `/status/SLUG`: 3 to 40 lower-case letters, digits and hyphens.",
            "type": "string",
            "example": "acme"
          },
          "title": {
            "description": "Title of the page, at most 100 characters.",
            "type": "string",
            "example": "Acme"
          },
          "description": {
            "description": "Text below the title, at most 1,000 characters.",
            "type": "string"
          },
          "enabled": {
            "description": "Whether the public can see the page.",
            "type": "boolean"
          },
          "entries": {
            "description": "Checks and heartbeats that the page shows, in this order.",
            "type": "array",
            "maxItems": 5000,
            "items": {
              "$ref": "#/components/schemas/StatusPageEntry"
            }
          }
        }
      },
      "SummaryTotal": {
        "description": "Figures of the whole range.",
        "type": "object",
        "required": [
          "runs",
          "failures",
          "total_sec",
          "up_sec",
          "failing_sec",
          "unknown_sec",
          "paused_sec",
          "maintenance_sec"
        ],
        "properties": {
          "runs": {
            "description": "Number of results, without results during maintenance.",
            "type": "integer",
            "format": "int32"
          },
          "failures": {
            "description": "Number of failures among `runs`.",
            "type": "integer",
            "format": "int32"
          },
          "uptime": {
            "description": "Percentage of the runs that passed, rounded down to two decimals. Absent if there were no runs.",
            "type": "number"
          },
          "coverage": {
            "description": "Percentage of the due runs whose results arrived. Absent if no run was due.",
            "type": "number"
          },
          "total_sec": {
            "description": "Length of the range in seconds, not before the check existed. It is the sum of the five following times.",
            "type": "integer",
            "format": "int32"
          },
          "up_sec": {
            "description": "Number of seconds for which the check was up: the share of passed runs in the monitored time.",
            "type": "integer",
            "format": "int32"
          },
          "failing_sec": {
            "description": "Number of seconds for which the check was failing: the rest of the monitored time.",
            "type": "integer",
            "format": "int32"
          },
          "unknown_sec": {
            "description": "Number of seconds for which the check was due but not monitored.",
            "type": "integer",
            "format": "int32"
          },
          "paused_sec": {
            "description": "Number of seconds for which the check was not due.",
            "type": "integer",
            "format": "int32"
          },
          "maintenance_sec": {
            "description": "Number of seconds for which the check was under maintenance.",
            "type": "integer",
            "format": "int32"
          },
          "mean_ms": {
            "description": "Mean response time of the successes in milliseconds. Absent if there were none.",
            "type": "integer",
            "format": "int32"
          },
          "max_ms": {
            "description": "Longest response time of the successes in milliseconds. Absent if there were none.",
            "type": "integer",
            "format": "int32"
          },
          "p50_ms": {
            "description": "Median response time of the successes in milliseconds, with an error of at most 2 %. Absent if there were none, or if\na server of an earlier version summarised a part of the range.\n",
            "type": "integer",
            "format": "int32"
          },
          "p95_ms": {
            "description": "95th percentile of the response times of the successes, in milliseconds. Precision and absence are those of `p50_ms`.",
            "type": "integer",
            "format": "int32"
          }
        }
      },
      "SummaryStep": {
        "description": "Figures of one step.",
        "type": "object",
        "required": [
          "at",
          "runs",
          "failures"
        ],
        "properties": {
          "at": {
            "description": "Start of the step.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T09:00:00.000000Z"
          },
          "runs": {
            "description": "Number of results, without results during maintenance.",
            "type": "integer",
            "format": "int32"
          },
          "failures": {
            "description": "Number of failures among `runs`.",
            "type": "integer",
            "format": "int32"
          },
          "uptime": {
            "description": "Percentage of the runs that passed, rounded down to two decimals. Absent if there were no runs.",
            "type": "number"
          },
          "coverage": {
            "description": "Percentage of the due runs whose results arrived. Absent if no run was due.",
            "type": "number"
          },
          "unknown_sec": {
            "description": "Number of seconds for which the check was due but not monitored. Absent means 0.",
            "type": "integer",
            "format": "int32"
          },
          "maintenance_sec": {
            "description": "Number of seconds for which the check was under maintenance. Absent means 0.",
            "type": "integer",
            "format": "int32"
          },
          "mean_ms": {
            "description": "Mean response time of the successes in milliseconds. Absent if there were none.",
            "type": "integer",
            "format": "int32"
          },
          "max_ms": {
            "description": "Longest response time of the successes in milliseconds. Absent if there were none.",
            "type": "integer",
            "format": "int32"
          },
          "p50_ms": {
            "description": "Median response time of the successes in milliseconds. It is exact for steps of an hour and ranges of at most eight\ndays; otherwise, the error is at most 2 %. Absent if there were no successes, or if a server of an earlier version\nsummarised the step.\n",
            "type": "integer",
            "format": "int32"
          },
          "p95_ms": {
            "description": "95th percentile of the response times of the successes, in milliseconds. Precision and absence are those of `p50_ms`.",
            "type": "integer",
            "format": "int32"
          }
        }
      },
      "CheckSummary": {
        "description": "Uptime and response times of a check over a range.",
        "type": "object",
        "required": [
          "guid",
          "name",
          "since",
          "until",
          "step",
          "total",
          "steps"
        ],
        "properties": {
          "guid": {
            "description": "The check.",
            "type": "string"
          },
          "key": {
            "$ref": "#/components/schemas/Key"
          },
          "name": {
            "description": "Name of the check.",
            "type": "string"
          },
          "since": {
            "description": "Start of the range.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-19T10:00:00.000000Z"
          },
          "until": {
            "description": "End of the range.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.000000Z"
          },
          "step": {
            "description": "Length of a step.",
            "type": "string",
            "x-extensible-enum": [
              "hour",
              "day"
            ]
          },
          "total": {
            "$ref": "#/components/schemas/SummaryTotal"
          },
          "steps": {
            "description": "The steps, oldest first. The first step is not before the check existed, or before the oldest stored results.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/SummaryStep"
            }
          }
        }
      },
      "SummaryOfCheck": {
        "description": "The totals of one check over the range.",
        "type": "object",
        "required": [
          "guid",
          "name",
          "total"
        ],
        "properties": {
          "guid": {
            "description": "The check.",
            "type": "string"
          },
          "key": {
            "$ref": "#/components/schemas/Key"
          },
          "name": {
            "description": "Name of the check.",
            "type": "string"
          },
          "total": {
            "$ref": "#/components/schemas/SummaryTotal"
          }
        }
      },
      "SummaryPage": {
        "description": "The totals of many checks over a range.",
        "type": "object",
        "required": [
          "since",
          "until",
          "summaries"
        ],
        "properties": {
          "since": {
            "description": "Start of the range.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-19T10:00:00.000000Z"
          },
          "until": {
            "description": "End of the range.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.000000Z"
          },
          "summaries": {
            "description": "At most `limit` checks.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/SummaryOfCheck"
            }
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "Incident": {
        "description": "A period in which a check or heartbeat was down.",
        "type": "object",
        "required": [
          "id",
          "kind",
          "guid",
          "name",
          "began_at",
          "cause"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the incident.",
            "type": "string"
          },
          "kind": {
            "description": "Whether the incident is about a check or a heartbeat.",
            "type": "string",
            "x-extensible-enum": [
              "check",
              "heartbeat"
            ]
          },
          "guid": {
            "description": "Guid of the check or heartbeat.",
            "type": "string"
          },
          "name": {
            "description": "Current name of the check or heartbeat.",
            "type": "string"
          },
          "began_at": {
            "description": "Time at which the incident began.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.000000Z"
          },
          "ended_at": {
            "description": "Time at which the incident ended. Absent while the incident is open.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:05:00.000000Z"
          },
          "end_reason": {
            "description": "Reason for the end. `recovered`: the target recovered. `threshold`: the check is no longer down under its current rules. `disabled` or `deleted`: the check or heartbeat was disabled or deleted. Absent while the incident is open.",
            "type": "string",
            "x-extensible-enum": [
              "recovered",
              "threshold",
              "disabled",
              "deleted"
            ]
          },
          "cause": {
            "description": "Cause of the failure, in a few words.",
            "type": "string",
            "example": "timeout: no answer within 10 s"
          },
          "verdict": {
            "description": "Rule by which the check was down. Absent for a heartbeat, and if it was not recorded.",
            "type": "string",
            "example": "failing from 2 of 3 monitors for 2 min"
          },
          "held": {
            "description": "When the alert will be sent, in words. Absent if no alert is waiting, or the incident has ended.",
            "type": "string",
            "example": "after the quiet hours"
          },
          "acknowledged_at": {
            "description": "Time of the acknowledgement. Absent if the incident is not acknowledged.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:02:00.000000Z"
          },
          "acknowledged_by": {
            "description": "Who acknowledged the incident. Absent if it is not acknowledged.",
            "type": "string",
            "example": "ann@example.com (token on call)"
          }
        }
      },
      "IncidentPage": {
        "description": "One page of incidents.",
        "type": "object",
        "required": [
          "incidents",
          "open"
        ],
        "properties": {
          "incidents": {
            "description": "At most `limit` incidents.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/Incident"
            }
          },
          "open": {
            "description": "Number of open incidents in the whole organisation.",
            "type": "integer",
            "format": "int32"
          },
          "next": {
            "description": "Value to send as `after` for the next page. Absent on the last page.",
            "type": "string"
          }
        }
      },
      "IncidentFailure": {
        "description": "The failure with which the incident began. Absent for a heartbeat, and if the result is no longer stored.",
        "type": "object",
        "required": [
          "ran_at",
          "monitor_id",
          "latency_ms"
        ],
        "properties": {
          "ran_at": {
            "description": "Start time of the run.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T09:59:30.000000Z"
          },
          "monitor_id": {
            "description": "Identifier of the monitor that ran the check.",
            "type": "string"
          },
          "monitor_name": {
            "description": "Name of the monitor. Absent if it has none.",
            "type": "string"
          },
          "latency_ms": {
            "description": "Response time in milliseconds.",
            "type": "integer",
            "format": "int32"
          },
          "http_status": {
            "description": "Status code of the http response. Absent if there was none.",
            "type": "integer",
            "format": "int32"
          },
          "error": {
            "description": "Reason for the failure.",
            "type": "string"
          },
          "response_sample": {
            "description": "First characters of the response. Absent if there are none.",
            "type": "string"
          }
        }
      },
      "IncidentPing": {
        "description": "The ping with which the job reported its failure. Absent for a check, and if no such ping is stored.",
        "type": "object",
        "properties": {
          "exit_code": {
            "description": "Exit code that the job reported. Absent if it reported none.",
            "type": "integer",
            "format": "int32"
          },
          "body": {
            "description": "Body of the ping. Absent if it was empty.",
            "type": "string"
          }
        }
      },
      "IncidentMonitor": {
        "description": "Results of one monitor until the check went down.",
        "type": "object",
        "required": [
          "id",
          "last_at"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the monitor.",
            "type": "string"
          },
          "name": {
            "description": "Name of the monitor. Absent if it has none.",
            "type": "string"
          },
          "failing_since": {
            "description": "Time of the first of its consecutive failures. Absent if its last result was a success.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T09:59:30.000000Z"
          },
          "failures": {
            "description": "Number of consecutive failures. Absent if its last result was a success.",
            "type": "integer",
            "format": "int32"
          },
          "last_at": {
            "description": "Time of its last result.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.000000Z"
          }
        }
      },
      "IncidentEntry": {
        "description": "One entry of the timeline.",
        "type": "object",
        "required": [
          "at",
          "kind",
          "title"
        ],
        "properties": {
          "at": {
            "description": "Time of the entry. For a planned entry, the expected time.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:00.000000Z"
          },
          "kind": {
            "description": "Kind of the entry: a failure (`bad`), a warning (`warn`), a recovery (`good`), an alert (`told`), or an action of a person (`said`).",
            "type": "string",
            "x-extensible-enum": [
              "bad",
              "warn",
              "good",
              "told",
              "said"
            ]
          },
          "title": {
            "description": "Event, in one sentence.",
            "type": "string",
            "example": "Down alert delivered to Ops"
          },
          "lines": {
            "description": "Further details, one per line. Absent if there are none.",
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "planned": {
            "description": "True if the entry is in the future. Absent otherwise.",
            "type": "boolean"
          }
        }
      },
      "IncidentNote": {
        "description": "A note on an incident.",
        "type": "object",
        "required": [
          "id",
          "created_at",
          "author",
          "note"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the note.",
            "type": "integer",
            "format": "int64"
          },
          "created_at": {
            "description": "Time at which the note was written.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:10:00.000000Z"
          },
          "author": {
            "description": "Author of the note.",
            "type": "string",
            "example": "ann@example.com (token on call)"
          },
          "note": {
            "description": "Text of the note.",
            "type": "string"
          },
          "edited_at": {
            "description": "Time of the last change. Absent if the note was never changed.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:20:00.000000Z"
          }
        }
      },
      "IncidentPostmortem": {
        "description": "Report that people write after an incident. Absent if there is none.",
        "type": "object",
        "required": [
          "text",
          "edited_at",
          "edited_by"
        ],
        "properties": {
          "text": {
            "description": "Text in Markdown.",
            "type": "string"
          },
          "edited_at": {
            "description": "Time of the last change.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-21T10:00:00.000000Z"
          },
          "edited_by": {
            "description": "Who made the last change.",
            "type": "string"
          }
        }
      },
      "IncidentNeighbour": {
        "description": "Another incident that began at about the same time.",
        "type": "object",
        "required": [
          "id",
          "kind",
          "guid",
          "name",
          "began_at"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the other incident.",
            "type": "string"
          },
          "kind": {
            "description": "Whether the incident is about a check or a heartbeat.",
            "type": "string",
            "x-extensible-enum": [
              "check",
              "heartbeat"
            ]
          },
          "guid": {
            "description": "Guid of its check or heartbeat.",
            "type": "string"
          },
          "name": {
            "description": "Name of its check or heartbeat.",
            "type": "string"
          },
          "began_at": {
            "description": "Time at which the incident began.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:00:10.000000Z"
          },
          "ended_at": {
            "description": "Time at which the incident ended. Absent while the incident is open.",
            "type": "string",
            "format": "date-time",
            "example": "2026-11-20T10:05:10.000000Z"
          }
        }
      },
      "IncidentInDetail": {
        "description": "An incident with all its details.",
        "allOf": [
          {
            "$ref": "#/components/schemas/Incident"
          },
          {
            "type": "object",
            "properties": {
              "tags": {
                "description": "Current tags of the check or heartbeat. Absent if there are none.",
                "type": "array",
                "items": {
                  "type": "string"
                }
              },
              "private_definition": {
                "description": "True if the check has a private definition, so only the kind of failure is known. Absent otherwise.",
                "type": "boolean"
              },
              "failure": {
                "$ref": "#/components/schemas/IncidentFailure"
              },
              "ping": {
                "$ref": "#/components/schemas/IncidentPing"
              },
              "monitors": {
                "description": "Results of each monitor of the check until the check went down. Monitors that failed come first.",
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/IncidentMonitor"
                }
              },
              "muted_until": {
                "description": "End of the mute of the check or heartbeat. Absent if it is not muted.",
                "type": "string",
                "format": "date-time",
                "example": "2026-11-20T11:00:00.000000Z"
              },
              "muted_by": {
                "description": "Who muted the alerts. Absent if they are not muted.",
                "type": "string"
              },
              "until_resolved": {
                "description": "True if the mute ends when the incident ends, but no later than `muted_until`. Absent otherwise.",
                "type": "boolean"
              },
              "timeline": {
                "description": "Entries in chronological order, oldest first. Planned entries come last.",
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/IncidentEntry"
                }
              },
              "notes": {
                "description": "Notes on the incident, oldest first. Absent if there are none.",
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/IncidentNote"
                }
              },
              "postmortem": {
                "$ref": "#/components/schemas/IncidentPostmortem"
              },
              "neighbours": {
                "description": "Other incidents that began within a minute of this incident. Absent if there are none.",
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/IncidentNeighbour"
                }
              }
            }
          }
        ]
      },
      "IncidentNotes": {
        "description": "The notes on an incident.",
        "type": "object",
        "required": [
          "notes"
        ],
        "properties": {
          "notes": {
            "description": "All notes, oldest first.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/IncidentNote"
            }
          }
        }
      },
      "IncidentNoteInput": {
        "description": "The text of a note.",
        "type": "object",
        "required": [
          "note"
        ],
        "properties": {
          "note": {
            "description": "Text of the note, at most 2,000 characters. Must not be blank.",
            "type": "string"
          }
        }
      },
      "DeletedNote": {
        "description": "The note that was deleted.",
        "type": "object",
        "required": [
          "id"
        ],
        "properties": {
          "id": {
            "description": "Identifier of the deleted note.",
            "type": "integer",
            "format": "int64"
          }
        }
      },
      "PostmortemInput": {
        "description": "The text of a postmortem.",
        "type": "object",
        "required": [
          "text"
        ],
        "properties": {
          "text": {
            "description": "Text in Markdown, at most 20,000 characters. Must not be blank.",
            "type": "string"
          }
        }
      },
      "DeletedPostmortem": {
        "description": "An empty object.",
        "type": "object"
      },
      "BulkChannel": {
        "description": "A change to a channel.",
        "type": "object",
        "required": [
          "kind"
        ],
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "channel"
            ]
          },
          "body": {
            "$ref": "#/components/schemas/ChannelInput"
          }
        }
      },
      "BulkCheck": {
        "description": "A change to a check.",
        "type": "object",
        "required": [
          "kind"
        ],
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "check"
            ]
          },
          "body": {
            "$ref": "#/components/schemas/CheckInput"
          }
        }
      },
      "BulkHeartbeat": {
        "description": "A change to a heartbeat.",
        "type": "object",
        "required": [
          "kind"
        ],
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "heartbeat"
            ]
          },
          "body": {
            "$ref": "#/components/schemas/HeartbeatInput"
          }
        }
      },
      "BulkWindow": {
        "description": "A change to a maintenance window.",
        "type": "object",
        "required": [
          "kind"
        ],
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "window"
            ]
          },
          "body": {
            "$ref": "#/components/schemas/MaintenanceWindowInput"
          }
        }
      },
      "BulkRoute": {
        "description": "A change to a route.",
        "type": "object",
        "required": [
          "kind"
        ],
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "route"
            ]
          },
          "body": {
            "$ref": "#/components/schemas/RouteInput"
          }
        }
      },
      "BulkStatusPage": {
        "description": "A change to the status page: a `put` without `key` and `id`. The status page cannot be deleted.",
        "type": "object",
        "required": [
          "kind"
        ],
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "status_page"
            ]
          },
          "body": {
            "$ref": "#/components/schemas/StatusPageInput"
          }
        }
      },
      "BulkChange": {
        "description": "One change. It identifies its resource by either `key` or `id`. A change of the status page has neither.",
        "allOf": [
          {
            "type": "object",
            "required": [
              "action",
              "kind"
            ],
            "properties": {
              "action": {
                "description": "`put` sets all fields of a resource, and creates the resource if its `key` does not exist. `delete` deletes an existing resource.",
                "type": "string",
                "enum": [
                  "put",
                  "delete"
                ]
              },
              "kind": {
                "description": "Kind of the resource.",
                "type": "string",
                "enum": [
                  "channel",
                  "check",
                  "heartbeat",
                  "window",
                  "route",
                  "status_page"
                ]
              },
              "key": {
                "description": "Key of the resource.",
                "type": "string",
                "maxLength": 64,
                "example": "shop"
              },
              "id": {
                "description": "Guid or id of an existing resource.",
                "type": "string",
                "maxLength": 68
              },
              "if_match": {
                "description": "State in which the resource must be: its `ETag` without the quotes, or `found` of a dry run. `none`: the resource\nmust not exist. Absent: any state.\n",
                "type": "string",
                "pattern": "^([0-9a-f]{32}|none)$"
              }
            }
          },
          {
            "oneOf": [
              {
                "$ref": "#/components/schemas/BulkChannel"
              },
              {
                "$ref": "#/components/schemas/BulkCheck"
              },
              {
                "$ref": "#/components/schemas/BulkHeartbeat"
              },
              {
                "$ref": "#/components/schemas/BulkWindow"
              },
              {
                "$ref": "#/components/schemas/BulkRoute"
              },
              {
                "$ref": "#/components/schemas/BulkStatusPage"
              }
            ]
          }
        ]
      },
      "BulkRequest": {
        "description": "Changes that are made together, or not at all.",
        "type": "object",
        "required": [
          "changes"
        ],
        "properties": {
          "dry_run": {
            "description": "Whether to compute the plan without storing anything. The `Idempotency-Key` of a dry run is ignored. Default: false.",
            "type": "boolean"
          },
          "changes": {
            "description": "At most 1,000 changes. Each must be about a different resource.",
            "type": "array",
            "maxItems": 1000,
            "items": {
              "$ref": "#/components/schemas/BulkChange"
            }
          },
          "route_order": {
            "description": "Routes in their new order, each by guid or `key:NAME`. These routes are reordered among their current positions;\nother routes do not move. The server does this after the changes, and only if all changes succeed. The token needs the\nscope for writing routes.\n",
            "type": "array",
            "maxItems": 50,
            "items": {
              "type": "string",
              "maxLength": 68
            }
          }
        }
      },
      "BulkDifference": {
        "description": "A field that differs. Values longer than 300 characters are truncated. Secrets are shown as `(secret)`.\n",
        "type": "object",
        "required": [
          "field"
        ],
        "properties": {
          "field": {
            "description": "Name of the field.",
            "type": "string",
            "example": "interval_sec"
          },
          "before": {
            "description": "Value before the change. Absent if the field was not set."
          },
          "after": {
            "description": "Value after the change. Absent if the field is not set."
          },
          "compared": {
            "description": "False for a stored secret that a dry run sent with a token for which secrets of this kind are not compared: the\nresponse does not reveal whether the two differ. Also false with `may_be_needed`. Absent otherwise.\n",
            "type": "boolean"
          },
          "may_be_needed": {
            "description": "True for a stored secret that a dry run omitted, if it sent a secret destination with a token that cannot write\nchannels. If the destination is a new one, the change is refused without this secret. Absent otherwise.\n",
            "type": "boolean"
          }
        }
      },
      "BulkChanged": {
        "description": "Outcome of one change.",
        "type": "object",
        "required": [
          "action",
          "kind",
          "id",
          "fields"
        ],
        "properties": {
          "action": {
            "type": "string",
            "enum": [
              "created",
              "replaced",
              "deleted",
              "unchanged"
            ]
          },
          "kind": {
            "description": "Kind of the resource, as in the change.",
            "type": "string",
            "example": "check"
          },
          "key": {
            "$ref": "#/components/schemas/Key"
          },
          "id": {
            "description": "Guid or id of the resource. For a resource that a dry run would create, the value is a placeholder.",
            "type": "string"
          },
          "found": {
            "description": "State of the resource before the change, in the format of `if_match`. `none` if the resource did not exist.",
            "type": "string",
            "example": "0123456789abcdef0123456789abcdef"
          },
          "fields": {
            "description": "Fields that differ. Empty for an unchanged resource, except for secrets that were not compared.\n",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/BulkDifference"
            }
          },
          "warnings": {
            "description": "What has no effect as the resource is set, as in the resource itself: for example, monitors that cannot run the check. Absent when there is nothing to warn of.",
            "type": "array",
            "items": {
              "type": "string"
            },
            "example": [
              "monitors: 2 of 3 monitors can run this check (missing ability: tls)"
            ]
          }
        }
      },
      "BulkCounts": {
        "description": "Number of changes by outcome.",
        "type": "object",
        "required": [
          "created",
          "replaced",
          "deleted",
          "unchanged"
        ],
        "properties": {
          "created": {
            "type": "integer"
          },
          "replaced": {
            "type": "integer"
          },
          "deleted": {
            "type": "integer"
          },
          "unchanged": {
            "type": "integer"
          }
        }
      },
      "BulkAnswer": {
        "description": "The changes that were made, or would be made.",
        "type": "object",
        "required": [
          "changes",
          "counts"
        ],
        "properties": {
          "changes": {
            "description": "Outcome of each change, in the order of the request.",
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/BulkChanged"
            }
          },
          "counts": {
            "$ref": "#/components/schemas/BulkCounts"
          },
          "reordered": {
            "description": "Whether `route_order` changed the order of the routes, or would change it. Absent without `route_order`.\n",
            "type": "boolean"
          }
        }
      },
      "Exposition": {
        "description": "Text in the Prometheus exposition format, version 0.0.4.",
        "type": "string",
        "example": "# HELP dogwatch_check_up Whether the check is up. Left out while nobody knows, and while it is paused.\n# TYPE dogwatch_check_up gauge\ndogwatch_check_up{check=\"8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11\",name=\"Shop\"} 1\n"
      }
    },
    "responses": {
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
            "example": "missing, malformed or unknown configuration token"
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
          }
        }
      },
      "Forbidden": {
        "description": "The token does not have the scope of the operation, or the client address is outside the token's range.",
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
            "example": "this needs the scope checks:write"
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
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
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
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
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
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
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
          }
        }
      },
      "BadRequest": {
        "description": "The request breaks the contract, and nothing was changed. The line names the field and what it must be.",
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
            "example": "interval_sec must be at least 30 on the team plan"
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
          }
        }
      },
      "Conflict": {
        "description": "The request conflicts with the current state. For example, the `Idempotency-Key` was sent with a different request, or another resource of the same kind has the `key`.",
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
            "example": "this idempotency-key was already used for a different request"
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
          }
        }
      },
      "TooLarge": {
        "description": "The body is too large. The limit is 128 KiB, unless the operation says otherwise.",
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
            "example": "the body must be at most 131072 bytes"
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
          }
        }
      },
      "NotFound": {
        "description": "The organisation has no resource with this guid, id or key.",
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
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
          }
        }
      },
      "PreconditionFailed": {
        "description": "The resource has changed since the version in `If-Match`. Nothing was changed.",
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
            "example": "if-match does not match the current version of the resource"
          },
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/ProblemDetails"
            }
          }
        }
      }
    },
    "parameters": {
      "Limit": {
        "name": "limit",
        "in": "query",
        "required": false,
        "description": "The maximum number of items per page.",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500,
          "default": 100
        }
      },
      "After": {
        "name": "after",
        "in": "query",
        "required": false,
        "description": "The `next` of the previous page. If it is no longer valid, the response is 400; start again at the first page.",
        "schema": {
          "type": "string",
          "maxLength": 64
        }
      },
      "Tag": {
        "name": "tag",
        "in": "query",
        "required": false,
        "description": "Only resources with this tag.",
        "schema": {
          "type": "string",
          "maxLength": 64
        }
      },
      "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "A key of your choice for this request, for example a UUID. A repeat with the same key within a day gets the first response again. A different request with the same key gets 409.",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      },
      "Guid": {
        "name": "guid",
        "in": "path",
        "required": true,
        "description": "The `guid`, compared as text, or `key:` and the key.",
        "schema": {
          "type": "string"
        },
        "example": "8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11"
      },
      "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "required": false,
        "description": "The `ETag` of the version that you want to change. If the resource has changed since, the response is 412 and nothing is changed.",
        "schema": {
          "type": "string",
          "maxLength": 255
        }
      },
      "MonitorId": {
        "name": "id",
        "in": "path",
        "required": true,
        "description": "The `id` of the monitor, compared as text.",
        "schema": {
          "type": "string"
        },
        "example": "7k2m9x0c4v5b"
      },
      "EnrollmentTokenId": {
        "name": "id",
        "in": "path",
        "required": true,
        "description": "The `id` of the token: the SHA-256 of its text, in hex.",
        "schema": {
          "type": "string"
        },
        "example": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
      },
      "TagName": {
        "name": "tag",
        "in": "path",
        "required": true,
        "description": "The tag. Case is ignored.",
        "schema": {
          "type": "string"
        },
        "example": "shop"
      },
      "Id": {
        "name": "id",
        "in": "path",
        "required": true,
        "description": "The `id`, compared as text, or `key:` and the key.",
        "schema": {
          "type": "string"
        },
        "example": "12"
      },
      "Delivery": {
        "name": "delivery",
        "in": "path",
        "required": true,
        "description": "Identifier of the delivery.",
        "schema": {
          "type": "string"
        },
        "example": "31"
      },
      "Run": {
        "name": "run",
        "in": "path",
        "required": true,
        "description": "The `id` of the run, compared as text.",
        "schema": {
          "type": "string"
        },
        "example": "0c9e7f6a-5b4c-4d3e-8f2a-1b0c9d8e7f6a"
      },
      "Incident": {
        "name": "incident",
        "in": "path",
        "required": true,
        "description": "The `id` of the incident, compared as text.",
        "schema": {
          "type": "string"
        },
        "example": "5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c"
      },
      "Note": {
        "name": "note",
        "in": "path",
        "required": true,
        "description": "The `id` of the note.",
        "schema": {
          "type": "string"
        },
        "example": "7"
      }
    }
  }
});
