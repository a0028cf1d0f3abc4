// Generated from openapi/config.yaml by `npm run generate`. Do not edit.
export interface paths {
    "/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what this token may do
         * @description The scopes of the token that asks, the organisation that it is for, and when it ends.
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
         * @description Every check of the organisation, oldest first, at most `limit` a page. Ask for the next page with `after`, which is the `next` of the page
         *     before; the last page has no `next`.
         */
        get: operations["listChecks"];
        put?: never;
        /**
         * Create a check
         * @description The fields are those of the import and export file; `name`, `url` and `interval_sec` are enough. Without `monitors` and `all_monitors` all
         *     monitors run it, including ones added later.
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
         * Read one check
         * @description One check of the organisation.
         */
        get: operations["getCheck"];
        /**
         * Replace a check
         * @description Sets every field: those that are left out take their defaults. `monitors` and `all_monitors` stay as they are when both are left out.
         */
        put: operations["replaceCheck"];
        post?: never;
        /**
         * Delete a check
         * @description The check is gone for everybody at once. Deleting what is gone already is a 404.
         */
        delete: operations["deleteCheck"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a check
         * @description Sets the fields that are sent, and leaves the others. A field that is null takes its default. `monitors` and `all_monitors` stay as they are when both are left out.
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
         * @description Its alerts stop, and an open incident ends without an alert. Pausing it twice changes nothing.
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
         * @description Earlier results no longer affect the state. Resuming it twice changes nothing.
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
         * @description Until that time nobody is told anything about the check, also not that it is up again. Muting it anew changes until when.
         *     With `until_resolved` the mute ends with the open incident, and whoever was told of it hears that it is over; what is not down is a 409 then.
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
         * End the mute of a check
         * @description Alerts that are still true are sent now. Where nothing is muted, nothing changes.
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
         * @description What its runs found, the newest first. Ask for the next page with `after`, which is the `next` of the page before; the last page has no `next`. With
         *     `success` or `monitor`, one request looks at no more than 10,000 results: a page may have fewer than `limit` then, or none, and go on all the same.
         *
         *     Results are kept as long as the plan says. To copy all of them, use the account API, whose pages run from the oldest to the newest.
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
         * @description Every route of the organisation in their order, at most `limit` a page. Ask for the next page with `after`, which is the `next` of the page
         *     before; the last page has no `next`.
         */
        get: operations["listRoutes"];
        put?: never;
        /**
         * Create a route
         * @description The new route is added at the end of the list. `name`, `scope` and `steps` are enough. As long as an organisation has no enabled route, every alert goes to
         *     every channel. The alerts that wait are decided again by the routes as they are then; so they are whenever a route changes.
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
         * @description One route of the organisation.
         */
        get: operations["getRoute"];
        /**
         * Replace a route
         * @description Sets every field: those that are left out take their defaults. `key` stays as it is when it is left out.
         */
        put: operations["replaceRoute"];
        post?: never;
        /**
         * Delete a route
         * @description Deleting what is gone already is a 404.
         */
        delete: operations["deleteRoute"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a route
         * @description Sets the fields that are sent, each as a whole, and leaves the others. A field that is null takes its default.
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
         * Move a route to another place in the list
         * @description The others keep their order. It may stand there already: then nothing changes.
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
         * Read who would be told of something
         * @description Asks the rule that decides about real alerts, by the routes, mutes and maintenance windows as they are now. Of reminders and recoveries it
         *     answers for those who were told just before. Without `check` and `heartbeat` it is about the monitors of the organisation.
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
         * @description The organisation's own monitors by id, then those of the shared fleet, at most `limit` a page. Ask for the next page with `after`, which
         *     is the `next` of the page before; the last page has no `next`.
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
         * Read one monitor
         * @description One of the organisation's own monitors, or of the shared fleet.
         */
        get: operations["getMonitor"];
        put?: never;
        post?: never;
        /**
         * Retire a monitor
         * @description Its key stops working, the others take over its turns at once, and it disappears from all lists. Its results stay under its name. A
         *     monitor of the shared fleet cannot be retired.
         */
        delete: operations["deleteMonitor"];
        options?: never;
        head?: never;
        /**
         * Rename, enable or disable a monitor
         * @description Sets the fields that are sent, and leaves the others. The other monitors take over the turns of one that is disabled. A monitor of the
         *     shared fleet cannot be changed.
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
         * @description The valid ones, newest first, at most 500. Their texts are not stored.
         */
        get: operations["listEnrollmentTokens"];
        put?: never;
        /**
         * Create an enrollment token
         * @description Agents enroll with it until it expires or is revoked. The answer has its text, which is shown once. A repeat with the same
         *     `Idempotency-Key` returns it again.
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
         * @description Nobody can enroll with it from then on. The monitors that did stay. Revoking one that has ended is a 404.
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
         * @description Every tag that something has or names, in order, with how often.
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
         * @description Everything that has or names the tag loses it, all at once. A route or maintenance window that is for this tag alone must be changed
         *     before (409), and while more than 2,000 checks and heartbeats have it (409). The token needs the scope to write all that has or names the tag.
         */
        delete: operations["deleteTag"];
        options?: never;
        head?: never;
        /**
         * Rename a tag
         * @description Everything that has or names the tag gets the new one instead, all at once. Renaming to an existing tag merges the two. The token needs
         *     the scope to write all that has or names the tag, for example `routes:write`. A tag that more than 2,000 checks and heartbeats have is
         *     refused (409).
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
         * @description Every channel of the organisation, oldest first, at most `limit` a page. Ask for the next page with `after`, which is the `next` of the
         *     page before; the last page has no `next`.
         */
        get: operations["listChannels"];
        put?: never;
        /**
         * Create a channel
         * @description `name`, `kind` and the fields of the kind in `destination` are enough. An email address gets alerts once its owner has confirmed it: a
         *     mail asks them, unless it is the proved address of whoever made the token.
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
         * Read one channel
         * @description One channel of the organisation.
         */
        get: operations["getChannel"];
        /**
         * Replace a channel
         * @description Sets every field: those that are left out take their defaults, except `key`, which stays. Secrets that are left out stay as well while
         *     the channel goes to the same place; when its URL or the first field of its kind changes, they must be given. The kind cannot change.
         */
        put: operations["replaceChannel"];
        post?: never;
        /**
         * Delete a channel
         * @description The channel and the log of what was sent to it are deleted for good. Returns 404 if it does not exist.
         */
        delete: operations["deleteChannel"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a channel
         * @description Sets the fields that are sent, in `destination` as well, and leaves the others. A field that is null takes its default. When the channel
         *     is to go to another place, its secrets must be given.
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
         * @description The message is queued: `GET /deliveries/{delivery}` says what came of it. A channel that is disabled or unconfirmed is a 409.
         *     An organisation may send ten tests, and then one every 30 seconds.
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
         * Send the confirmation mail again
         * @description The owner of the channel's address gets another mail with a link that allows alerts, which works for 7 days. An address that is confirmed is a
         *     409, and a channel of another kind is, too. An address gets at most three such mails at first, and then one a day: 429. A server that sends no mail
         *     refuses it with 400.
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
         * @description Each alert on its way to one channel, the newest first, at most `limit` a page. Ask for the next page with `after`, which is the `next` of the page
         *     before; the last page has no `next`. Deliveries are kept as long as results. What they are about is left out for tokens that may not read it:
         *     `names` without `checks:read`, `heartbeats:read` or `monitors:read`, by the event, and `incident` without `incidents:read`.
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
         * Read one delivery
         * @description What came of one message, for example of a test. As in the list, what it is about is left out for tokens that may not read it.
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
         * @description Every heartbeat of the organisation, oldest first, at most `limit` a page. Ask for the next page with `after`, which is the `next` of the
         *     page before; the last page has no `next`.
         */
        get: operations["listHeartbeats"];
        put?: never;
        /**
         * Create a heartbeat
         * @description `name` and either `interval_sec` or `cron` are enough. The answer has the `ping_url` that the job calls. It is a secret: other answers
         *     leave it out.
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
         * Read one heartbeat
         * @description One heartbeat of the organisation.
         */
        get: operations["getHeartbeat"];
        /**
         * Replace a heartbeat
         * @description Sets every field: those that are left out take their defaults, except `key`, which stays. The ping URL stays as well.
         */
        put: operations["replaceHeartbeat"];
        post?: never;
        /**
         * Delete a heartbeat
         * @description The heartbeat and its pings are deleted for good, without an alert. Deleting what is gone already is a 404.
         */
        delete: operations["deleteHeartbeat"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a heartbeat
         * @description Sets the fields that are sent, and leaves the others. A field that is null takes its default.
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
         * @description Its alerts stop, and an open incident ends without an alert. Pausing it twice changes nothing.
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
         * @description It starts afresh and waits for its next ping. Resuming it twice changes nothing.
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
         * @description Until that time nobody is told anything about the heartbeat, also not that it is up again. Muting it anew changes until when.
         *     With `until_resolved` the mute ends with the open incident, and whoever was told of it hears that it is over; what is not down is a 409 then.
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
         * End the mute of a heartbeat
         * @description Alerts that are still true are sent now. Where nothing is muted, nothing changes.
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
         * @description The URL that the job calls. Anyone who knows the URL can ping the heartbeat, so read-only tokens cannot read it.
         */
        get: operations["getPingUrl"];
        put?: never;
        /**
         * Give a heartbeat a new ping URL
         * @description The old URL stops working at once.
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
         * @description Every window of the organisation, at most `limit` a page: those that are on, then those to come, then those that are over. Ask for the next
         *     page with `after`, which is the `next` of the page before; the last page has no `next`.
         */
        get: operations["listMaintenanceWindows"];
        put?: never;
        /**
         * Plan a maintenance window
         * @description While it is on, alerts about what it covers are held, and its results count neither as up nor as down. `name`, `scope`, `starts_at` and
         *     `duration_sec` are enough. It must not be over already.
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
         * Read one maintenance window
         * @description One window of the organisation.
         */
        get: operations["getMaintenanceWindow"];
        /**
         * Replace a maintenance window
         * @description Sets every field: those that are left out take their defaults. `key` stays as it is when it is left out. What is over stays as it was.
         */
        put: operations["replaceMaintenanceWindow"];
        post?: never;
        /**
         * Delete a maintenance window
         * @description If it is on, it ends now, and alerts that are still true are sent. Deleting what is gone already is a 404.
         */
        delete: operations["deleteMaintenanceWindow"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a maintenance window
         * @description Sets the fields that are sent, each as a whole, and leaves the others. A field that is null takes its default.
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
         * End a maintenance window that is on
         * @description Alerts that are still true are sent now. When it repeats, it will be on again. One that is not on stays as it is.
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
         * @description Asks a monitor of the check that is online for a run out of turn. Its result counts as that of any other run. The answer names the run: read
         *     it until its `state` is no longer `waiting`, which takes some seconds. A paused check, and one of whose monitors none is online, is refused
         *     with 409.
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
         * Read what a run came to
         * @description A run of a check that was asked for in the last ten minutes.
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
         * @description Every change that somebody made, the newest first, at most `limit` a page. Ask for the next page with `after`, which is the `next` of the
         *     page before; the last page has no `next`. Changes by this API name the maker of the token as `actor`, and the token in `detail`.
         *
         *     Of an organisation, 5,000 entries of a day are kept in full, and of every actor at least 100. Changes beyond that are counted: one entry for
         *     each hour, actor and action, with `times` and `last_at`.
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
         * @description What the public status page shows, under which names, and where. A 404 until it is saved for the first time.
         */
        get: operations["getStatusPage"];
        /**
         * Replace the status page
         * @description Sets its address, its texts and what it shows, and creates it the first time. Checks and heartbeats that are not among `entries` are not
         *     shown any more. `enabled` stays as it is when it is left out. The body may have 1 MiB.
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
         * Read the uptime and response times of a check over a range
         * @description In whole steps, which begin at full hours or at midnight in UTC: the range is widened to them. Steps of an hour cover at most 31 days, and
         *     steps of a day at most 400. Time that was not monitored counts neither as up nor as down, and results of maintenance are left out. What the plan does not
         *     keep any more is not counted.
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
         * Read the uptime and response times of many checks over a range
         * @description The totals of every check, or of those with a tag, oldest first, at most `limit` a page. Ask for the next page with `after`, which is the
         *     `next` of the page before; the last page has no `next`. The range is counted in whole hours up to two days, and in whole days of UTC up to
         *     92 days.
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
         * @description Every incident of the organisation, the newest first, at most `limit` a page. Ask for the next page with `after`, which is the `next` of the
         *     page before; the last page has no `next`.
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
         * Read one incident
         * @description One incident with what it rests on, everything that happened in it, and what people wrote about it.
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
         * @description Stops reminders and escalation, and notifies the channels that were alerted. The acknowledgement is recorded under the creator and
         *     the name of the token. Acknowledging it twice changes nothing. An incident that has ended cannot be acknowledged: 409.
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
         * Take the acknowledgement of an incident back
         * @description Nobody takes care of it any more: reminders begin again, and its escalation goes on where it would be by now. Where nobody has acknowledged
         *     it, nothing changes. An incident that has ended is refused with 409.
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
         * Mute what an incident is about
         * @description No alerts about the check or heartbeat are sent until that time, including recoveries. Muting again changes the end time.
         *     With `until_resolved` the mute ends with the incident, and whoever was told of it hears that it is over.
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
         * End the mute of what an incident is about
         * @description Alerts that are still true are sent now. Where nothing is muted, nothing changes.
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
         * @description All of them, the oldest first.
         */
        get: operations["listIncidentNotes"];
        put?: never;
        /**
         * Write a note on an incident
         * @description Its author is the maker of the token, with the name of the token. An incident can have 200 notes.
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
         * Read one note on an incident
         * @description One note.
         */
        get: operations["getIncidentNote"];
        /**
         * Change a note on an incident
         * @description Only its author can change a note. The notes of a token are those of its maker. The note then says when it was last changed.
         */
        put: operations["replaceIncidentNote"];
        post?: never;
        /**
         * Delete a note on an incident
         * @description Only its author can delete a note. The notes of a token are those of its maker.
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
         * @description Where nobody has written one, the answer is a 404.
         */
        get: operations["getPostmortem"];
        /**
         * Write the postmortem of an incident
         * @description An incident has one postmortem, which everybody edits who may. Send the `ETag` of what you read as `If-Match`, and nobody's text is lost.
         */
        put: operations["replacePostmortem"];
        post?: never;
        /**
         * Delete the postmortem of an incident
         * @description Where there is none, the answer is a 404.
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
         * Make many changes at once, or see what they would change
         * @description Makes all changes, or none of them. Things may name each other by `key:` whatever the order of the changes: what is deleted is deleted
         *     first, and channels are stored before checks, and both before what names them. A `put` by `key` creates the thing or sets all of its
         *     fields; fields that are the same already change nothing, and leave no entry in the audit log.
         *
         *     With `if_match` a change is made only while its thing is in a known state: if one is in another, nothing is done and 412 names it. The
         *     answer says in `found` what each was before, so what a dry run found can be sent with the changes.
         *
         *     With `dry_run` nothing is kept: the answer is the plan, and the same request without it does what the plan says as long as nobody changes
         *     anything in between. A dry run needs the scopes for reading what it is about, and a change those for writing, as `checks:write`. Secrets of
         *     channels are compared for tokens that may write channels, and those of checks for tokens with `checks:secrets`: to others, no answer says whether a secret that they give is the one that is
         *     set, and the plan marks it with `compared: false`. For a token with `checks:write`, a check with such a secret is `replaced` in the plan in any case. When such a token gives a place that nobody may read, as a URL, and leaves out other
         *     secrets of the channel, the plan marks those with `may_be_needed`: the change asks for them if the channel is to go to another place. A
         *     change counts as many as it has against the ten changes a second (burst 2,000) of the organisation, and a dry run against as many that
         *     each token may try. A repeat with the `Idempotency-Key` of a request that was carried out counts nothing.
         *
         *     All faults of one kind of thing are told at once, each by its place: `changes[3].body.url must be a valid target`. Where they are too many
         *     for one line, the line says how many more there are. Of channels, heartbeats, routes and windows, 20 faults are looked for. At most 250
         *     templates of channels are tried in one request, for at most 3 seconds; changes that take longer than 10 seconds together are refused
         *     with 429, and nothing is done.
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
         * Read the numbers of checks, heartbeats and monitors
         * @description The Prometheus text format: for each check whether it is up, paused, unmonitored or degraded, whether an incident is open, the latency of
         *     its newest run, the end of its certificate, and its uptime and coverage over the last 24 hours; for each heartbeat whether it is up and
         *     when it was pinged; for each monitor whether it is online. A token with `metrics:read` reads all of them, and one with `checks:read` those of checks,
         *     of heartbeats with `heartbeats:read` and of monitors with `monitors:read`. The answer may be five seconds old.
         *
         *     An answer has at most 10,000 checks and as many heartbeats; more of either are refused with 400. `part` and `parts` take them in parts that
         *     together are everything, and `tag` takes those with a tag. With `tag` or `check`, monitors are left out; of parts, the first one has them. Ask for
         *     gzip: it makes the answer several times smaller.
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
        /** @description What a token may do. */
        Token: {
            /** @description What its maker called it. */
            name: string;
            /** @description The organisation that it is for. */
            org_name: string;
            /** @description What it may do. `read` and `write` stand for all scopes of that kind except `audit:read` and `checks:secrets`, which are given by themselves. `checks:secrets` shows the secrets of checks to a token that may read checks. */
            scopes: string[];
            /**
             * Format: date-time
             * @description When it stops working. Absent when it has no end.
             * @example 2027-02-18T10:00:00.000000Z
             */
            expires_at?: string;
        };
        /** @description One line of plain text, lower case, that says what is wrong. */
        ErrorLine: string;
        /** @description What is wrong with one field of the body, or with one parameter of the query. */
        ProblemError: {
            /**
             * @description What the field must be.
             * @example interval_sec must be at least 30 on the team plan
             */
            detail: string;
            /**
             * @description The field of the body, as a JSON pointer in the fragment of a URI.
             * @example #/interval_sec
             */
            pointer?: string;
            /** @description The name of the parameter. */
            parameter?: string;
        };
        /** @description A refusal as RFC 9457 has it, for clients that name its type in `Accept`. */
        ProblemDetails: {
            /**
             * @description Always `about:blank`, by which `title` and `status` say what kind of refusal it is.
             * @example about:blank
             */
            type: string;
            /**
             * @description What the status is called.
             * @example Bad Request
             */
            title: string;
            /**
             * Format: int32
             * @description The status of the answer.
             * @example 400
             */
            status: number;
            /**
             * @description The line that other clients get.
             * @example interval_sec must be at least 30 on the team plan
             */
            detail: string;
            /** @description What is wrong with single fields, at most 200 of them. Absent where no field is at fault. */
            errors?: components["schemas"]["ProblemError"][];
        };
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
        /**
         * @description The name that a client chose for it. Wherever a `guid` or `id` is asked for, `key:` and this name mean the thing that has it. Absent when it has none.
         * @example shop
         */
        Key: string;
        /** @description A check with the monitors that run it. Lists, and responses to changes, have no `state`. Secrets are shown as `***`, except to tokens with `checks:secrets`: the password of `url`, its parameters with names such as `token` or `api_key`, all headers except harmless ones such as `Accept`, and `post_data`. */
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
            /** @description At most `limit` of them. */
            checks: components["schemas"]["ConfiguredCheck"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description The fields of a check, as in the import and export file. `guid`, `state`, `state_since` and `warnings` are ignored, so that what was read can be sent back. `***` in the place of a secret keeps its stored value. It is refused, as is a `PATCH` that omits a field with secrets, if scheme, host or port of `url` or the `Host` header change, or if `insecure_skip_verify` is turned on. */
        CheckInput: {
            /**
             * @description A name of your own for it, which no other check of the organisation has: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Left out, it stays as it is; null takes it away.
             * @example shop
             */
            key?: string | null;
            /** @description What people call it. */
            name?: string | null;
            /**
             * @description The target; its scheme (`http`, `https`, `tcp`, `tls`) selects the kind.
             * @example https://shop.example.com/health
             */
            url?: string | null;
            /**
             * Format: int32
             * @description Seconds between two runs, counted over all its monitors together.
             */
            interval_sec?: number | null;
            /** @description False means that the check is paused. */
            enabled?: boolean | null;
            /**
             * Format: int32
             * @description Bounds one run, in seconds, at most 60. 0 means 10.
             */
            timeout_sec?: number | null;
            /** @description The guid of another check of the organisation, or the id of a monitor. While that is down, alerts about this check wait. `key:NAME` names a check by its key. */
            depends_on?: string | null;
            /** @description Words that it is found by and that its alerts are routed by: in lower case and in order, each once. */
            tags?: string[] | null;
            /** @description True when only the organisation's own monitors may run it: set by hand, or because its target is not a public address. */
            restricted?: boolean | null;
            /** @description Judge the first answer of an http or https target as it is, without following redirects. */
            disable_redirects?: boolean | null;
            /** @description Do not verify the certificate. Has a meaning for https and tls only. */
            insecure_skip_verify?: boolean | null;
            /** @description When not empty, the request is a POST with this body. */
            post_data?: string | null;
            /** @description What to look for in the body (http, https), in the banner sent on connect (tcp) or in a line about the certificate (tls), `subject=...; san=...; issuer=...; not_after=...`. Empty asserts nothing. */
            match_string?: string | null;
            /** @description How to look. Left out means `contains`. The regular expressions are RE2, and case-sensitive. */
            match_mode?: string | null;
            /** @description Replaces the rule that a status of 400 or above fails. The run passes when the status stands in this relation to `status_code_value`. */
            status_code_op?: string | null;
            /**
             * Format: int32
             * @description What `status_code_op` compares with, 100 to 599.
             */
            status_code_value?: number | null;
            /**
             * Format: int32
             * @description For https and tls, fail once the certificate has this many days or fewer left; exactly this many fails. 0 means no rule.
             */
            cert_expiry_warn_days?: number | null;
            /**
             * Format: int32
             * @description Fail an answer that arrives later than this many milliseconds. 0 means no rule.
             */
            max_response_time_ms?: number | null;
            /** @description Flip the verdict after every other rule, for every scheme. */
            invert_result?: boolean | null;
            /**
             * Format: int32
             * @description How many characters of `error` and of `response_sample` a result may carry. 0 means neither is kept.
             */
            result_detail_max_chars?: number | null;
            /**
             * Format: int32
             * @description How often a monitor runs the check again after a failure before the failure counts. 0: not at all.
             */
            retry_count?: number | null;
            /**
             * Format: int32
             * @description Seconds from the end of a failed run to its retry. 0 means 5.
             */
            retry_interval_sec?: number | null;
            /**
             * Format: int32
             * @description Results slower than this many milliseconds make the check degraded, which is neither up nor down. 0 means no threshold.
             */
            degraded_over_ms?: number | null;
            /**
             * Format: int32
             * @description How many slow results in a row make the check degraded. 0 means 1.
             */
            degraded_after?: number | null;
            /**
             * Format: int32
             * @description The check is degraded once its certificate, or one by which that is trusted, has fewer than this many days left. 0 means no warning.
             */
            cert_warn_days?: number | null;
            /**
             * Format: int32
             * @description How many failures in a row make the check down and raise an alert. 0 means 1. The name is historical; the unit is not seconds.
             */
            down_interval_sec?: number | null;
            /** @description Whether the check is down only when a majority of the monitors with a fresh result is failing. Failures in a row then count for each monitor by itself. False means no. */
            down_majority?: boolean | null;
            /**
             * Format: int32
             * @description How many of the monitors with a fresh result must be failing before the check is down, or all of them when they are fewer. Failures in a row then count for each monitor by itself. 0 means that the failures of all monitors together decide. Ignored when `down_majority` is true.
             */
            down_places?: number | null;
            /** @description Whether every change is told, however often the check changes. Otherwise a check that goes down and comes up too often is told once as flapping, and once when it has settled. False means no. */
            alert_every_change?: boolean | null;
            /**
             * Format: int32
             * @description How many successes in a row make a check that is down up again. 0 means 1.
             */
            up_successes?: number | null;
            /**
             * Format: int32
             * @description How often the DOWN notification of a check that is still failing repeats, in seconds. 0 means never.
             */
            resend_interval_sec?: number | null;
            /** @description Further request headers for http and https, at most 10. */
            headers?: {
                [key: string]: string;
            } | null;
            /** @description True assigns it to all monitors, including ones added later. Must not be true beside `monitors`. */
            all_monitors?: boolean | null;
            /** @description The ids of exactly the monitors that run it. */
            monitors?: string[] | null;
        };
        /** @description What was deleted. */
        Deleted: {
            /** @description The `guid` that it had. */
            guid: string;
        };
        /** @description Until when nobody is told of a check or heartbeat: `until`, or `until_resolved`. */
        MuteInput: {
            /**
             * Format: date-time
             * @description A time that is still to come, at most 90 days from now.
             * @example 2026-11-20T11:00:00.000000Z
             */
            until?: string;
            /** @description True, in place of `until`, until the incident has ended, for 90 days at most. Refused when it has ended (409). */
            until_resolved?: boolean;
        };
        /** @description Until when nobody is told of a check or heartbeat. Without `muted_until` it is not muted. */
        Mute: {
            /**
             * Format: date-time
             * @description Until when.
             * @example 2026-11-20T11:00:00.000000Z
             */
            muted_until?: string;
            /** @description Who muted it. */
            muted_by?: string;
            /** @description The mute ends with the incident, and at `muted_until` at the latest. Absent means no. */
            until_resolved?: boolean;
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
        /** @description One page of results. */
        ResultPage: {
            /** @description The newest first. */
            results: components["schemas"]["Result"][];
            /**
             * @description Send it as `after` to get the next page. Absent on the last one.
             * @example 2026-11-20T10~00~00.123456Z_7k2m9x0c4v5b
             */
            next?: string;
        };
        /** @description What something is about, one of the three: everything, what has one of the tags, or these checks and heartbeats. */
        Scope: {
            /** @description Everything, including the monitors of the organisation. */
            all?: boolean;
            /** @description Checks and heartbeats that have at least one of these tags. */
            tags?: string[];
            /** @description These checks, by guid or `key:NAME`. Answers say guids. */
            checks?: string[];
            /** @description These heartbeats, by guid or `key:NAME`. Answers say guids. */
            heartbeats?: string[];
        };
        /** @description Hours in which its alerts wait. Absent means none. */
        QuietHours: {
            /**
             * @description When they begin, by the clock of the zone.
             * @example 22:00
             */
            from: string;
            /**
             * @description When they end. If it is not later than `from`, the hours end on the next day.
             * @example 07:00
             */
            to: string;
            /** @description The days on which they begin, 1 (Monday) to 7. Absent or empty means every day. */
            days?: number[];
            /**
             * @description The name of a time zone.
             * @example Europe/Paris
             */
            zone: string;
            /** @description Whether alerts about what is down wait as well. */
            holds_down?: boolean;
        };
        /** @description Channels that take turns, a week each. */
        RouteRotation: {
            /** @description In the order of their turns, by id or `key:NAME`. Answers say ids. */
            channels: string[];
            /**
             * @description The day on which the first of them begins.
             * @example 2026-11-23
             */
            starts_on: string;
            /**
             * @description The time of day at which they change, by the clock of the zone.
             * @example 09:00
             */
            at: string;
            /**
             * @description The name of a time zone.
             * @example Europe/Paris
             */
            zone: string;
        };
        /** @description Who is told, either channels or the one of a rotation whose turn it is. */
        RouteStep: {
            /**
             * Format: int32
             * @description How many seconds after the first step. 0 or absent for the first, which is at once.
             */
            after_sec?: number;
            /** @description The channels, by id or `key:NAME`. Answers say ids. */
            channels?: string[];
            rotation?: components["schemas"]["RouteRotation"];
        };
        /** @description Which alerts go to which channels, and when. */
        Route: {
            /** @description Names the route. */
            guid: string;
            key?: components["schemas"]["Key"];
            /**
             * @description What people call it. At most 100 characters.
             * @example Payments at night
             */
            name: string;
            /** @description Whether the route is enabled. */
            enabled: boolean;
            scope: components["schemas"]["Scope"];
            /** @description The groups of events that it is about. Absent or empty means all. */
            events?: string[];
            /** @description How urgent its alerts are. Absent means as the type of the event says. */
            severity?: string;
            /**
             * Format: int32
             * @description How many seconds trouble must last before the first step. At most two days.
             */
            delay_sec?: number;
            quiet?: components["schemas"]["QuietHours"];
            /** @description Who is told. The first step is at once, the others so long after it, unless somebody acknowledges the incident before. At most ten. */
            steps: components["schemas"]["RouteStep"][];
        };
        /** @description One page of routes. */
        RoutePage: {
            /** @description At most `limit` of them, in their order. */
            routes: components["schemas"]["Route"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description Hours in which its alerts wait. Null means none. */
        QuietHoursInput: {
            /**
             * @description When they begin, by the clock of the zone.
             * @example 22:00
             */
            from: string;
            /**
             * @description When they end. Not later than `from` means on the day after.
             * @example 07:00
             */
            to: string;
            /** @description The days on which they begin, 1 (Monday) to 7. Absent or empty means every day. */
            days?: number[];
            /**
             * @description The name of a time zone.
             * @example Europe/Paris
             */
            zone: string;
            /** @description Whether alerts about what is down wait as well. */
            holds_down?: boolean;
        } | null;
        /** @description The fields of a route. `guid` is ignored, so that what was read can be sent back. */
        RouteInput: {
            /**
             * @description A name of your own for it, which no other route of the organisation has: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Left out, it stays as it is; null takes it away.
             * @example payments
             */
            key?: string | null;
            /**
             * @description What people call it. At most 100 characters.
             * @example Payments at night
             */
            name?: string | null;
            /** @description Whether it counts (the default). */
            enabled?: boolean | null;
            scope?: components["schemas"]["Scope"];
            /** @description The groups of events that it is about. Absent or empty means all. */
            events?: ("down" | "late" | "up" | "reminder" | "degraded" | "certificate" | "unmonitored" | "monitor_offline" | "flapping" | "report")[] | null;
            /** @description How urgent its alerts are. Absent means as the type of the event says. */
            severity?: string | null;
            /**
             * Format: int32
             * @description How many seconds trouble must last before the first step. At most two days.
             */
            delay_sec?: number | null;
            quiet?: components["schemas"]["QuietHoursInput"];
            /** @description Who is told. The first step is at once, the others so long after it, unless somebody acknowledges the incident before. At most ten. */
            steps?: components["schemas"]["RouteStep"][] | null;
        };
        /** @description A place in the list. */
        RoutePlace: {
            /**
             * Format: int32
             * @description Counted from 1. Behind the last one means at the end.
             */
            position: number;
        };
        /** @description What becomes of an event for one channel. */
        PreviewedChannel: {
            /** @description The id of the channel. */
            id: string;
            /** @description Its name. */
            name: string;
            /** @description Whether it is told now, later or never. */
            told: string;
            /**
             * Format: date-time
             * @description When, of one that is told later. Absent when nobody knows.
             * @example 2026-11-20T07:00:00.000000Z
             */
            at?: string;
            /** @description How urgent the alert is, as a route says. Absent means as the type of the event says. */
            severity?: string;
            /**
             * @description Why, in a few words.
             * @example route "Payments at night"
             */
            why: string;
        };
        /** @description Who would be told of an event. */
        AlertPreview: {
            /** @description All enabled channels, those that would be told first before the others. */
            channels: components["schemas"]["PreviewedChannel"][];
            /** @description The names of channels that are disabled, to which nothing goes. Absent when there are none. */
            disabled?: string[];
            /**
             * @description What holds the alert. Absent when nothing does.
             * @example maintenance until 14:00
             */
            held?: string;
        };
        /** @description An agent that runs checks from one place. */
        ConfiguredMonitor: {
            /** @description Identifies the monitor. */
            id: string;
            /** @description Whether it is the organisation's own, or of the fleet that all organisations share. */
            class: string;
            /** @description What people call it; may be empty. */
            name: string;
            /** @description The region that it is in. */
            region: string;
            /** @description The country that it is in. */
            country: string;
            /** @description The city that it is in. */
            city: string;
            /** @description False while it runs no checks. */
            enabled: boolean;
            /** @description True while the operator of the server has switched it off; absent otherwise. */
            disabled_by_platform?: boolean;
            /** @description `reset` means that it waits to be reclaimed by an agent, and `unseen` that it has not been heard of since it enrolled. */
            state: string;
            /**
             * Format: date-time
             * @description When it last made a request. Absent before the first.
             */
            last_seen_at?: string;
            /** @description The version of its agent. Absent when it has not been reported, and for the shared fleet. */
            version?: string;
        };
        /** @description One page of monitors. */
        MonitorPage: {
            /** @description At most `limit` of them. */
            monitors: components["schemas"]["ConfiguredMonitor"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description What was retired. */
        RetiredMonitor: {
            /** @description The `id` that it had. */
            id: string;
        };
        /** @description What is decided of a monitor. */
        MonitorInput: {
            /**
             * @description What people call it. The default is empty. An agent that enrolls again brings a name of its own.
             * @example Frankfurt 1
             */
            name?: string | null;
            /** @description False means that it runs no checks. The default is true. */
            enabled?: boolean | null;
        };
        /** @description A token by which agents enroll. */
        EnrollmentToken: {
            /** @description Identifies the token. It cannot be used to enroll. */
            id: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it stops working.
             */
            expires_at: string;
        };
        /** @description The valid enrollment tokens. */
        EnrollmentTokens: {
            /** @description At most 500 of them. */
            enrollment_tokens: components["schemas"]["EnrollmentToken"][];
        };
        /** @description What is decided of a token. */
        EnrollmentTokenInput: {
            /**
             * Format: int32
             * @description After how many seconds it stops working, from 1 to 31,536,000. The default is 86,400, which is a day.
             */
            ttl_sec?: number | null;
        };
        /** @description A token that was just created. */
        CreatedEnrollmentToken: {
            /** @description Identifies the token. It lets nobody in. */
            id: string;
            /**
             * @description Its text, which is shown this once.
             * @example dogwatch_enroll_4fD0
             */
            token: string;
            /**
             * Format: date-time
             * @description When it stops working.
             */
            expires_at: string;
        };
        /** @description What was revoked. */
        RevokedEnrollmentToken: {
            /** @description The `id` of the token. */
            id: string;
        };
        /** @description A tag, and how much has or names it. */
        TagUse: {
            /** @description The tag, in lower case. */
            tag: string;
            /** @description How many checks have it. */
            checks: number;
            /** @description How many heartbeats have it. */
            heartbeats: number;
            /** @description How many routes name it. */
            routes: number;
            /** @description How many maintenance windows name it. */
            maintenance_windows: number;
        };
        /** @description The tags of the organisation. */
        Tags: {
            /** @description All of them, in order. */
            tags: components["schemas"]["TagUse"][];
        };
        /** @description What was removed. */
        DeletedTag: {
            /** @description The tag. */
            tag: string;
        };
        /** @description What a tag is to be called. */
        TagInput: {
            /**
             * @description The new tag, of 1 to 50 characters without commas.
             * @example webshop
             */
            tag: string;
        };
        /** @description Where alerts go. Secrets are left out; `secrets` says which are set. */
        Channel: {
            /**
             * @description Identifies the channel.
             * @example 12
             */
            id: string;
            key?: components["schemas"]["Key"];
            /** @description What people call it. */
            name: string;
            /** @description Which fields `destination` has. */
            kind: string;
            /** @description False means that nothing is sent to it. */
            enabled: boolean;
            /**
             * @description Where it goes, by the names of its kind's fields and without secrets. `ChannelInput` lists the fields of each kind.
             * @example {
             *       "telegram_chat": "-100123"
             *     }
             */
            destination?: {
                [key: string]: string;
            };
            /**
             * @description The secret fields of the destination that are set, in order. Absent when there are none.
             * @example [
             *       "telegram_token"
             *     ]
             */
            secrets?: string[];
            /** @description True while the owner of its email address has not confirmed that alerts may be sent there; absent otherwise. */
            unconfirmed?: boolean;
            /**
             * Format: date-time
             * @description When its receiver answered that it is gone, and the channel was switched off. Absent otherwise.
             */
            gone_at?: string;
        };
        /** @description One page of channels. */
        ChannelPage: {
            /** @description At most `limit` of them. */
            channels: components["schemas"]["Channel"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description The writable fields of a channel. The other fields of `Channel` are ignored, so that what was read can be sent back. */
        ChannelInput: {
            /**
             * @description A name of your own for it, which no other channel of the organisation has: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Left out, it stays as it is; null takes it away.
             * @example ops-chat
             */
            key?: string | null;
            /**
             * @description What people call it.
             * @example Ops chat
             */
            name?: string | null;
            /**
             * @description Which fields `destination` has. It is chosen once. Which kinds there are is said in `Channel`, and the plan says which may be used.
             * @example telegram
             */
            kind?: string | null;
            /** @description False means that nothing is sent to it. The default is true. */
            enabled?: boolean | null;
            /**
             * @description Where it goes, by the names of its kind's fields. Null or an empty string removes a field. Responses never contain secrets.
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
        /** @description What was deleted. */
        DeletedChannel: {
            /** @description The `id` that it had. */
            id: string;
        };
        /** @description A test message that is on its way. */
        ChannelTest: {
            /** @description Identifies the delivery in the log of deliveries. */
            delivery: string;
            /** @description What came of it so far. */
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
        /** @description Where an alert goes. */
        DeliveryChannel: {
            /** @description The `id` of the channel. */
            id: string;
            /** @description What people call it. */
            name: string;
        };
        /** @description An alert on its way to one channel. */
        Delivery: {
            /**
             * @description Names the delivery.
             * @example 31
             */
            id: string;
            /**
             * @description The type of its event.
             * @example check.down
             */
            event: string;
            /** @description The names of the things that it is about, at most eleven. Absent when it is about none, or the token may not read them. */
            names?: string[];
            /** @description The incident that it is about. Absent when it is about none, or the token may not read incidents. */
            incident?: string;
            channel: components["schemas"]["DeliveryChannel"];
            /** @description `pending`, `delivered`, `failed`; `superseded` when it was no longer true before it was sent, `summarised` when it was told in a message about many, and `unconfirmed` while it waits for the owner of the address. */
            state: string;
            /**
             * Format: int32
             * @description How often it was tried.
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it was queued.
             * @example 2026-11-20T10:00:01.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it is tried next. Absent unless it is pending.
             * @example 2026-11-20T10:01:01.000000Z
             */
            next_attempt_at?: string;
            /**
             * Format: date-time
             * @description When it was last tried. Absent before that.
             * @example 2026-11-20T10:00:02.000000Z
             */
            last_attempt_at?: string;
            /**
             * Format: int32
             * @description The http status of the last answer. Absent when there was none.
             */
            last_status?: number;
            /**
             * Format: int32
             * @description How long the last attempt took.
             */
            last_latency_ms?: number;
            /** @description Why the last attempt failed. Absent when it did not. */
            last_error?: string;
        };
        /** @description One page of deliveries. */
        DeliveryPage: {
            /** @description The newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description A job of yours that calls us on a schedule. Its silence raises the alert. */
        ConfiguredHeartbeat: {
            /** @description Identifies the heartbeat. */
            guid: string;
            key?: components["schemas"]["Key"];
            /** @description What people call it. */
            name: string;
            /**
             * Format: int32
             * @description Seconds in which the next ping is expected. With `cron`, the longest time between two of its times.
             */
            interval_sec: number;
            /**
             * Format: int32
             * @description Seconds that a ping may be late.
             */
            grace_sec: number;
            /**
             * @description The cron expression that it follows. Absent when it is expected every `interval_sec`.
             * @example 30 2 * * 1-5
             */
            cron?: string;
            /**
             * @description The time zone by whose clock `cron` is read. Absent without `cron`.
             * @example Europe/Paris
             */
            cron_zone?: string;
            /**
             * Format: int32
             * @description How often its alert repeats while it is down, in seconds. Absent means never.
             */
            resend_interval_sec?: number;
            /** @description Words that it is found by and that its alerts are routed by, in lower case and in order. Absent when there are none. */
            tags?: string[];
            /** @description False while it is paused. */
            enabled: boolean;
            /** @description True while the operator of the server has switched it off; absent otherwise. */
            disabled_by_platform?: boolean;
            /** @description Whether the public status page shows it, which the entries of that page decide. */
            show_on_status_page: boolean;
            /** @description The stored state. It can be stale while the heartbeat is paused, since it is not judged then. */
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
        };
        /** @description One page of heartbeats. */
        HeartbeatPage: {
            /** @description At most `limit` of them. */
            heartbeats: components["schemas"]["ConfiguredHeartbeat"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description What is decided of a heartbeat. The other fields of `ConfiguredHeartbeat` are ignored, so that what was read can be sent back. */
        HeartbeatInput: {
            /**
             * @description A name of your own for it, which no other heartbeat of the organisation has: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Left out, it stays as it is; null takes it away.
             * @example nightly-backup
             */
            key?: string | null;
            /**
             * @description What people call it.
             * @example Nightly backup
             */
            name?: string | null;
            /**
             * Format: int32
             * @description Seconds in which the next ping is expected, from 1 to 31,536,000. Left out with `cron`, which decides it.
             */
            interval_sec?: number | null;
            /**
             * Format: int32
             * @description Seconds that a ping may be late, from 0 to 31,536,000. The default is 3600.
             */
            grace_sec?: number | null;
            /**
             * @description The times at which a ping is expected, in five fields: minute, hour, day of month, month, day of week. Or `@hourly`, `@daily`, `@weekly`, `@monthly` or `@yearly`. They are those at which Debian's cron starts a job, also where clocks are changed. Null or left out: every `interval_sec`.
             * @example 30 2 * * 1-5
             */
            cron?: string | null;
            /**
             * @description The time zone by whose clock `cron` is read. The default is `UTC`.
             * @example Europe/Paris
             */
            cron_zone?: string | null;
            /**
             * Format: int32
             * @description How often its alert repeats while it is down, in seconds. The default is 0, which means never.
             */
            resend_interval_sec?: number | null;
            /** @description Words that it is found by and that its alerts are routed by. */
            tags?: string[] | null;
            /** @description False pauses it. The default is true. */
            enabled?: boolean | null;
        };
        /** @description A heartbeat that was just created. */
        CreatedHeartbeat: components["schemas"]["ConfiguredHeartbeat"] & {
            /**
             * @description What the job calls.
             * @example https://dogwatch.example.com/ping/dogwatch_beat_4fD0
             */
            ping_url: string;
        };
        /** @description What the job calls. */
        PingUrl: {
            /**
             * @description A secret. `GET`, `HEAD` and `POST` are the same to it.
             * @example https://dogwatch.example.com/ping/dogwatch_beat_4fD0
             */
            ping_url: string;
        };
        /** @description A time in which nobody is told about some checks and heartbeats. Answers to changes have no `state`. */
        MaintenanceWindow: {
            /** @description Names the window. */
            guid: string;
            key?: components["schemas"]["Key"];
            /**
             * @description What people call it. At most 100 characters.
             * @example Database upgrade
             */
            name: string;
            scope: components["schemas"]["Scope"];
            /**
             * @description When it begins for the first time, by the clock of the zone.
             * @example 2026-11-23T02:00
             */
            starts_at: string;
            /**
             * Format: int32
             * @description How many seconds it lasts, from a minute to 30 days.
             * @example 3600
             */
            duration_sec: number;
            /**
             * @description The name of a time zone.
             * @example Europe/Paris
             */
            zone: string;
            /**
             * @description How it repeats, a recurrence rule of RFC 5545 without its start. Absent means once.
             * @example FREQ=WEEKLY;BYDAY=SA
             */
            rule?: string;
            /** @description Whether the status page announces it. */
            is_public?: boolean;
            /** @description Whether it is on, will be on or is over. */
            state?: string;
            /**
             * Format: date-time
             * @description When what is on or comes next began or will begin; when it is over, what was last. Absent when it never was on.
             * @example 2026-11-23T01:00:00.000000Z
             */
            begins_at?: string;
            /**
             * Format: date-time
             * @description When that ends or ended.
             * @example 2026-11-23T02:00:00.000000Z
             */
            ends_at?: string;
        };
        /** @description One page of maintenance windows. */
        MaintenanceWindowPage: {
            /** @description At most `limit` of them. */
            windows: components["schemas"]["MaintenanceWindow"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description The fields of a maintenance window. `guid`, `state`, `begins_at` and `ends_at` are ignored, so that what was read can be sent back. */
        MaintenanceWindowInput: {
            /**
             * @description A name of your own for it, which no other maintenance window of the organisation has: 1 to 64 characters of `a-z`, `0-9`, `.`, `_` and `-`, beginning with a letter or digit. Left out, it stays as it is; null takes it away.
             * @example nightly
             */
            key?: string | null;
            /**
             * @description What people call it. At most 100 characters.
             * @example Database upgrade
             */
            name?: string | null;
            scope?: components["schemas"]["Scope"];
            /**
             * @description When it begins for the first time, by the clock of the zone.
             * @example 2026-11-23T02:00
             */
            starts_at?: string | null;
            /**
             * Format: int32
             * @description How many seconds it lasts, from a minute to 30 days.
             * @example 3600
             */
            duration_sec?: number | null;
            /**
             * @description The name of a time zone; UTC if it is left out.
             * @example Europe/Paris
             */
            zone?: string | null;
            /**
             * @description How it repeats, a recurrence rule of RFC 5545 without its start. Absent means once.
             * @example FREQ=WEEKLY;BYDAY=SA
             */
            rule?: string | null;
            /** @description Whether the status page announces it. */
            is_public?: boolean | null;
        };
        /** @description What a run came to. Absent unless it is `done`. Of a private definition only the verdict and its numbers are known. */
        RunResult: {
            /** @description The verdict. Absent when there is none, and `not_run` says why. */
            success?: boolean;
            /** @description Why there is no verdict. */
            not_run?: string;
            /**
             * Format: date-time
             * @description When the run began.
             * @example 2026-11-20T10:00:00.000000Z
             */
            ran_at?: string;
            /**
             * @description `ok`, or the rule that failed or the trouble that there was, such as `status` or `timeout`.
             * @example timeout
             */
            kind?: string;
            /** @description Why it failed, in a line. */
            error?: string;
            /**
             * Format: int32
             * @description The status of the last http answer. Absent when there was none.
             */
            http_status?: number;
            /**
             * Format: int32
             * @description How long the target took, in milliseconds.
             */
            latency_ms?: number;
            /** @description The address that was dialled last. */
            address?: string;
            /**
             * Format: int32
             * @description How many whole days the certificate that ends first has left; negative when it has ended. Absent when none was presented.
             */
            certificate_days?: number;
            /** @description Where it was redirected, in order. Absent when it was not. */
            redirects?: string[];
            /** @description The beginning of what the target sent back. */
            response_sample?: string;
        };
        /** @description A run that somebody asked for, and what it came to. */
        Run: {
            /** @description Names the run. */
            id: string;
            /** @description The monitor that was asked. */
            monitor_id: string;
            /** @description Its name. Absent when it has none, and in the answer to the request for a run. */
            monitor_name?: string;
            /** @description The monitor has not reported yet (`waiting`), it has (`done`), or it has not within two minutes and will not any more (`lost`). */
            state: string;
            result?: components["schemas"]["RunResult"];
        };
        /** @description One change. */
        AuditEntry: {
            /**
             * Format: int64
             * @description Names the entry. Later entries have larger ones.
             */
            id: number;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-11-20T10:00:00.000000Z
             */
            created_at: string;
            /**
             * @description Who made it, an email address; `operator` for whoever runs the server, and `dogwatch` for the server itself.
             * @example ann@example.com
             */
            actor: string;
            /** @description The administrator who acted as `actor`. Absent when nobody did. */
            impersonator?: string;
            /**
             * @description What was done.
             * @example check.edit
             */
            action: string;
            /**
             * @description The name of what was changed, as it was then. With `times`, that of the last change.
             * @example Shop
             */
            subject: string;
            /** @description More about it, by action. Absent when there is no more. */
            detail?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description Number of changes that the entry stands for. Absent when it is one.
             */
            times?: number;
            /**
             * Format: date-time
             * @description When the last of them was made. Absent when it is one.
             */
            last_at?: string;
        };
        /** @description One page of the audit log. */
        AuditPage: {
            /** @description At most `limit` of them. */
            entries: components["schemas"]["AuditEntry"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description A check or a heartbeat on the status page, one of the two. */
        StatusPageEntry: {
            /** @description The check, by guid or `key:NAME`. Answers say guids. */
            check?: string;
            /** @description The heartbeat, by guid or `key:NAME`. Answers say guids. */
            heartbeat?: string;
            /**
             * @description What the public reads instead of its name. At most 100 characters.
             * @example Shop
             */
            public_name: string;
        };
        /** @description The public status page. */
        StatusPage: {
            /**
             * @description The end of its address, `/status/SLUG`. 3 to 40 lower-case letters, digits and hyphens.
             * @example acme
             */
            slug: string;
            /**
             * @description Its title. At most 100 characters.
             * @example Acme
             */
            title: string;
            /** @description A text below the title. At most 1,000 characters. */
            description?: string;
            /** @description Whether it is shown. */
            enabled: boolean;
            /** @description What it shows, in this order. */
            entries: components["schemas"]["StatusPageEntry"][];
        };
        /** @description The new status page. */
        StatusPageInput: {
            /**
             * @description The end of its address, `/status/SLUG`. 3 to 40 lower-case letters, digits and hyphens.
             * @example acme
             */
            slug: string;
            /**
             * @description Its title. At most 100 characters.
             * @example Acme
             */
            title: string;
            /** @description A text below the title. At most 1,000 characters. */
            description?: string;
            /** @description Whether it is shown. */
            enabled?: boolean;
            /** @description What it shows, in this order. */
            entries: components["schemas"]["StatusPageEntry"][];
        };
        /** @description A range in numbers. */
        SummaryTotal: {
            /**
             * Format: int32
             * @description How many results arrived, without those of maintenance.
             */
            runs: number;
            /**
             * Format: int32
             * @description How many of them were failures.
             */
            failures: number;
            /** @description Percent of the runs that passed, rounded down to two digits. Absent when there were none. */
            uptime?: number;
            /** @description Percent of the runs that were due which arrived. Absent when none was due. */
            coverage?: number;
            /**
             * Format: int32
             * @description How many seconds the range has, from when the check existed. The five times below add up to it.
             */
            total_sec: number;
            /**
             * Format: int32
             * @description For how long it was up, by the share of the runs that passed.
             */
            up_sec: number;
            /**
             * Format: int32
             * @description For how long it failed.
             */
            failing_sec: number;
            /**
             * Format: int32
             * @description Seconds during which the check was due to run but was not monitored.
             */
            unknown_sec: number;
            /**
             * Format: int32
             * @description For how long it was not to run.
             */
            paused_sec: number;
            /**
             * Format: int32
             * @description For how long it was under maintenance.
             */
            maintenance_sec: number;
            /**
             * Format: int32
             * @description Mean response time of the successes, in milliseconds. Absent when there were none.
             */
            mean_ms?: number;
            /**
             * Format: int32
             * @description The slowest success, in milliseconds. Absent when there was none.
             */
            max_ms?: number;
            /**
             * Format: int32
             * @description Half of the successes were at most as slow, in milliseconds, within 2 %. Absent when there were none, and while a part of the range was
             *     summed up by a server of an earlier build.
             */
            p50_ms?: number;
            /**
             * Format: int32
             * @description The 95th percentile of successful response times, with the same accuracy as `p50_ms`.
             */
            p95_ms?: number;
        };
        /** @description A step in numbers. */
        SummaryStep: {
            /**
             * Format: date-time
             * @description When it begins.
             * @example 2026-11-20T09:00:00.000000Z
             */
            at: string;
            /**
             * Format: int32
             * @description How many results arrived, without those of maintenance.
             */
            runs: number;
            /**
             * Format: int32
             * @description How many of them were failures.
             */
            failures: number;
            /** @description Percent of the runs that passed, rounded down to two digits. Absent when there were none. */
            uptime?: number;
            /** @description Percent of the runs that were due which arrived. Absent when none was due. */
            coverage?: number;
            /**
             * Format: int32
             * @description For how many seconds it was to run, and nobody watched. Absent means 0.
             */
            unknown_sec?: number;
            /**
             * Format: int32
             * @description For how many seconds it was under maintenance. Absent means 0.
             */
            maintenance_sec?: number;
            /**
             * Format: int32
             * @description Mean response time of the successes, in milliseconds. Absent when there were none.
             */
            mean_ms?: number;
            /**
             * Format: int32
             * @description The slowest success, in milliseconds. Absent when there was none.
             */
            max_ms?: number;
            /**
             * Format: int32
             * @description Half of the successes were at most as slow, in milliseconds: exactly in steps of an hour over at most eight days, else within 2 %.
             *     Absent when there were none, and while the step was summed up by a server of an earlier build.
             */
            p50_ms?: number;
            /**
             * Format: int32
             * @description All successes but the slowest twentieth were at most as slow. Known as the median is.
             */
            p95_ms?: number;
        };
        /** @description The history of a check over a range. */
        CheckSummary: {
            /** @description The check. */
            guid: string;
            key?: components["schemas"]["Key"];
            /** @description Its name. */
            name: string;
            /**
             * Format: date-time
             * @description When the range begins.
             * @example 2026-11-19T10:00:00.000000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description When it ends.
             * @example 2026-11-20T10:00:00.000000Z
             */
            until: string;
            /** @description How long a step is. */
            step: string;
            total: components["schemas"]["SummaryTotal"];
            /** @description Each step, the oldest first, from when the check existed and its results are kept. */
            steps: components["schemas"]["SummaryStep"][];
        };
        /** @description The total of one check. */
        SummaryOfCheck: {
            /** @description The check. */
            guid: string;
            key?: components["schemas"]["Key"];
            /** @description Its name. */
            name: string;
            total: components["schemas"]["SummaryTotal"];
        };
        /** @description The totals of many checks over a range. */
        SummaryPage: {
            /**
             * Format: date-time
             * @description When the range begins.
             * @example 2026-11-19T10:00:00.000000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description When it ends.
             * @example 2026-11-20T10:00:00.000000Z
             */
            until: string;
            /** @description At most `limit` of them. */
            summaries: components["schemas"]["SummaryOfCheck"][];
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description A check or heartbeat being down, from start to end. */
        Incident: {
            /** @description Names the incident. */
            id: string;
            /** @description What it is about. */
            kind: string;
            /** @description The `guid` of the check or heartbeat. */
            guid: string;
            /** @description Its name, as it is now. */
            name: string;
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-11-20T10:00:00.000000Z
             */
            began_at: string;
            /**
             * Format: date-time
             * @description When it ended. Absent while it is open.
             * @example 2026-11-20T10:05:00.000000Z
             */
            ended_at?: string;
            /** @description Why it ended: the target recovered, its check or heartbeat was disabled or deleted, or it no longer counts as down by its present rules (`threshold`). Absent while it is open. */
            end_reason?: string;
            /**
             * @description What went wrong, in a few words.
             * @example timeout: no answer within 10 s
             */
            cause: string;
            /**
             * @description Why it counted as down. Absent of a heartbeat, and where it was not recorded.
             * @example failing from 2 of 3 monitors for 2 min
             */
            verdict?: string;
            /**
             * @description When the alert will be sent, if nobody has been notified yet. Absent when somebody was, and when it has ended.
             * @example after the quiet hours
             */
            held?: string;
            /**
             * Format: date-time
             * @description When somebody acknowledged it. Absent while nobody has.
             * @example 2026-11-20T10:02:00.000000Z
             */
            acknowledged_at?: string;
            /**
             * @description Who acknowledged it.
             * @example ann@example.com (token on call)
             */
            acknowledged_by?: string;
        };
        /** @description One page of incidents. */
        IncidentPage: {
            /** @description At most `limit` of them. */
            incidents: components["schemas"]["Incident"][];
            /**
             * Format: int32
             * @description How many are open in the whole organisation.
             */
            open: number;
            /** @description Send it as `after` to get the next page. Absent on the last one. */
            next?: string;
        };
        /** @description The failure that it began with. Absent of a heartbeat, and when the result is not stored any more. */
        IncidentFailure: {
            /**
             * Format: date-time
             * @description When it ran.
             * @example 2026-11-20T09:59:30.000000Z
             */
            ran_at: string;
            /** @description The monitor that ran it. */
            monitor_id: string;
            /** @description Its name. Absent when it has none. */
            monitor_name?: string;
            /**
             * Format: int32
             * @description How long it took.
             */
            latency_ms: number;
            /**
             * Format: int32
             * @description The status that the target answered. Absent when there was none.
             */
            http_status?: number;
            /** @description What went wrong. */
            error?: string;
            /** @description The beginning of what the target sent back. */
            response_sample?: string;
        };
        /** @description What the job said when it reported its failure. Absent of a check, and when no such ping is stored. */
        IncidentPing: {
            /**
             * Format: int32
             * @description The exit code that it reported. Absent when it reported none.
             */
            exit_code?: number;
            /** @description What the job sent with it. */
            body?: string;
        };
        /** @description What one monitor saw until the check counted as down. */
        IncidentMonitor: {
            /** @description The id of the monitor. */
            id: string;
            /** @description Its name. Absent when it has none. */
            name?: string;
            /**
             * Format: date-time
             * @description When the first of its failures in a row ran. Absent when its last result was a success.
             * @example 2026-11-20T09:59:30.000000Z
             */
            failing_since?: string;
            /**
             * Format: int32
             * @description How many failures in a row there were.
             */
            failures?: number;
            /**
             * Format: date-time
             * @description When its last result ran.
             * @example 2026-11-20T10:00:00.000000Z
             */
            last_at: string;
        };
        /** @description One entry of a timeline. */
        IncidentEntry: {
            /**
             * Format: date-time
             * @description When it happened, or will happen.
             * @example 2026-11-20T10:00:00.000000Z
             */
            at: string;
            /** @description Something failed (`bad`), looked doubtful (`warn`) or recovered (`good`); an alert (`told`), or something that a person did (`said`). */
            kind: string;
            /**
             * @description What happened, in one sentence.
             * @example Down alert delivered to Ops
             */
            title: string;
            /** @description More about it. Absent when there is no more. */
            lines?: string[];
            /** @description It is still to come. */
            planned?: boolean;
        };
        /** @description A note that somebody wrote on an incident. */
        IncidentNote: {
            /**
             * Format: int64
             * @description Names the note.
             */
            id: number;
            /**
             * Format: date-time
             * @description When it was written.
             * @example 2026-11-20T10:10:00.000000Z
             */
            created_at: string;
            /**
             * @description Who wrote it.
             * @example ann@example.com (token on call)
             */
            author: string;
            /** @description What it says. */
            note: string;
            /**
             * Format: date-time
             * @description When its author last changed it. Absent when nobody has.
             * @example 2026-11-20T10:20:00.000000Z
             */
            edited_at?: string;
        };
        /** @description What people wrote about it when it was over. Absent when nobody has. */
        IncidentPostmortem: {
            /** @description What it says, in Markdown. */
            text: string;
            /**
             * Format: date-time
             * @description When it was saved.
             * @example 2026-11-21T10:00:00.000000Z
             */
            edited_at: string;
            /** @description Who saved it. */
            edited_by: string;
        };
        /** @description Another incident that began at about the same time. */
        IncidentNeighbour: {
            /** @description Names the other incident. */
            id: string;
            /** @description What it is about. */
            kind: string;
            /** @description The `guid` of its check or heartbeat. */
            guid: string;
            /** @description The name of its check or heartbeat. */
            name: string;
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-11-20T10:00:10.000000Z
             */
            began_at: string;
            /**
             * Format: date-time
             * @description When it ended. Absent while it is open.
             * @example 2026-11-20T10:05:10.000000Z
             */
            ended_at?: string;
        };
        /** @description An incident with all that is known of it. */
        IncidentInDetail: components["schemas"]["Incident"] & {
            /** @description The tags of the check or heartbeat, as they are now. Absent when it has none. */
            tags?: string[];
            /** @description The definition of the check is not known to the server, so that only the kind of failure is told. */
            private_definition?: boolean;
            failure?: components["schemas"]["IncidentFailure"];
            ping?: components["schemas"]["IncidentPing"];
            /** @description What each monitor of the check saw until it counted as down, those that failed first before the others. */
            monitors?: components["schemas"]["IncidentMonitor"][];
            /**
             * Format: date-time
             * @description Until when alerts about the check or heartbeat are held. Absent when it is not muted.
             * @example 2026-11-20T11:00:00.000000Z
             */
            muted_until?: string;
            /** @description Who muted it. */
            muted_by?: string;
            /** @description The mute ends with the incident, and at `muted_until` at the latest. Absent means no. */
            until_resolved?: boolean;
            /** @description What happened, the oldest first; what is still to come stands last. */
            timeline?: components["schemas"]["IncidentEntry"][];
            /** @description What people wrote about it, the oldest first. Absent when there are none. */
            notes?: components["schemas"]["IncidentNote"][];
            postmortem?: components["schemas"]["IncidentPostmortem"];
            /** @description Other incidents that began within a minute of it. Absent when there are none. */
            neighbours?: components["schemas"]["IncidentNeighbour"][];
        };
        /** @description The notes on an incident. */
        IncidentNotes: {
            /** @description The oldest first. */
            notes: components["schemas"]["IncidentNote"][];
        };
        /** @description A note to be written. */
        IncidentNoteInput: {
            /** @description At most 2,000 characters; not blank. */
            note: string;
        };
        /** @description The note that was deleted. */
        DeletedNote: {
            /**
             * Format: int64
             * @description The `id` that it had.
             */
            id: number;
        };
        /** @description The text of a postmortem. */
        PostmortemInput: {
            /** @description At most 20,000 characters, in Markdown; not blank. */
            text: string;
        };
        /** @description What is left of a postmortem. */
        DeletedPostmortem: Record<string, never>;
        /** @description A change of a channel. */
        BulkChannel: {
            /** @enum {string} */
            kind: "channel";
            body?: components["schemas"]["ChannelInput"];
        };
        /** @description A change of a check. */
        BulkCheck: {
            /** @enum {string} */
            kind: "check";
            body?: components["schemas"]["CheckInput"];
        };
        /** @description A change of a heartbeat. */
        BulkHeartbeat: {
            /** @enum {string} */
            kind: "heartbeat";
            body?: components["schemas"]["HeartbeatInput"];
        };
        /** @description A change of a maintenance window. */
        BulkWindow: {
            /** @enum {string} */
            kind: "window";
            body?: components["schemas"]["MaintenanceWindowInput"];
        };
        /** @description A change of a route. */
        BulkRoute: {
            /** @enum {string} */
            kind: "route";
            body?: components["schemas"]["RouteInput"];
        };
        /** @description A change of the status page, which is put without `key` and `id`, and never deleted. */
        BulkStatusPage: {
            /** @enum {string} */
            kind: "status_page";
            body?: components["schemas"]["StatusPageInput"];
        };
        /** @description One change. It names its thing by `key` or `id`, one of the two; the status page by neither. */
        BulkChange: {
            /**
             * @description `put` sets all fields of a thing, and creates it if none has its `key`. `delete` deletes one that exists.
             * @enum {string}
             */
            action: "put" | "delete";
            /**
             * @description What kind of thing it is.
             * @enum {string}
             */
            kind: "channel" | "check" | "heartbeat" | "window" | "route" | "status_page";
            /**
             * @description The key of the thing.
             * @example shop
             */
            key?: string;
            /** @description The guid or id of a thing that exists. */
            id?: string;
            /** @description The state that the thing must be in: its `ETag` without the quotes, or `found` of a dry run. `none`: there must be none. */
            if_match?: string;
        } & (components["schemas"]["BulkChannel"] | components["schemas"]["BulkCheck"] | components["schemas"]["BulkHeartbeat"] | components["schemas"]["BulkWindow"] | components["schemas"]["BulkRoute"] | components["schemas"]["BulkStatusPage"]);
        /** @description Changes that are made together. */
        BulkRequest: {
            /** @description If true, nothing is stored. The `Idempotency-Key` of a dry run is ignored. */
            dry_run?: boolean;
            /** @description At most 1,000. Each must name a different item. */
            changes: components["schemas"]["BulkChange"][];
            /**
             * @description Routes in the order in which they are to decide, each by its guid or `key:NAME`. These routes are reordered among their current
             *     positions; other routes do not move. It is done after the changes, and with them or not at all; the token needs the scope for routes.
             */
            route_order?: string[];
        };
        /** @description A field that differs. Values longer than 300 characters are told by their beginning, and secrets as `(secret)`. */
        BulkDifference: {
            /**
             * @description The name of the field.
             * @example interval_sec
             */
            field: string;
            /** @description Its value before; absent where it was not set. */
            before?: unknown;
            /** @description Its value after; absent where it is not set. */
            after?: unknown;
            /**
             * @description False for a secret that is set and was given in a dry run by a token for which secrets of its kind are not compared: the
             *     response does not reveal whether they differ.
             *     False with `may_be_needed` as well. Absent otherwise.
             */
            compared?: boolean;
            /**
             * @description True for a secret that is set and was left out in a dry run by a token that may not write channels, while a place was given: the change
             *     is refused without it if that is another place than the present one. Absent otherwise.
             */
            may_be_needed?: boolean;
        };
        /** @description The outcome of one change. */
        BulkChanged: {
            /** @enum {string} */
            action: "created" | "replaced" | "deleted" | "unchanged";
            /**
             * @description The `kind` of the change.
             * @example check
             */
            kind: string;
            key?: components["schemas"]["Key"];
            /** @description The guid or id of the thing. In a dry run, that of a thing that would be created is made up. */
            id: string;
            /**
             * @description The state of the thing before the change, as `if_match` takes it; `none` where there was none.
             * @example 0123456789abcdef0123456789abcdef
             */
            found?: string;
            /** @description The fields that differ. None for what is unchanged, but for secrets that were not compared. */
            fields: components["schemas"]["BulkDifference"][];
        };
        /** @description The number of changes by outcome. */
        BulkCounts: {
            created: number;
            replaced: number;
            deleted: number;
            unchanged: number;
        };
        /** @description What was changed, or would be. */
        BulkAnswer: {
            /** @description What became of each change, in the order of the request. */
            changes: components["schemas"]["BulkChanged"][];
            counts: components["schemas"]["BulkCounts"];
            /** @description Whether the routes of `route_order` were, or would be, in another order by the changes alone. Absent without `route_order`. */
            reordered?: boolean;
        };
        /**
         * @description Text in version 0.0.4 of the Prometheus exposition format.
         * @example # HELP dogwatch_check_up Whether the check is up. Left out while nobody knows, and while it is paused.
         *     # TYPE dogwatch_check_up gauge
         *     dogwatch_check_up{check="8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11",name="Shop"} 1
         */
        Exposition: string;
    };
    responses: {
        /** @description The credential is missing, malformed, unknown, revoked or expired. The cases look alike on purpose. */
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
        /** @description The token lacks the scope of the operation, or is used from an address outside its range. */
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
                "application/problem+json": components["schemas"]["ProblemDetails"];
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
                "application/problem+json": components["schemas"]["ProblemDetails"];
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
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The request breaks the contract. The line names the field at fault and what it must be. Nothing was changed. */
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
        /** @description The `Idempotency-Key` was sent with another request before, or the `key` is taken by another thing of the kind. */
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
        /** @description The body is larger than the operation takes, which is 128 KiB where nothing else is said. */
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
        /** @description The organisation has nothing of that guid. */
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
        /** @description The resource is no longer in the state that `If-Match` names. Nothing was changed. */
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
        /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
        After: string;
        /** @description Only what has this tag. */
        Tag: string;
        /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
        IdempotencyKey: string;
        /**
         * @description The `guid`, compared as text; or `key:` and the key of the thing.
         * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
         */
        Guid: string;
        /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
        IfMatch: string;
        /**
         * @description The `id` of the monitor, compared as text.
         * @example 7k2m9x0c4v5b
         */
        MonitorId: string;
        /**
         * @description The `id` of the token, which is the SHA-256 of its text in hex.
         * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
         */
        EnrollmentTokenId: string;
        /**
         * @description The tag. Upper and lower case are the same.
         * @example shop
         */
        TagName: string;
        /**
         * @description The `id`, compared as text; or `key:` and the key of the thing.
         * @example 12
         */
        Id: string;
        /**
         * @description The `id` of the delivery.
         * @example 31
         */
        Delivery: string;
        /**
         * @description The `id` of the run, compared as text.
         * @example 0c9e7f6a-5b4c-4d3e-8f2a-1b0c9d8e7f6a
         */
        Run: string;
        /**
         * @description The `id`, compared as text.
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
        /**
         * @description Names this state of the resource. Send it as `If-Match`.
         * @example "3f2a9c0d1b4e5f603f2a9c0d1b4e5f60"
         */
        ETag: string;
    };
    pathItems: never;
}
export type Token = components['schemas']['Token'];
export type ErrorLine = components['schemas']['ErrorLine'];
export type ProblemError = components['schemas']['ProblemError'];
export type ProblemDetails = components['schemas']['ProblemDetails'];
export type Check = components['schemas']['Check'];
export type Key = components['schemas']['Key'];
export type ConfiguredCheck = components['schemas']['ConfiguredCheck'];
export type CheckPage = components['schemas']['CheckPage'];
export type CheckInput = components['schemas']['CheckInput'];
export type Deleted = components['schemas']['Deleted'];
export type MuteInput = components['schemas']['MuteInput'];
export type Mute = components['schemas']['Mute'];
export type Result = components['schemas']['Result'];
export type ResultPage = components['schemas']['ResultPage'];
export type Scope = components['schemas']['Scope'];
export type QuietHours = components['schemas']['QuietHours'];
export type RouteRotation = components['schemas']['RouteRotation'];
export type RouteStep = components['schemas']['RouteStep'];
export type Route = components['schemas']['Route'];
export type RoutePage = components['schemas']['RoutePage'];
export type QuietHoursInput = components['schemas']['QuietHoursInput'];
export type RouteInput = components['schemas']['RouteInput'];
export type RoutePlace = components['schemas']['RoutePlace'];
export type PreviewedChannel = components['schemas']['PreviewedChannel'];
export type AlertPreview = components['schemas']['AlertPreview'];
export type ConfiguredMonitor = components['schemas']['ConfiguredMonitor'];
export type MonitorPage = components['schemas']['MonitorPage'];
export type RetiredMonitor = components['schemas']['RetiredMonitor'];
export type MonitorInput = components['schemas']['MonitorInput'];
export type EnrollmentToken = components['schemas']['EnrollmentToken'];
export type EnrollmentTokens = components['schemas']['EnrollmentTokens'];
export type EnrollmentTokenInput = components['schemas']['EnrollmentTokenInput'];
export type CreatedEnrollmentToken = components['schemas']['CreatedEnrollmentToken'];
export type RevokedEnrollmentToken = components['schemas']['RevokedEnrollmentToken'];
export type TagUse = components['schemas']['TagUse'];
export type Tags = components['schemas']['Tags'];
export type DeletedTag = components['schemas']['DeletedTag'];
export type TagInput = components['schemas']['TagInput'];
export type Channel = components['schemas']['Channel'];
export type ChannelPage = components['schemas']['ChannelPage'];
export type ChannelInput = components['schemas']['ChannelInput'];
export type DeletedChannel = components['schemas']['DeletedChannel'];
export type ChannelTest = components['schemas']['ChannelTest'];
export type ConfirmationAsked = components['schemas']['ConfirmationAsked'];
export type DeliveryChannel = components['schemas']['DeliveryChannel'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryPage = components['schemas']['DeliveryPage'];
export type ConfiguredHeartbeat = components['schemas']['ConfiguredHeartbeat'];
export type HeartbeatPage = components['schemas']['HeartbeatPage'];
export type HeartbeatInput = components['schemas']['HeartbeatInput'];
export type CreatedHeartbeat = components['schemas']['CreatedHeartbeat'];
export type PingUrl = components['schemas']['PingUrl'];
export type MaintenanceWindow = components['schemas']['MaintenanceWindow'];
export type MaintenanceWindowPage = components['schemas']['MaintenanceWindowPage'];
export type MaintenanceWindowInput = components['schemas']['MaintenanceWindowInput'];
export type RunResult = components['schemas']['RunResult'];
export type Run = components['schemas']['Run'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditPage = components['schemas']['AuditPage'];
export type StatusPageEntry = components['schemas']['StatusPageEntry'];
export type StatusPage = components['schemas']['StatusPage'];
export type StatusPageInput = components['schemas']['StatusPageInput'];
export type SummaryTotal = components['schemas']['SummaryTotal'];
export type SummaryStep = components['schemas']['SummaryStep'];
export type CheckSummary = components['schemas']['CheckSummary'];
export type SummaryOfCheck = components['schemas']['SummaryOfCheck'];
export type SummaryPage = components['schemas']['SummaryPage'];
export type Incident = components['schemas']['Incident'];
export type IncidentPage = components['schemas']['IncidentPage'];
export type IncidentFailure = components['schemas']['IncidentFailure'];
export type IncidentPing = components['schemas']['IncidentPing'];
export type IncidentMonitor = components['schemas']['IncidentMonitor'];
export type IncidentEntry = components['schemas']['IncidentEntry'];
export type IncidentNote = components['schemas']['IncidentNote'];
export type IncidentPostmortem = components['schemas']['IncidentPostmortem'];
export type IncidentNeighbour = components['schemas']['IncidentNeighbour'];
export type IncidentInDetail = components['schemas']['IncidentInDetail'];
export type IncidentNotes = components['schemas']['IncidentNotes'];
export type IncidentNoteInput = components['schemas']['IncidentNoteInput'];
export type DeletedNote = components['schemas']['DeletedNote'];
export type PostmortemInput = components['schemas']['PostmortemInput'];
export type DeletedPostmortem = components['schemas']['DeletedPostmortem'];
export type BulkChannel = components['schemas']['BulkChannel'];
export type BulkCheck = components['schemas']['BulkCheck'];
export type BulkHeartbeat = components['schemas']['BulkHeartbeat'];
export type BulkWindow = components['schemas']['BulkWindow'];
export type BulkRoute = components['schemas']['BulkRoute'];
export type BulkStatusPage = components['schemas']['BulkStatusPage'];
export type BulkChange = components['schemas']['BulkChange'];
export type BulkRequest = components['schemas']['BulkRequest'];
export type BulkDifference = components['schemas']['BulkDifference'];
export type BulkChanged = components['schemas']['BulkChanged'];
export type BulkCounts = components['schemas']['BulkCounts'];
export type BulkAnswer = components['schemas']['BulkAnswer'];
export type Exposition = components['schemas']['Exposition'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseInternalServerError = components['responses']['InternalServerError'];
export type ResponseOverloaded = components['responses']['Overloaded'];
export type ResponseBadRequest = components['responses']['BadRequest'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseTooLarge = components['responses']['TooLarge'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponsePreconditionFailed = components['responses']['PreconditionFailed'];
export type ParameterLimit = components['parameters']['Limit'];
export type ParameterAfter = components['parameters']['After'];
export type ParameterTag = components['parameters']['Tag'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterGuid = components['parameters']['Guid'];
export type ParameterIfMatch = components['parameters']['IfMatch'];
export type ParameterMonitorId = components['parameters']['MonitorId'];
export type ParameterEnrollmentTokenId = components['parameters']['EnrollmentTokenId'];
export type ParameterTagName = components['parameters']['TagName'];
export type ParameterId = components['parameters']['Id'];
export type ParameterDelivery = components['parameters']['Delivery'];
export type ParameterRun = components['parameters']['Run'];
export type ParameterIncident = components['parameters']['Incident'];
export type ParameterNote = components['parameters']['Note'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderBearerChallenge = components['headers']['BearerChallenge'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type HeaderETag = components['headers']['ETag'];
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
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
                /** @description Only what has this tag. */
                tag?: components["parameters"]["Tag"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
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
                    /** @description Where it can be read, relative to the base URL of the server. */
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
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description The check as it is now. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description The check as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description Until when, and by whom. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing is muted any more, so this is empty. */
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
                /** @description Only successes, or only failures. */
                success?: boolean;
                /** @description Only those of the monitor with this id. */
                monitor?: string;
                /** @description Only those of runs that began before. */
                until?: string;
                /** @description Only those of runs that began then or later. */
                since?: string;
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the page before. */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
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
                    /** @description Where it can be read, relative to the base URL of the server. */
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
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description The route as it is now. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description The route as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
                 * @description The type of the event, as in webhooks.
                 * @example check.down
                 */
                event: string;
                /** @description The check that it is about, by guid or `key:NAME`. */
                check?: string;
                /** @description The heartbeat that it is about, by guid or `key:NAME`. */
                heartbeat?: string;
                /** @description The time that is asked about; now when it is left out. */
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who would be told. */
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
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
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
            /** @description What was retired. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
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
            /** @description The monitor as it is now. */
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
            /** @description The tokens. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
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
                 * @description The `id` of the token, which is the SHA-256 of its text in hex.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                id: components["parameters"]["EnrollmentTokenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was revoked. */
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
                 * @description The tag. Upper and lower case are the same.
                 * @example shop
                 */
                tag: components["parameters"]["TagName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was removed. */
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
                 * @description The tag. Upper and lower case are the same.
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
            /** @description The tag as it is now. */
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
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
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
                    /** @description Where it can be read, relative to the base URL of the server. */
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
                 * @description The `id`, compared as text; or `key:` and the key of the thing.
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text; or `key:` and the key of the thing.
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
            /** @description The channel as it is now. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text; or `key:` and the key of the thing.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text; or `key:` and the key of the thing.
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
            /** @description The channel as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text; or `key:` and the key of the thing.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test message is on its way. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text; or `key:` and the key of the thing.
                 * @example 12
                 */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mail is on its way. */
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
                /** @description Only those to the channel with this id, or `key:NAME`. */
                channel?: string;
                /** @description Only those about the incident with this id. */
                incident?: string;
                /** @description Only those about the check with this guid, or `key:NAME`. */
                check?: string;
                /** @description Only those in this state. One request looks at no more than 20,000 deliveries: in that case a page can contain fewer than `limit` items, or none, and still have a `next`. */
                state?: "pending" | "delivered" | "failed" | "superseded" | "summarised" | "unconfirmed";
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                 * @description The `id` of the delivery.
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
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
                /** @description Only what has this tag. */
                tag?: components["parameters"]["Tag"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
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
                    /** @description Where it can be read, relative to the base URL of the server. */
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
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description The heartbeat as it is now. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description The heartbeat as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The heartbeat as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The heartbeat as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description Until when, and by whom. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing is muted any more, so this is empty. */
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
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
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
            /** @description The window. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    /** @description Where it can be read, relative to the base URL of the server. */
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
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The window. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description The window as it is now. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
            /** @description The window as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
                 * @example 8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11
                 */
                guid: components["parameters"]["Guid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The window. */
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
                /** @description The id of the monitor that is asked; whichever was heard of last when it is left out. */
                monitor?: string;
            };
            header?: {
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
                    /** @description Where it can be read, relative to the base URL of the server. */
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
                /** @description Only those that were made before. */
                until?: string;
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
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
            /** @description The status page as it is now. */
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
                /** @description When the range begins; 24 hours before its end when it is left out. */
                since?: string;
                /** @description When it ends; now when it is left out or in the future. */
                until?: string;
                /** @description How long a step is; an hour for ranges of up to two days, else a day, when it is left out. */
                step?: "hour" | "day";
            };
            header?: never;
            path: {
                /**
                 * @description The `guid`, compared as text; or `key:` and the key of the thing.
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
                /** @description Only what has this tag. */
                tag?: components["parameters"]["Tag"];
                /** @description When the range begins; 24 hours before its end when it is left out. */
                since?: string;
                /** @description When it ends; now when it is left out or in the future. */
                until?: string;
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                /** @description Only those that are open, or only those that have ended. */
                state?: "open" | "ended";
                /** @description Only those of the check with this guid, or `key:NAME`. */
                check?: string;
                /** @description Only those of the heartbeat with this guid, or `key:NAME`. Ignored beside `check`. */
                heartbeat?: string;
                /** @description Only what has this tag. */
                tag?: components["parameters"]["Tag"];
                /** @description Only those that began then or later. */
                since?: string;
                /** @description Only those that began before. */
                until?: string;
                /** @description The maximum number of items per page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next` of the page before. If it is no longer valid, the response is 400; start again from the first page. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                 * @description The `id`, compared as text.
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The incident as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The incident as it is now. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
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
            /** @description Until when, and by whom. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An empty object, because the mute has ended. */
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
                 * @description The `id`, compared as text.
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
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
                 * @description The `id`, compared as text.
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
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
            /** @description The note as it is now. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
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
            /** @description What was deleted. */
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
                 * @description The `id`, compared as text.
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
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
            /** @description The postmortem as it is now. */
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
                /** @description The `ETag` that the change is based on. If the resource has another one by now, nothing is changed, and the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The `id`, compared as text.
                 * @example 5f0c1c2b-7d3e-4a90-8b1c-0d9e7f6a5b4c
                 */
                incident: components["parameters"]["Incident"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted, so this is empty. */
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
                /** @description A key of your own for this request, for example a UUID. A repeat with the same key within a day is answered as the first was; the same key with another request is a 409. */
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
            /** @description What was changed, or would be. */
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
                /** @description Only what has this tag. */
                tag?: components["parameters"]["Tag"];
                /** @description Only the check with this guid, or `key:NAME`, and nothing else. */
                check?: string;
                /** @description Which of the `parts`. A check or heartbeat is in one of them, with all of its metrics, and stays in it as long as there are as many. */
                part?: number;
                /** @description In how many parts of about the same size everything is taken. Required with `part`, and refused beside `check`. */
                parts?: number;
                /** @description `all` names each check and heartbeat in every line; `id` only in `dogwatch_check_info` and `dogwatch_heartbeat_info`, which makes the answer a quarter smaller. */
                labels?: "all" | "id";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics, all of them gauges. */
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
