-- A database of the previous version: the schema as of 0256_quorums_index, in the words of the catalogue, with a few rows.
set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.copy_degraded_rules()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update assignments set degraded_over_ms = new.degraded_over_ms, cert_warn_days = new.cert_warn_days
  where org_id = new.org_id and check_id = new.check_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.copy_result_detail_max_chars()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update assignments set result_detail_max_chars = new.result_detail_max_chars
  where org_id = new.org_id and check_id = new.check_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.database_time()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$ select clock_timestamp() $function$;

CREATE OR REPLACE FUNCTION public.destination_of_columns()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.destination is null or (tg_op = 'UPDATE' and new.destination is not distinct from old.destination
      and (new.ntfy_topic, new.email, new.webhook_url, new.webhook_secret)
        is distinct from (old.ntfy_topic, old.email, old.webhook_url, old.webhook_secret)) then
    new.destination := jsonb_strip_nulls(jsonb_build_object(
      'ntfy_topic', nullif(new.ntfy_topic, ''), 'email', nullif(new.email, ''),
      'webhook_url', nullif(new.webhook_url, ''), 'webhook_secret', nullif(new.webhook_secret, '')));
  else
    new.ntfy_topic := coalesce(new.destination ->> 'ntfy_topic', '');
    new.webhook_url := coalesce(new.destination ->> 'webhook_url', '');
    new.webhook_secret := coalesce(new.destination ->> 'webhook_secret', '');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  org bigint := case when tg_op = 'DELETE' then old.org_id else new.org_id end;
  noted text := coalesce(nullif(current_setting('dogwatch.changed', true), ''), ',');
  change bigint := pg_current_xact_id()::text::bigint;
  noted_at timestamptz := database_time();
begin
  -- The shared fleet belongs to no organisation.
  if org is null or position(format(',%s,', org) in noted) > 0 then
    return null;
  end if;
  insert into changes (org_id, change_id, changed_at) values (org, change, noted_at) on conflict do nothing;
  if tg_table_name <> 'deliveries' then
    perform set_config('dogwatch.changed', right(noted || org || ',', 2000), true);
    perform pg_notify('dogwatch_changes', format('%s %s', org, change));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_heartbeat_day()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into heartbeat_days (org_id, heartbeat_id, day)
    values (new.org_id, new.heartbeat_id, (new.created_at at time zone 'UTC')::date)
    on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.stamp_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := sync_tick();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.sync_tick()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
declare
  tick timestamptz := nullif(current_setting('dogwatch.tick', true), '')::timestamptz;
begin
  if tick is null then
    -- Both the same, or a reader at t would take the change for one that is still to come. The lock is held by the first
    -- statement, so that the time is told after the transactions before this one have ended.
    perform from sync_clock for update;
    tick := greatest(clock_timestamp(), (select t from sync_clock) + interval '1 microsecond');
    update sync_clock set t = tick, changed_at = tick;
    perform set_config('dogwatch.tick', tick::text, true);
    notify dogwatch_sync;
  end if;
  return tick;
end $function$;

CREATE OR REPLACE FUNCTION public.take_degraded_rules()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select c.degraded_over_ms, c.cert_warn_days into new.degraded_over_ms, new.cert_warn_days
  from checks c where c.org_id = new.org_id and c.check_id = new.check_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.tick_first()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform sync_tick();
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.touch_checks_of_monitor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update checks c set updated_at = c.updated_at
  from assignments a
  where a.monitor_id = new.id and a.active and c.org_id = a.org_id and c.check_id = a.check_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.touch_newly_assigned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update checks c set updated_at = updated_at
  from (select distinct org_id, check_id from new_rows where active) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id
    and c.updated_at is distinct from nullif(current_setting('dogwatch.tick', true), '')::timestamptz;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.touch_reassigned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update checks c set updated_at = updated_at
  from (
    select distinct org_id, check_id from new_rows
    where updated_at = nullif(current_setting('dogwatch.tick', true), '')::timestamptz
  ) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id
    and c.updated_at is distinct from nullif(current_setting('dogwatch.tick', true), '')::timestamptz;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.wire_time(t timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((t AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text);

CREATE TABLE alert_routes (
  org_id bigint NOT NULL,
  route_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  guid text COLLATE "C" NOT NULL,
  name text NOT NULL,
  position integer NOT NULL,
  scope jsonb NOT NULL,
  events text[] NOT NULL,
  severity text,
  quiet jsonb,
  delay_sec integer NOT NULL,
  steps jsonb NOT NULL,
  enabled boolean NOT NULL,
  created_at timestamp with time zone NOT NULL,
  key text COLLATE "C",
  CONSTRAINT alert_routes_org_id_guid_key UNIQUE (org_id, guid),
  CONSTRAINT alert_routes_pkey PRIMARY KEY (org_id, route_id)
);
CREATE UNIQUE INDEX alert_routes_key ON public.alert_routes USING btree (org_id, key) WHERE (key IS NOT NULL);

CREATE TABLE arrival_horizon (
  is_the_one boolean NOT NULL DEFAULT true,
  announced timestamp with time zone NOT NULL,
  settled timestamp with time zone NOT NULL,
  waits_for text[],
  CONSTRAINT arrival_horizon_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT arrival_horizon_is_the_one_check CHECK (is_the_one)
) WITH (fillfactor=50);

CREATE TABLE asked_runs (
  org_id bigint NOT NULL,
  run_id text NOT NULL,
  monitor_id text NOT NULL,
  check_id bigint,
  definition jsonb,
  asked_by bigint NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  handed_at timestamp with time zone,
  report jsonb,
  reported_at timestamp with time zone,
  CONSTRAINT asked_runs_pkey PRIMARY KEY (org_id, run_id),
  CONSTRAINT asked_runs_check CHECK (((check_id IS NULL) <> (definition IS NULL)))
);
CREATE INDEX asked_runs_by_age ON public.asked_runs USING btree (asked_at);
CREATE INDEX asked_runs_of_monitor ON public.asked_runs USING btree (monitor_id, asked_at);

CREATE TABLE assignments (
  monitor_id text COLLATE "C" NOT NULL,
  guid text COLLATE "C" NOT NULL,
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  active boolean NOT NULL,
  result_detail_max_chars integer NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  degraded_over_ms integer NOT NULL DEFAULT 0,
  cert_warn_days integer NOT NULL DEFAULT 0,
  CONSTRAINT assignments_pkey PRIMARY KEY (monitor_id, guid)
) WITH (fillfactor=80);
CREATE INDEX assignments_check ON public.assignments USING btree (org_id, check_id, monitor_id) WHERE active;
CREATE TRIGGER assignments_stamp BEFORE UPDATE ON public.assignments FOR EACH ROW WHEN ((old.active IS DISTINCT FROM new.active)) EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER assignments_stamp_new BEFORE INSERT ON public.assignments FOR EACH ROW EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER assignments_take_degraded_rules BEFORE INSERT ON public.assignments FOR EACH ROW EXECUTE FUNCTION take_degraded_rules();
CREATE TRIGGER assignments_tick BEFORE INSERT OR UPDATE OF active ON public.assignments FOR EACH STATEMENT EXECUTE FUNCTION tick_first();
CREATE TRIGGER assignments_touch AFTER UPDATE ON public.assignments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_reassigned();
CREATE TRIGGER assignments_touch_new AFTER INSERT ON public.assignments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_newly_assigned();

CREATE TABLE audit_entries (
  org_id bigint NOT NULL,
  entry_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at timestamp with time zone NOT NULL,
  actor text NOT NULL,
  impersonator text,
  action text NOT NULL,
  subject text NOT NULL,
  check_id bigint,
  detail jsonb NOT NULL DEFAULT '{}'::jsonb,
  summary_of timestamp with time zone,
  times integer,
  last_at timestamp with time zone,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (org_id, entry_id)
);
CREATE INDEX audit_entries_newest ON public.audit_entries USING btree (org_id, created_at);
CREATE UNIQUE INDEX audit_entries_summary ON public.audit_entries USING btree (org_id, summary_of, actor, action, COALESCE(impersonator, ''::text), COALESCE((detail ->> 'token'::text), ''::text)) WHERE (summary_of IS NOT NULL);
CREATE TRIGGER audit_entries_begun AFTER INSERT ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER audit_entries_repeated AFTER UPDATE ON public.audit_entries FOR EACH ROW WHEN ((old.times IS DISTINCT FROM new.times)) EXECUTE FUNCTION note_change();

CREATE TABLE changes (
  org_id bigint NOT NULL,
  change_id bigint NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT changes_pkey PRIMARY KEY (org_id, change_id)
);
CREATE INDEX changes_newest ON public.changes USING btree (changed_at);

CREATE TABLE channel_confirmations (
  token_hash bytea NOT NULL,
  org_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  email text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT channel_confirmations_pkey PRIMARY KEY (token_hash)
);

CREATE TABLE check_guids (
  guid text COLLATE "C" NOT NULL,
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  CONSTRAINT check_guids_pkey PRIMARY KEY (guid)
);

CREATE TABLE check_schedules (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  since timestamp with time zone NOT NULL,
  until timestamp with time zone,
  interval_sec integer NOT NULL,
  run_by bigint NOT NULL,
  watched_since timestamp with time zone NOT NULL,
  due double precision,
  CONSTRAINT check_schedules_pkey PRIMARY KEY (org_id, check_id, since)
) WITH (fillfactor=80);
CREATE UNIQUE INDEX check_schedules_open ON public.check_schedules USING btree (org_id, check_id) WHERE (until IS NULL);

CREATE TABLE check_states (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  rejudge_at timestamp with time zone,
  unmonitored_since timestamp with time zone,
  wipe_until timestamp with time zone,
  judged_from timestamp with time zone,
  late_since timestamp with time zone,
  late_from timestamp with time zone,
  unmonitored_quietly boolean NOT NULL DEFAULT false,
  late_n bigint NOT NULL DEFAULT 0,
  changes jsonb NOT NULL DEFAULT '[]'::jsonb,
  flapping_since timestamp with time zone,
  change_count integer NOT NULL DEFAULT 0,
  judged_at timestamp with time zone,
  quorum text[],
  quorum_since timestamp with time zone,
  quorum_turns integer,
  quorum_left jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT check_states_pkey PRIMARY KEY (org_id, check_id)
) WITH (fillfactor=70);
CREATE INDEX check_states_quorum ON public.check_states USING btree (org_id, check_id) WHERE (quorum IS NOT NULL);
CREATE INDEX check_states_rejudge ON public.check_states USING btree (rejudge_at) WHERE (rejudge_at IS NOT NULL);
CREATE INDEX check_states_unmonitored ON public.check_states USING btree (org_id, check_id) WHERE (unmonitored_since IS NOT NULL);
CREATE INDEX check_states_wipe ON public.check_states USING btree (wipe_until) WHERE (wipe_until IS NOT NULL);
CREATE TRIGGER check_states_changed AFTER UPDATE ON public.check_states FOR EACH ROW WHEN (((old.unmonitored_since IS DISTINCT FROM new.unmonitored_since) OR (old.flapping_since IS DISTINCT FROM new.flapping_since))) EXECUTE FUNCTION note_change();

CREATE TABLE checks (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  guid text COLLATE "C" NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  enabled boolean NOT NULL,
  deleted boolean NOT NULL DEFAULT false,
  restricted boolean NOT NULL,
  all_monitors boolean NOT NULL DEFAULT false,
  interval_sec integer NOT NULL,
  timeout_sec integer NOT NULL,
  disable_redirects boolean NOT NULL,
  insecure_skip_verify boolean NOT NULL,
  headers jsonb NOT NULL,
  post_data text NOT NULL,
  match_string text NOT NULL,
  match_mode text NOT NULL,
  status_code_op text NOT NULL,
  status_code_value integer NOT NULL,
  cert_expiry_warn_days integer NOT NULL,
  max_response_time_ms integer NOT NULL,
  invert_result boolean NOT NULL,
  result_detail_max_chars integer NOT NULL,
  down_interval_sec integer NOT NULL,
  resend_interval_sec integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL,
  down_places integer NOT NULL DEFAULT 0,
  down_majority boolean NOT NULL DEFAULT false,
  up_successes integer NOT NULL DEFAULT 0,
  alert_every_change boolean NOT NULL DEFAULT false,
  retry_count integer NOT NULL DEFAULT 0,
  retry_interval_sec integer NOT NULL DEFAULT 0,
  degraded_over_ms integer NOT NULL DEFAULT 0,
  degraded_after integer NOT NULL DEFAULT 0,
  cert_warn_days integer NOT NULL DEFAULT 0,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  depends_on text NOT NULL DEFAULT ''::text,
  key text COLLATE "C",
  CONSTRAINT checks_org_id_guid_key UNIQUE (org_id, guid),
  CONSTRAINT checks_pkey PRIMARY KEY (org_id, check_id),
  CONSTRAINT checks_cert_expiry_warn_days_check CHECK ((cert_expiry_warn_days >= 0)),
  CONSTRAINT checks_down_interval_sec_check CHECK ((down_interval_sec >= 0)),
  CONSTRAINT checks_interval_sec_check CHECK ((interval_sec > 0)),
  CONSTRAINT checks_match_mode_check CHECK ((match_mode = ANY (ARRAY[''::text, 'contains'::text, 'not_contains'::text, 'regex'::text, 'not_regex'::text]))),
  CONSTRAINT checks_max_response_time_ms_check CHECK ((max_response_time_ms >= 0)),
  CONSTRAINT checks_resend_interval_sec_check CHECK ((resend_interval_sec >= 0)),
  CONSTRAINT checks_result_detail_max_chars_check CHECK ((result_detail_max_chars >= 0)),
  CONSTRAINT checks_status_code_op_check CHECK ((status_code_op = ANY (ARRAY[''::text, 'eq'::text, 'ne'::text, 'lt'::text, 'lte'::text, 'gt'::text, 'gte'::text]))),
  CONSTRAINT checks_timeout_sec_check CHECK (((timeout_sec >= 0) AND (timeout_sec <= 60))),
  CONSTRAINT private_definition_is_blank CHECK (((url <> ''::text) OR (restricted AND (match_string = ''::text) AND (match_mode = ''::text) AND (post_data = ''::text) AND (headers = '{}'::jsonb) AND (status_code_op = ''::text) AND (status_code_value = 0))))
) WITH (fillfactor=80);
CREATE INDEX checks_depends_on ON public.checks USING btree (org_id, depends_on) WHERE (depends_on <> ''::text);
CREATE UNIQUE INDEX checks_key ON public.checks USING btree (org_id, key) WHERE ((key IS NOT NULL) AND (NOT deleted));
CREATE TRIGGER checks_copy_cap AFTER UPDATE ON public.checks FOR EACH ROW WHEN ((old.result_detail_max_chars <> new.result_detail_max_chars)) EXECUTE FUNCTION copy_result_detail_max_chars();
CREATE TRIGGER checks_copy_degraded_rules AFTER UPDATE ON public.checks FOR EACH ROW WHEN (((old.degraded_over_ms <> new.degraded_over_ms) OR (old.cert_warn_days <> new.cert_warn_days))) EXECUTE FUNCTION copy_degraded_rules();
CREATE TRIGGER checks_stamp BEFORE INSERT OR UPDATE ON public.checks FOR EACH ROW EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER checks_tick BEFORE INSERT OR UPDATE ON public.checks FOR EACH STATEMENT EXECUTE FUNCTION tick_first();

CREATE TABLE configuration_tokens (
  token_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  token_hash bytea NOT NULL,
  org_id bigint NOT NULL,
  person_id bigint NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  address_range cidr,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_from inet,
  CONSTRAINT configuration_tokens_token_hash_key UNIQUE (token_hash),
  CONSTRAINT configuration_tokens_pkey PRIMARY KEY (token_id),
  CONSTRAINT configuration_tokens_scopes_check CHECK (((cardinality(scopes) >= 1) AND (cardinality(scopes) <= 40)))
);
CREATE INDEX configuration_tokens_of_org ON public.configuration_tokens USING btree (org_id);
CREATE INDEX configuration_tokens_of_person ON public.configuration_tokens USING btree (person_id);

CREATE TABLE degradations (
  org_id bigint NOT NULL,
  degradation_id text COLLATE "C" NOT NULL,
  check_id bigint NOT NULL,
  kind text NOT NULL,
  began_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  reason text NOT NULL,
  end_reason text,
  cert_expires_at timestamp with time zone,
  warn_days integer,
  CONSTRAINT degradations_pkey PRIMARY KEY (org_id, degradation_id),
  CONSTRAINT degradations_check CHECK (((kind = 'certificate'::text) = ((cert_expires_at IS NOT NULL) AND (warn_days IS NOT NULL)))),
  CONSTRAINT degradations_kind_check CHECK ((kind = ANY (ARRAY['slow'::text, 'certificate'::text])))
);
CREATE INDEX degradations_of_check ON public.degradations USING btree (org_id, check_id, kind, began_at);
CREATE UNIQUE INDEX degradations_open ON public.degradations USING btree (org_id, check_id, kind) WHERE (ended_at IS NULL);
CREATE TRIGGER degradations_begun AFTER INSERT OR DELETE ON public.degradations FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER degradations_changed AFTER UPDATE ON public.degradations FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION note_change();

CREATE TABLE deleted_checks (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  batch_id text COLLATE "C" NOT NULL,
  deleted_at timestamp with time zone NOT NULL,
  deleted_by text NOT NULL,
  kept jsonb NOT NULL,
  CONSTRAINT deleted_checks_pkey PRIMARY KEY (org_id, check_id)
);
CREATE INDEX deleted_checks_oldest ON public.deleted_checks USING btree (deleted_at);

CREATE TABLE deliveries (
  org_id bigint NOT NULL,
  delivery_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  event_id text COLLATE "C" NOT NULL,
  channel_id bigint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  state text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  next_attempt_at timestamp with time zone,
  leased_until timestamp with time zone,
  is_last_attempt boolean NOT NULL DEFAULT false,
  last_attempt_at timestamp with time zone,
  last_error text,
  last_status integer,
  last_latency_ms integer,
  planned_at timestamp with time zone,
  not_before timestamp with time zone,
  is_charged boolean NOT NULL DEFAULT false,
  summary_id bigint,
  severity text,
  CONSTRAINT deliveries_pkey PRIMARY KEY (org_id, delivery_id),
  CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'superseded'::text]))),
  CONSTRAINT pending_has_a_next_attempt CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL)))
) WITH (fillfactor=70);
CREATE INDEX deliveries_channel ON public.deliveries USING btree (org_id, channel_id);
CREATE INDEX deliveries_due ON public.deliveries USING btree (next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_event ON public.deliveries USING btree (org_id, event_id);
CREATE INDEX deliveries_newest ON public.deliveries USING btree (org_id, created_at, delivery_id);
CREATE INDEX deliveries_pending ON public.deliveries USING btree (org_id, channel_id, subject, delivery_id) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_summarised ON public.deliveries USING btree (org_id, summary_id) WHERE (summary_id IS NOT NULL);
CREATE INDEX deliveries_turns ON public.deliveries USING btree (org_id, channel_id, next_attempt_at, delivery_id) WHERE (state = 'pending'::text);
CREATE TRIGGER deliveries_begun AFTER INSERT ON public.deliveries FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER deliveries_changed AFTER UPDATE ON public.deliveries FOR EACH ROW WHEN (((old.state IS DISTINCT FROM new.state) OR (old.attempts IS DISTINCT FROM new.attempts))) EXECUTE FUNCTION note_change();

CREATE TABLE enrollment_tokens (
  token_hash bytea NOT NULL,
  org_id bigint,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  created_by bigint,
  CONSTRAINT enrollment_tokens_pkey PRIMARY KEY (token_hash)
);

CREATE TABLE events (
  org_id bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  subject text COLLATE "C" NOT NULL,
  check_id bigint,
  incident_id text COLLATE "C",
  data jsonb NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (org_id, event_id)
);
CREATE INDEX events_check ON public.events USING btree (org_id, check_id) WHERE (check_id IS NOT NULL);
CREATE INDEX events_coverage ON public.events USING btree (org_id) WHERE (subject = 'coverage'::text);
CREATE INDEX events_incident ON public.events USING btree (org_id, incident_id, created_at) WHERE (incident_id IS NOT NULL);
CREATE INDEX events_newest ON public.events USING btree (org_id, created_at);

CREATE TABLE failing_monitors (
  org_id bigint NOT NULL,
  monitor_id text COLLATE "C" NOT NULL,
  suspected_at timestamp with time zone NOT NULL,
  began_at timestamp with time zone,
  looks integer NOT NULL DEFAULT 0,
  quiet_looks integer NOT NULL DEFAULT 0,
  CONSTRAINT failing_monitors_pkey PRIMARY KEY (org_id, monitor_id)
);

CREATE TABLE heartbeat_days (
  org_id bigint NOT NULL,
  heartbeat_id bigint NOT NULL,
  day date NOT NULL,
  CONSTRAINT heartbeat_days_pkey PRIMARY KEY (org_id, heartbeat_id, day)
);

CREATE TABLE heartbeat_keys (
  guid text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  org_id bigint NOT NULL,
  heartbeat_id bigint NOT NULL,
  created_by bigint,
  CONSTRAINT heartbeat_keys_token_key UNIQUE (token),
  CONSTRAINT heartbeat_keys_pkey PRIMARY KEY (guid)
);

CREATE TABLE heartbeats (
  org_id bigint NOT NULL,
  heartbeat_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  guid text COLLATE "C" NOT NULL,
  name text NOT NULL,
  interval_sec integer NOT NULL,
  grace_sec integer NOT NULL,
  resend_interval_sec integer NOT NULL,
  show_on_status_page boolean NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  platform_enabled boolean NOT NULL DEFAULT true,
  state text NOT NULL DEFAULT 'new'::text,
  down_since timestamp with time zone,
  last_heartbeat_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  cron text,
  cron_zone text,
  key text COLLATE "C",
  CONSTRAINT heartbeats_org_id_guid_key UNIQUE (org_id, guid),
  CONSTRAINT heartbeats_pkey PRIMARY KEY (org_id, heartbeat_id),
  CONSTRAINT down_has_a_beginning CHECK (((state = 'down'::text) = (down_since IS NOT NULL))),
  CONSTRAINT heartbeats_grace_sec_check CHECK ((grace_sec >= 0)),
  CONSTRAINT heartbeats_interval_sec_check CHECK ((interval_sec > 0)),
  CONSTRAINT heartbeats_resend_interval_sec_check CHECK ((resend_interval_sec >= 0)),
  CONSTRAINT heartbeats_state_check CHECK ((state = ANY (ARRAY['new'::text, 'up'::text, 'down'::text]))),
  CONSTRAINT only_one_that_is_up_is_due CHECK (((due_at IS NULL) OR ((state = 'up'::text) AND (last_heartbeat_at IS NOT NULL) AND enabled AND platform_enabled)))
) WITH (fillfactor=70);
CREATE INDEX heartbeats_due ON public.heartbeats USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX heartbeats_key ON public.heartbeats USING btree (org_id, key) WHERE (key IS NOT NULL);
CREATE TRIGGER heartbeats_changed AFTER UPDATE ON public.heartbeats FOR EACH ROW WHEN ((old.state IS DISTINCT FROM new.state)) EXECUTE FUNCTION note_change();

CREATE TABLE incident_notes (
  org_id bigint NOT NULL,
  note_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  incident_id text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
  author_id bigint NOT NULL,
  author text NOT NULL,
  body text NOT NULL,
  edited_at timestamp with time zone,
  CONSTRAINT incident_notes_pkey PRIMARY KEY (org_id, note_id)
);
CREATE INDEX incident_notes_incident ON public.incident_notes USING btree (org_id, incident_id, note_id);

CREATE TABLE incidents (
  org_id bigint NOT NULL,
  incident_id text COLLATE "C" NOT NULL,
  check_id bigint,
  heartbeat_id bigint,
  began_at timestamp with time zone NOT NULL,
  told_at timestamp with time zone NOT NULL,
  reminders integer NOT NULL DEFAULT 0,
  ended_at timestamp with time zone,
  end_reason text,
  held_by text,
  verdict jsonb,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  CONSTRAINT incidents_pkey PRIMARY KEY (org_id, incident_id),
  CONSTRAINT an_end_has_a_reason CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
  CONSTRAINT incidents_end_reason_check CHECK ((end_reason = ANY (ARRAY['recovered'::text, 'threshold'::text, 'disabled'::text, 'deleted'::text]))),
  CONSTRAINT one_subject CHECK ((num_nonnulls(check_id, heartbeat_id) = 1))
);
CREATE INDEX incidents_check ON public.incidents USING btree (org_id, check_id, began_at) WHERE (check_id IS NOT NULL);
CREATE INDEX incidents_heartbeat ON public.incidents USING btree (org_id, heartbeat_id, began_at) WHERE (heartbeat_id IS NOT NULL);
CREATE INDEX incidents_newest ON public.incidents USING btree (org_id, began_at) INCLUDE (ended_at);
CREATE INDEX incidents_turned ON public.incidents USING btree (org_id, ((verdict ->> 'turned_at'::text)) COLLATE "C") WHERE ((check_id IS NOT NULL) AND (ended_at IS NULL));
CREATE UNIQUE INDEX incidents_open_check ON public.incidents USING btree (org_id, check_id) WHERE ((ended_at IS NULL) AND (check_id IS NOT NULL));
CREATE UNIQUE INDEX incidents_open_heartbeat ON public.incidents USING btree (org_id, heartbeat_id) WHERE ((ended_at IS NULL) AND (heartbeat_id IS NOT NULL));
CREATE TRIGGER incidents_begun AFTER INSERT OR DELETE ON public.incidents FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER incidents_changed AFTER UPDATE ON public.incidents FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION note_change();

CREATE TABLE installation (
  seals_by_default boolean NOT NULL
);

CREATE TABLE invitations (
  org_id bigint NOT NULL,
  invitation_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  token_hash bytea NOT NULL,
  email text NOT NULL,
  invited_by bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  role text NOT NULL DEFAULT 'member'::text,
  CONSTRAINT invitations_org_id_token_hash_key UNIQUE (org_id, token_hash),
  CONSTRAINT invitations_pkey PRIMARY KEY (org_id, invitation_id)
);
CREATE INDEX invitations_token ON public.invitations USING btree (token_hash);

CREATE TABLE late_results (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  n bigint NOT NULL,
  ran_at timestamp with time zone NOT NULL,
  monitor_id text COLLATE "C" NOT NULL,
  CONSTRAINT late_results_pkey PRIMARY KEY (org_id, check_id, n)
);

CREATE TABLE link_secret (
  is_the_one boolean NOT NULL DEFAULT true,
  secret bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT link_secret_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT link_secret_is_the_one_check CHECK (is_the_one)
);

CREATE TABLE maintenance_scopes (
  org_id bigint NOT NULL,
  scope_id uuid NOT NULL,
  scope jsonb NOT NULL,
  bytes integer NOT NULL,
  used_at timestamp with time zone NOT NULL,
  CONSTRAINT maintenance_scopes_pkey PRIMARY KEY (org_id, scope_id)
);

CREATE TABLE maintenance_spans (
  org_id bigint NOT NULL,
  window_id bigint NOT NULL,
  begins_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  name text NOT NULL,
  scope jsonb NOT NULL,
  is_public boolean NOT NULL,
  scope_id uuid,
  CONSTRAINT maintenance_spans_pkey PRIMARY KEY (org_id, window_id, begins_at)
);
CREATE INDEX maintenance_spans_ends ON public.maintenance_spans USING btree (org_id, ends_at);
CREATE INDEX maintenance_spans_over ON public.maintenance_spans USING btree (ends_at);

CREATE TABLE maintenance_windows (
  org_id bigint NOT NULL,
  window_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  guid text COLLATE "C" NOT NULL,
  name text NOT NULL,
  scope jsonb NOT NULL,
  starts_at text NOT NULL,
  duration_sec integer NOT NULL,
  zone text NOT NULL,
  rule text,
  is_public boolean NOT NULL,
  spread_until timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  key text COLLATE "C",
  next_at timestamp with time zone,
  next_from timestamp with time zone,
  CONSTRAINT maintenance_windows_org_id_guid_key UNIQUE (org_id, guid),
  CONSTRAINT maintenance_windows_pkey PRIMARY KEY (org_id, window_id)
);
CREATE UNIQUE INDEX maintenance_windows_key ON public.maintenance_windows USING btree (org_id, key) WHERE (key IS NOT NULL);

CREATE TABLE memberships (
  org_id bigint NOT NULL,
  person_id bigint NOT NULL,
  is_owner boolean NOT NULL DEFAULT false,
  joined_at timestamp with time zone NOT NULL DEFAULT now(),
  weekly_report boolean NOT NULL DEFAULT false,
  role text NOT NULL DEFAULT 'member'::text,
  CONSTRAINT members_pkey PRIMARY KEY (org_id, person_id)
);
CREATE UNIQUE INDEX members_one_owner ON public.memberships USING btree (org_id) WHERE is_owner;

CREATE TABLE monitors (
  id text COLLATE "C" NOT NULL,
  org_id bigint,
  name text NOT NULL,
  region text NOT NULL,
  country text NOT NULL,
  city text NOT NULL,
  key_hash bytea,
  enabled boolean NOT NULL DEFAULT true,
  platform_enabled boolean NOT NULL DEFAULT true,
  enrolled_at timestamp with time zone NOT NULL,
  last_seen_at timestamp with time zone,
  version text,
  uptime_sec bigint,
  unsent_results bigint,
  last_outage_sec bigint,
  last_outage_ended_at timestamp with time zone,
  reported_at timestamp with time zone,
  offline_since timestamp with time zone,
  watched_since timestamp with time zone,
  clock_offset_ms integer,
  catching_up boolean NOT NULL DEFAULT false,
  enrolled_by bigint,
  retired_at timestamp with time zone,
  clock_behind_since timestamp with time zone,
  enrolled_with bytea,
  clock_far_ms bigint,
  CONSTRAINT monitors_key_hash_key UNIQUE (key_hash),
  CONSTRAINT monitors_pkey PRIMARY KEY (id),
  CONSTRAINT monitors_id_check CHECK ((id ~ '^[0-9a-hjkmnp-tv-z]{12}$'::text)),
  CONSTRAINT monitors_last_outage_sec_check CHECK ((last_outage_sec >= 0)),
  CONSTRAINT monitors_unsent_results_check CHECK ((unsent_results >= 0)),
  CONSTRAINT monitors_uptime_sec_check CHECK ((uptime_sec >= 0))
) WITH (fillfactor=80);
CREATE INDEX monitors_org ON public.monitors USING btree (org_id, id);
CREATE TRIGGER monitors_begun AFTER INSERT OR DELETE ON public.monitors FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER monitors_changed AFTER UPDATE ON public.monitors FOR EACH ROW WHEN ((old.offline_since IS DISTINCT FROM new.offline_since)) EXECUTE FUNCTION note_change();
CREATE TRIGGER monitors_tick BEFORE INSERT OR UPDATE OF enabled, platform_enabled ON public.monitors FOR EACH STATEMENT EXECUTE FUNCTION tick_first();
CREATE TRIGGER monitors_touch AFTER UPDATE OF enabled, platform_enabled ON public.monitors FOR EACH ROW WHEN (((old.enabled AND old.platform_enabled) IS DISTINCT FROM (new.enabled AND new.platform_enabled))) EXECUTE FUNCTION touch_checks_of_monitor();

CREATE TABLE mutes (
  org_id bigint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  muted_until timestamp with time zone NOT NULL,
  muted_at timestamp with time zone NOT NULL,
  muted_by text NOT NULL,
  incident_id text COLLATE "C",
  CONSTRAINT mutes_pkey PRIMARY KEY (org_id, subject)
);

CREATE TABLE notification_channels (
  org_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  kind text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  ntfy_topic text NOT NULL,
  email text NOT NULL DEFAULT ''::text,
  webhook_url text NOT NULL,
  webhook_secret text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  created_by bigint,
  confirmed_at timestamp with time zone,
  confirm_by timestamp with time zone,
  asked_at timestamp with time zone,
  gone_at timestamp with time zone,
  gone_mail_at timestamp with time zone,
  destination jsonb,
  key text COLLATE "C",
  CONSTRAINT notification_channels_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT destination_has_text CHECK (((destination IS NOT NULL) AND (jsonb_typeof(destination) = 'object'::text) AND (destination <> '{}'::jsonb) AND (NOT jsonb_path_exists(destination, 'strict $.*?(@.type() != "string" || @ == "")'::jsonpath, '{}'::jsonb, true))))
);
CREATE UNIQUE INDEX notification_channels_key ON public.notification_channels USING btree (org_id, key) WHERE (key IS NOT NULL);
CREATE TRIGGER notification_channels_destination BEFORE INSERT OR UPDATE ON public.notification_channels FOR EACH ROW EXECUTE FUNCTION destination_of_columns();

CREATE TABLE organisations (
  org_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  plan text NOT NULL,
  status_page_enabled boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  custom_limits jsonb,
  custom_price_cents integer,
  custom_price_period text,
  suspended_at timestamp with time zone,
  delete_at timestamp with time zone,
  max_monitors integer,
  first_steps_hidden_at timestamp with time zone,
  requires_second_factor boolean NOT NULL DEFAULT false,
  CONSTRAINT organisations_pkey PRIMARY KEY (org_id),
  CONSTRAINT custom_has_limits CHECK (((plan <> 'custom'::text) OR (custom_limits IS NOT NULL))),
  CONSTRAINT organisations_custom_price_cents_check CHECK ((custom_price_cents >= 0)),
  CONSTRAINT organisations_custom_price_period_check CHECK ((custom_price_period = ANY (ARRAY['month'::text, 'year'::text]))),
  CONSTRAINT organisations_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'solo'::text, 'double'::text, 'team'::text, 'custom'::text]))),
  CONSTRAINT price_has_a_period CHECK (((custom_price_cents IS NULL) = (custom_price_period IS NULL)))
);
CREATE TRIGGER organisations_changed AFTER UPDATE ON public.organisations FOR EACH ROW WHEN (((old.suspended_at IS DISTINCT FROM new.suspended_at) OR (old.name IS DISTINCT FROM new.name))) EXECUTE FUNCTION note_change();

CREATE TABLE passkeys (
  credential_id text COLLATE "C" NOT NULL,
  person_id bigint NOT NULL,
  name text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (credential_id)
);
CREATE INDEX passkeys_person ON public.passkeys USING btree (person_id);

CREATE TABLE password_resets (
  token_hash bytea NOT NULL,
  person_id bigint NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX password_resets_person ON public.password_resets USING btree (person_id);

CREATE TABLE pending_sign_ins (
  token_hash bytea NOT NULL,
  kind text NOT NULL,
  person_id bigint,
  detail jsonb NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT pending_sign_ins_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX pending_sign_ins_expired ON public.pending_sign_ins USING btree (expires_at);

CREATE TABLE people (
  person_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  password_hash text,
  is_admin boolean NOT NULL DEFAULT false,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  email_proved_at timestamp with time zone,
  claimed_at timestamp with time zone,
  time_zone text,
  hour_clock smallint,
  CONSTRAINT people_pkey PRIMARY KEY (person_id)
);
CREATE UNIQUE INDEX people_email ON public.people USING btree (lower(email));

CREATE TABLE personal_access_tokens (
  token_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  token_hash bytea NOT NULL,
  org_id bigint NOT NULL,
  person_id bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  revoked_at timestamp with time zone,
  name text NOT NULL DEFAULT ''::text,
  CONSTRAINT personal_access_tokens_token_hash_key UNIQUE (token_hash),
  CONSTRAINT personal_access_tokens_pkey PRIMARY KEY (token_id)
);

CREATE TABLE pings (
  org_id bigint NOT NULL,
  heartbeat_id bigint NOT NULL,
  n bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  kind text NOT NULL,
  exit_code smallint,
  rid text COLLATE "C",
  duration_ms bigint,
  body text,
  CONSTRAINT pings_pkey PRIMARY KEY (org_id, heartbeat_id, n),
  CONSTRAINT one_exit_code CHECK (((kind = 'exit_code'::text) = (exit_code IS NOT NULL))),
  CONSTRAINT pings_duration_ms_check CHECK ((duration_ms >= 0)),
  CONSTRAINT pings_exit_code_check CHECK (((exit_code >= 1) AND (exit_code <= 255))),
  CONSTRAINT pings_kind_check CHECK ((kind = ANY (ARRAY['beat'::text, 'start'::text, 'fail'::text, 'log'::text, 'exit_code'::text])))
);
CREATE TRIGGER pings_note_day AFTER INSERT ON public.pings FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['beat'::text, 'fail'::text, 'exit_code'::text]))) EXECUTE FUNCTION note_heartbeat_day();

CREATE TABLE planned_alerts (
  org_id bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  channel_id bigint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  incident_id text COLLATE "C",
  step smallint NOT NULL DEFAULT 0,
  severity text,
  due_at timestamp with time zone NOT NULL,
  held_by text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  held_until timestamp with time zone,
  CONSTRAINT planned_alerts_pkey PRIMARY KEY (org_id, event_id, channel_id)
);
CREATE INDEX planned_alerts_due ON public.planned_alerts USING btree (due_at);
CREATE INDEX planned_alerts_grouping ON public.planned_alerts USING btree (org_id, held_by) WHERE (held_by ~~ 'grouping:%'::text);
CREATE INDEX planned_alerts_subject ON public.planned_alerts USING btree (org_id, subject);

CREATE TABLE postmortems (
  org_id bigint NOT NULL,
  incident_id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  edited_at timestamp with time zone NOT NULL,
  edited_by text NOT NULL,
  CONSTRAINT postmortems_pkey PRIMARY KEY (org_id, incident_id)
);

CREATE TABLE processes (
  process_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  port integer,
  started_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  alive_at timestamp with time zone,
  reports bigint NOT NULL DEFAULT 0,
  skew_ms bigint NOT NULL DEFAULT 0,
  ahead_ms bigint NOT NULL DEFAULT 0,
  steady_ms bigint NOT NULL DEFAULT 0,
  is_in_doubt boolean NOT NULL DEFAULT false,
  abilities text[] NOT NULL DEFAULT '{}'::text[],
  public_url text,
  CONSTRAINT processes_pkey PRIMARY KEY (process_id)
) WITH (fillfactor=50);

CREATE TABLE provider_accounts (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  person_id bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  CONSTRAINT provider_accounts_pkey PRIMARY KEY (issuer, subject)
);
CREATE INDEX provider_accounts_person ON public.provider_accounts USING btree (person_id);

CREATE UNLOGGED TABLE rate_limits (
  key text COLLATE "C" NOT NULL,
  tat timestamp with time zone NOT NULL,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
) WITH (fillfactor=50);

CREATE TABLE recovery_codes (
  person_id bigint NOT NULL,
  code_hash bytea NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (person_id, code_hash)
);

CREATE TABLE refused_pings (
  org_id bigint NOT NULL,
  heartbeat_id bigint NOT NULL,
  refused_at timestamp with time zone NOT NULL,
  CONSTRAINT refused_pings_pkey PRIMARY KEY (org_id, heartbeat_id)
);

CREATE TABLE refused_requests (
  monitor_id text COLLATE "C" NOT NULL,
  refused_at timestamp with time zone NOT NULL,
  CONSTRAINT refused_requests_pkey PRIMARY KEY (monitor_id)
);

CREATE TABLE reopened_results (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  ran_at timestamp with time zone NOT NULL,
  latency_ms integer NOT NULL,
  http_status integer NOT NULL,
  success boolean NOT NULL,
  monitor_id text COLLATE "C" NOT NULL,
  error text,
  response_sample text,
  dns_ms smallint,
  connect_ms smallint,
  tls_ms smallint,
  first_byte_ms smallint,
  transfer_ms smallint,
  retries smallint,
  cert_expires_at timestamp with time zone,
  CONSTRAINT reopened_results_pkey PRIMARY KEY (org_id, check_id, ran_at, monitor_id)
);

CREATE TABLE repeatable_answers (
  org_id bigint NOT NULL,
  token_id bigint NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_hash bytea NOT NULL,
  status smallint NOT NULL,
  headers json NOT NULL,
  body text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT repeatable_answers_pkey PRIMARY KEY (org_id, token_id, idempotency_key)
);
CREATE INDEX repeatable_answers_oldest ON public.repeatable_answers USING btree (created_at);

CREATE TABLE result_budgets (
  org_id bigint NOT NULL,
  remaining double precision NOT NULL,
  as_of timestamp with time zone NOT NULL,
  CONSTRAINT result_budgets_pkey PRIMARY KEY (org_id)
);

CREATE TABLE results (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  ran_at timestamp with time zone NOT NULL,
  latency_ms integer NOT NULL,
  http_status integer NOT NULL,
  success boolean NOT NULL,
  monitor_id text COLLATE "C" NOT NULL,
  error text,
  response_sample text,
  dns_ms smallint,
  connect_ms smallint,
  tls_ms smallint,
  first_byte_ms smallint,
  transfer_ms smallint,
  retries smallint,
  cert_expires_at timestamp with time zone,
  CONSTRAINT results_pkey PRIMARY KEY (org_id, check_id, ran_at, monitor_id)
) PARTITION BY RANGE (ran_at);

CREATE TABLE results_default PARTITION OF results DEFAULT;

CREATE TABLE retention (
  org_id bigint NOT NULL,
  days integer,
  shorter_since timestamp with time zone,
  due_at timestamp with time zone NOT NULL,
  edge timestamp with time zone,
  confirmed_until timestamp with time zone,
  held_since timestamp with time zone,
  held_share double precision,
  CONSTRAINT retention_pkey PRIMARY KEY (org_id),
  CONSTRAINT retention_days_check CHECK ((days > 0))
);
CREATE INDEX retention_due ON public.retention USING btree (due_at);

CREATE TABLE retention_calendar (
  is_the_one boolean NOT NULL DEFAULT true,
  day date NOT NULL,
  observed_sec integer NOT NULL DEFAULT 0,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT retention_calendar_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT retention_calendar_is_the_one_check CHECK (is_the_one)
);

CREATE TABLE rollup_marks (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  hour timestamp with time zone NOT NULL,
  changes integer NOT NULL DEFAULT 1,
  CONSTRAINT rollup_marks_pkey PRIMARY KEY (org_id, check_id, hour)
);

CREATE TABLE rollup_progress (
  is_the_one boolean NOT NULL DEFAULT true,
  hours_until timestamp with time zone NOT NULL,
  days_until timestamp with time zone NOT NULL,
  sketched_until timestamp with time zone,
  sketch_org_id bigint,
  sketch_check_id bigint,
  sketch_before timestamp with time zone,
  sketch_left_out bigint,
  folding_hour timestamp with time zone,
  folding_org_id bigint,
  folding_check_id bigint,
  CONSTRAINT rollup_progress_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT rollup_progress_is_the_one_check CHECK (is_the_one)
);

CREATE TABLE rollups (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  hour timestamp with time zone NOT NULL,
  runs integer NOT NULL,
  failures integer NOT NULL,
  latency_sum_ms bigint NOT NULL,
  latency_max_ms integer NOT NULL,
  latency_sketch bytea,
  CONSTRAINT rollups_pkey PRIMARY KEY (org_id, check_id, hour)
);

CREATE TABLE rollups_behind (
  org_id bigint NOT NULL,
  hours_until timestamp with time zone NOT NULL,
  days_until timestamp with time zone NOT NULL,
  CONSTRAINT rollups_behind_pkey PRIMARY KEY (org_id)
);

CREATE TABLE rollups_daily (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  day timestamp with time zone NOT NULL,
  runs integer NOT NULL,
  failures integer NOT NULL,
  latency_sum_ms bigint NOT NULL,
  latency_max_ms integer NOT NULL,
  latency_sketch bytea,
  CONSTRAINT rollups_daily_pkey PRIMARY KEY (org_id, check_id, day)
);

CREATE TABLE seal_progress (
  is_the_one boolean NOT NULL DEFAULT true,
  is_on boolean NOT NULL DEFAULT false,
  announced timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  closed timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  settled timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  sealed_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  waits_for text[],
  sealing_until timestamp with time zone,
  sealing_org_id bigint,
  sealing_check_id bigint,
  turned_on_at timestamp with time zone,
  is_barred boolean NOT NULL DEFAULT false,
  noticed_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  noticing_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  noticing_since timestamp with time zone,
  CONSTRAINT seal_progress_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT seal_progress_is_the_one_check CHECK (is_the_one)
) WITH (fillfactor=50);

CREATE TABLE sealed_hours (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  since timestamp with time zone NOT NULL,
  runs integer NOT NULL,
  first_us bigint,
  step_us bigint,
  monitors text[] COLLATE "C",
  numbers bytea,
  errors text[],
  samples text[],
  retries smallint[],
  cert_expires_at timestamp with time zone,
  times_us bigint[],
  latencies integer[],
  certs timestamp with time zone[],
  CONSTRAINT sealed_hours_pkey PRIMARY KEY (org_id, check_id, since)
) PARTITION BY RANGE (since);
ALTER TABLE sealed_hours
  ALTER COLUMN monitors SET STORAGE MAIN,
  ALTER COLUMN numbers SET STORAGE MAIN,
  ALTER COLUMN errors SET STORAGE MAIN,
  ALTER COLUMN samples SET STORAGE MAIN,
  ALTER COLUMN retries SET STORAGE MAIN,
  ALTER COLUMN times_us SET STORAGE MAIN,
  ALTER COLUMN latencies SET STORAGE MAIN,
  ALTER COLUMN certs SET STORAGE MAIN;

CREATE TABLE server_set_up (
  is_the_one boolean NOT NULL DEFAULT true,
  done_at timestamp with time zone,
  first_org_id bigint,
  CONSTRAINT server_set_up_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT server_set_up_is_the_one_check CHECK (is_the_one)
);

CREATE TABLE service_outages (
  began_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  CONSTRAINT service_outages_pkey PRIMARY KEY (began_at),
  CONSTRAINT service_outages_check CHECK ((ended_at > began_at))
);

CREATE TABLE service_presence (
  is_the_one boolean NOT NULL DEFAULT true,
  alive_at timestamp with time zone NOT NULL,
  judged_at timestamp with time zone,
  was_ahead_until timestamp with time zone,
  set_back_to timestamp with time zone,
  CONSTRAINT service_presence_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT service_presence_is_the_one_check CHECK (is_the_one)
) WITH (fillfactor=50);

CREATE TABLE sessions (
  session_hash bytea NOT NULL,
  person_id bigint NOT NULL,
  org_id bigint,
  impersonator_id bigint,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  has_second_factor boolean NOT NULL DEFAULT false,
  address text,
  user_agent text,
  CONSTRAINT sessions_pkey PRIMARY KEY (session_hash)
);
CREATE INDEX sessions_expired ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_impersonator ON public.sessions USING btree (impersonator_id) WHERE (impersonator_id IS NOT NULL);
CREATE INDEX sessions_person ON public.sessions USING btree (person_id);

CREATE TABLE set_up_links (
  token_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  printed_by text,
  CONSTRAINT set_up_links_pkey PRIMARY KEY (token_hash)
);

CREATE TABLE shifted_results (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  ran_at timestamp with time zone NOT NULL,
  monitor_id text COLLATE "C" NOT NULL,
  effective_at timestamp with time zone NOT NULL,
  CONSTRAINT shifted_results_pkey PRIMARY KEY (org_id, check_id, ran_at, monitor_id)
);
CREATE INDEX shifted_results_order ON public.shifted_results USING btree (org_id, check_id, effective_at, monitor_id);

CREATE TABLE sign_up_links (
  token_hash bytea NOT NULL,
  email text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_up_links_pkey PRIMARY KEY (token_hash)
);

CREATE UNLOGGED TABLE status_histories (
  org_id bigint NOT NULL,
  history json NOT NULL,
  computed_at timestamp with time zone NOT NULL,
  took_ms integer NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  claimed_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  CONSTRAINT status_histories_pkey PRIMARY KEY (org_id)
);

CREATE TABLE status_page_entries (
  org_id bigint NOT NULL,
  position integer NOT NULL,
  public_name text NOT NULL,
  check_id bigint,
  heartbeat_id bigint,
  CONSTRAINT status_page_entries_org_id_check_id_key UNIQUE (org_id, check_id),
  CONSTRAINT status_page_entries_org_id_heartbeat_id_key UNIQUE (org_id, heartbeat_id),
  CONSTRAINT status_page_entries_pkey PRIMARY KEY (org_id, "position"),
  CONSTRAINT one_subject CHECK ((num_nonnulls(check_id, heartbeat_id) = 1))
);

CREATE TABLE status_pages (
  org_id bigint NOT NULL,
  slug text COLLATE "C" NOT NULL,
  title text NOT NULL,
  description text NOT NULL,
  CONSTRAINT status_pages_slug_key UNIQUE (slug),
  CONSTRAINT status_pages_pkey PRIMARY KEY (org_id),
  CONSTRAINT status_pages_slug_check CHECK ((slug ~ '^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$'::text))
);

CREATE TABLE sync_clock (
  is_the_one boolean NOT NULL DEFAULT true,
  t timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT sync_clock_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT sync_clock_is_the_one_check CHECK (is_the_one)
) WITH (fillfactor=50);

CREATE TABLE totp_secrets (
  person_id bigint NOT NULL,
  secret bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  confirmed_at timestamp with time zone,
  last_step bigint NOT NULL DEFAULT 0,
  CONSTRAINT totp_secrets_pkey PRIMARY KEY (person_id)
);

CREATE TABLE unjudged_batches (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  n bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  monitor_id text COLLATE "C" NOT NULL,
  due_at timestamp with time zone NOT NULL,
  oldest_at timestamp with time zone,
  is_catching_up boolean NOT NULL,
  late timestamp with time zone[] NOT NULL,
  CONSTRAINT unjudged_batches_pkey PRIMARY KEY (org_id, check_id, n)
);

CREATE TABLE weekly_reports (
  org_id bigint NOT NULL,
  person_id bigint NOT NULL,
  week date NOT NULL,
  token_hash bytea NOT NULL,
  retry_at timestamp with time zone,
  CONSTRAINT weekly_reports_pkey PRIMARY KEY (org_id, person_id, week)
);
CREATE INDEX weekly_reports_token ON public.weekly_reports USING btree (token_hash);

ALTER TABLE alert_routes ADD CONSTRAINT alert_routes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE asked_runs ADD CONSTRAINT asked_runs_monitor_id_fkey FOREIGN KEY (monitor_id) REFERENCES monitors(id) ON DELETE CASCADE;
ALTER TABLE asked_runs ADD CONSTRAINT asked_runs_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id) ON DELETE CASCADE;
ALTER TABLE assignments ADD CONSTRAINT assignments_monitor_id_fkey FOREIGN KEY (monitor_id) REFERENCES monitors(id);
ALTER TABLE assignments ADD CONSTRAINT assignments_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id);
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE check_guids ADD CONSTRAINT check_guids_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id);
ALTER TABLE check_schedules ADD CONSTRAINT check_schedules_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id);
ALTER TABLE check_states ADD CONSTRAINT check_states_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id);
ALTER TABLE checks ADD CONSTRAINT checks_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE configuration_tokens ADD CONSTRAINT configuration_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE configuration_tokens ADD CONSTRAINT configuration_tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);
ALTER TABLE degradations ADD CONSTRAINT degradations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE deleted_checks ADD CONSTRAINT deleted_checks_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id) ON DELETE CASCADE;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_org_id_channel_id_fkey FOREIGN KEY (org_id, channel_id) REFERENCES notification_channels(org_id, id) ON DELETE CASCADE;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_org_id_event_id_fkey FOREIGN KEY (org_id, event_id) REFERENCES events(org_id, event_id);
ALTER TABLE enrollment_tokens ADD CONSTRAINT enrollment_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE events ADD CONSTRAINT events_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE failing_monitors ADD CONSTRAINT failing_monitors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE heartbeat_days ADD CONSTRAINT heartbeat_days_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE;
ALTER TABLE heartbeat_keys ADD CONSTRAINT heartbeat_keys_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE;
ALTER TABLE heartbeats ADD CONSTRAINT heartbeats_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE incident_notes ADD CONSTRAINT incident_notes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE incident_notes ADD CONSTRAINT incident_notes_org_id_incident_id_fkey FOREIGN KEY (org_id, incident_id) REFERENCES incidents(org_id, incident_id) ON DELETE CASCADE;
ALTER TABLE incidents ADD CONSTRAINT incidents_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id);
ALTER TABLE incidents ADD CONSTRAINT incidents_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE incidents ADD CONSTRAINT incidents_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE;
ALTER TABLE invitations ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES people(person_id);
ALTER TABLE invitations ADD CONSTRAINT invitations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE maintenance_scopes ADD CONSTRAINT maintenance_scopes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE maintenance_spans ADD CONSTRAINT maintenance_spans_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE maintenance_windows ADD CONSTRAINT maintenance_windows_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE memberships ADD CONSTRAINT members_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE memberships ADD CONSTRAINT members_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);
ALTER TABLE memberships ADD CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text, 'read_only'::text]))) NOT VALID;
ALTER TABLE monitors ADD CONSTRAINT monitors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE mutes ADD CONSTRAINT mutes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE notification_channels ADD CONSTRAINT notification_channels_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE passkeys ADD CONSTRAINT passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE;
ALTER TABLE password_resets ADD CONSTRAINT password_resets_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);
ALTER TABLE pending_sign_ins ADD CONSTRAINT pending_sign_ins_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE;
ALTER TABLE personal_access_tokens ADD CONSTRAINT personal_access_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE personal_access_tokens ADD CONSTRAINT personal_access_tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);
ALTER TABLE pings ADD CONSTRAINT pings_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE;
ALTER TABLE planned_alerts ADD CONSTRAINT planned_alerts_org_id_event_id_fkey FOREIGN KEY (org_id, event_id) REFERENCES events(org_id, event_id);
ALTER TABLE planned_alerts ADD CONSTRAINT planned_alerts_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE postmortems ADD CONSTRAINT postmortems_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE postmortems ADD CONSTRAINT postmortems_org_id_incident_id_fkey FOREIGN KEY (org_id, incident_id) REFERENCES incidents(org_id, incident_id) ON DELETE CASCADE;
ALTER TABLE provider_accounts ADD CONSTRAINT provider_accounts_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE;
ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE;
ALTER TABLE repeatable_answers ADD CONSTRAINT repeatable_answers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE repeatable_answers ADD CONSTRAINT repeatable_answers_token_id_fkey FOREIGN KEY (token_id) REFERENCES configuration_tokens(token_id) ON DELETE CASCADE;
ALTER TABLE result_budgets ADD CONSTRAINT result_budgets_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id) ON DELETE CASCADE;
ALTER TABLE retention ADD CONSTRAINT retention_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE rollups_behind ADD CONSTRAINT rollups_behind_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE sessions ADD CONSTRAINT sessions_impersonator_id_fkey FOREIGN KEY (impersonator_id) REFERENCES people(person_id);
ALTER TABLE sessions ADD CONSTRAINT sessions_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE sessions ADD CONSTRAINT sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id);
ALTER TABLE status_histories ADD CONSTRAINT status_histories_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE status_page_entries ADD CONSTRAINT status_page_entries_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id);
ALTER TABLE status_page_entries ADD CONSTRAINT status_page_entries_org_id_fkey FOREIGN KEY (org_id) REFERENCES status_pages(org_id);
ALTER TABLE status_page_entries ADD CONSTRAINT status_page_entries_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE;
ALTER TABLE status_pages ADD CONSTRAINT status_pages_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id);
ALTER TABLE totp_secrets ADD CONSTRAINT totp_secrets_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE;
ALTER TABLE weekly_reports ADD CONSTRAINT weekly_reports_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES memberships(org_id, person_id) ON DELETE CASCADE;

CREATE VIEW members AS
 SELECT org_id,
    person_id,
    is_owner,
    joined_at,
    weekly_report
   FROM memberships
  WHERE is_owner OR role <> 'read_only'::text;

CREATE VIEW stored_results AS
 SELECT org_id,
    check_id,
    ran_at,
    monitor_id,
    success,
    latency_ms,
    http_status,
    error,
    response_sample,
    dns_ms,
    connect_ms,
    tls_ms,
    first_byte_ms,
    transfer_ms,
    retries,
    cert_expires_at
   FROM ( SELECT r.org_id,
            r.check_id,
            r.ran_at,
            r.monitor_id,
            r.success,
            r.latency_ms,
            r.http_status,
            r.error,
            r.response_sample,
            r.dns_ms,
            r.connect_ms,
            r.tls_ms,
            r.first_byte_ms,
            r.transfer_ms,
            r.retries,
            r.cert_expires_at
           FROM results r
          WHERE r.ran_at >= (( SELECT seal_progress.sealed_until
                   FROM seal_progress))
        UNION ALL
         SELECT r.org_id,
            r.check_id,
            r.ran_at,
            r.monitor_id,
            r.success,
            r.latency_ms,
            r.http_status,
            r.error,
            r.response_sample,
            r.dns_ms,
            r.connect_ms,
            r.tls_ms,
            r.first_byte_ms,
            r.transfer_ms,
            r.retries,
            r.cert_expires_at
           FROM reopened_results r
        UNION ALL
         SELECT u.org_id,
            u.check_id,
            u.ran_at,
            u.monitor_id,
            u.success,
            u.latency_ms,
            u.http_status,
            u.error,
            u.response_sample,
            u.dns_ms,
            u.connect_ms,
            u.tls_ms,
            u.first_byte_ms,
            u.transfer_ms,
            u.retries,
            u.cert_expires_at
           FROM ( SELECT s.since,
                    s.org_id,
                    s.check_id,
                    s.since + COALESCE(u_1.at_us, s.first_us + s.step_us * u_1.i + (((get_byte(d.numbers, u_1.i + 15 * s.runs) | (get_byte(d.numbers, u_1.i + 16 * s.runs) << 8)) # 32768) - 32768) * 1000)::double precision * '00:00:00.000001'::interval AS ran_at,
                    d.monitors[get_byte(d.numbers, u_1.i + 17 * s.runs) | (get_byte(d.numbers, u_1.i + 18 * s.runs) << 8)] AS monitor_id,
                    (get_byte(d.numbers, u_1.i + 0 * s.runs) & 1) = 1 AS success,
                    COALESCE(u_1.latency_ms, get_byte(d.numbers, u_1.i + 3 * s.runs) | (get_byte(d.numbers, u_1.i + 4 * s.runs) << 8)) AS latency_ms,
                    get_byte(d.numbers, u_1.i + 1 * s.runs) | (get_byte(d.numbers, u_1.i + 2 * s.runs) << 8) AS http_status,
                    u_1.error,
                    u_1.response_sample,
                        CASE
                            WHEN (get_byte(d.numbers, u_1.i + 0 * s.runs) & 2) = 0 THEN (((get_byte(d.numbers, u_1.i + 5 * s.runs) | (get_byte(d.numbers, u_1.i + 6 * s.runs) << 8)) # 32768) - 32768)::smallint
                            ELSE NULL::smallint
                        END AS dns_ms,
                        CASE
                            WHEN (get_byte(d.numbers, u_1.i + 0 * s.runs) & 4) = 0 THEN (((get_byte(d.numbers, u_1.i + 7 * s.runs) | (get_byte(d.numbers, u_1.i + 8 * s.runs) << 8)) # 32768) - 32768)::smallint
                            ELSE NULL::smallint
                        END AS connect_ms,
                        CASE
                            WHEN (get_byte(d.numbers, u_1.i + 0 * s.runs) & 8) = 0 THEN (((get_byte(d.numbers, u_1.i + 9 * s.runs) | (get_byte(d.numbers, u_1.i + 10 * s.runs) << 8)) # 32768) - 32768)::smallint
                            ELSE NULL::smallint
                        END AS tls_ms,
                        CASE
                            WHEN (get_byte(d.numbers, u_1.i + 0 * s.runs) & 16) = 0 THEN (((get_byte(d.numbers, u_1.i + 11 * s.runs) | (get_byte(d.numbers, u_1.i + 12 * s.runs) << 8)) # 32768) - 32768)::smallint
                            ELSE NULL::smallint
                        END AS first_byte_ms,
                        CASE
                            WHEN (get_byte(d.numbers, u_1.i + 0 * s.runs) & 32) = 0 THEN (((get_byte(d.numbers, u_1.i + 13 * s.runs) | (get_byte(d.numbers, u_1.i + 14 * s.runs) << 8)) # 32768) - 32768)::smallint
                            ELSE NULL::smallint
                        END AS transfer_ms,
                    u_1.retries,
                    COALESCE(s.cert_expires_at, u_1.cert_expires_at) AS cert_expires_at
                   FROM ( SELECT h.org_id,
                            h.check_id,
                            h.since,
                            h.runs,
                            h.first_us,
                            h.step_us,
                            h.monitors,
                            h.numbers,
                            h.errors,
                            h.samples,
                            h.retries,
                            h.cert_expires_at,
                            h.times_us,
                            h.latencies,
                            h.certs
                           FROM sealed_hours h
                          WHERE h.since < (( SELECT seal_progress.sealed_until
                                   FROM seal_progress))) s
                     CROSS JOIN LATERAL ( SELECT s.numbers || '\x'::bytea AS numbers,
                            s.monitors || '{}'::text[] AS monitors
                         OFFSET 0) d
                     CROSS JOIN LATERAL ROWS FROM(generate_series(0, s.runs - 1), unnest(s.times_us), unnest(s.latencies), unnest(s.errors), unnest(s.samples), unnest(s.retries), unnest(s.certs)) u_1(i, at_us, latency_ms, error, response_sample, retries, cert_expires_at)) u) stored
  ORDER BY org_id, check_id, ran_at, monitor_id;

-- A row in each table, at least.
INSERT INTO people (email) VALUES ('ann@example.com'), ('bob@example.com');
INSERT INTO organisations (name, plan) VALUES ('Acme', 'team'), ('Birds', 'free');
INSERT INTO memberships (org_id, person_id, is_owner) VALUES (1, 1, true), (2, 2, true);
INSERT INTO invitations (org_id, token_hash, email, invited_by, created_at, expires_at)
  VALUES (1, '\x01', 'guest@example.com', 1, now(), now());
INSERT INTO sessions (session_hash, person_id, org_id, created_at, last_used_at, expires_at)
  VALUES ('\x01', 1, 1, now(), now(), now());
INSERT INTO sign_up_links VALUES ('\x01', 'guest@example.com', now());
INSERT INTO password_resets VALUES ('\x01', 1, now());
INSERT INTO totp_secrets (person_id, secret, created_at) VALUES (1, '\x01', now());
INSERT INTO recovery_codes VALUES (1, '\x01');
INSERT INTO passkeys VALUES ('key', 1, 'laptop', '\x01', 0, '{}', now());
INSERT INTO provider_accounts VALUES ('https://id.example.com', 'ann', 1, now(), now());
INSERT INTO pending_sign_ins VALUES ('\x01', 'passkey', 1, '{}', now());
INSERT INTO sync_clock (t, changed_at) VALUES (now(), now());
INSERT INTO enrollment_tokens VALUES ('\x01', 1, now(), now());
INSERT INTO monitors (id, org_id, name, region, country, city, enrolled_at)
  VALUES ('0123456789ab', 1, 'office', 'eu', 'FR', 'Paris', now());
INSERT INTO refused_requests VALUES ('0123456789ab', now());
INSERT INTO checks (org_id, guid, name, url, enabled, restricted, interval_sec, timeout_sec, disable_redirects,
  insecure_skip_verify, headers, post_data, match_string, match_mode, status_code_op, status_code_value,
  cert_expiry_warn_days, max_response_time_ms, invert_result, result_detail_max_chars, down_interval_sec,
  resend_interval_sec)
SELECT org_id, 'guid-' || org_id, 'shop', 'https://shop.example.com', true, false, 60, 10, false, false, '{"a": "b"}', '', '',
  '', '', 0, 0, 0, false, 100, 0, 0 FROM organisations;
INSERT INTO check_guids SELECT guid, org_id, check_id FROM checks;
INSERT INTO assignments (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
  VALUES ('0123456789ab', 'guid-1', 1, 1, true, 100);
INSERT INTO deleted_checks VALUES (2, 2, 'batch', now(), 'bob@example.com', '{}');
INSERT INTO asked_runs (org_id, run_id, monitor_id, check_id, asked_by, asked_at) VALUES (1, 'run', '0123456789ab', 1, 1, now());
CREATE TABLE results_2026_11 PARTITION OF results FOR VALUES FROM ('2026-11-01Z') TO ('2026-12-01Z');
INSERT INTO results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
  SELECT 1, 1, at, 20, 200, true, '0123456789ab'
  FROM generate_series(timestamptz '2026-10-31T23:58:00Z', '2026-11-01T00:02:00Z', '1 minute') at;
INSERT INTO shifted_results VALUES (1, 1, '2026-11-01Z', '0123456789ab', '2026-11-01T00:00:30Z');
INSERT INTO arrival_horizon (announced, settled) VALUES ('2026-11-01Z', '2026-11-01Z');
INSERT INTO late_results VALUES (1, 1, 1, '2026-11-01Z', '0123456789ab');
INSERT INTO unjudged_batches VALUES (1, 1, DEFAULT, '0123456789ab', now(), now(), false, '{}');
INSERT INTO result_budgets VALUES (1, 1, now());
CREATE TABLE sealed_hours_2026_10_30 PARTITION OF sealed_hours FOR VALUES FROM ('2026-10-30Z') TO ('2026-10-31Z');
INSERT INTO sealed_hours (org_id, check_id, since, runs) VALUES (1, 1, '2026-10-30Z', 1);
INSERT INTO reopened_results SELECT * FROM results LIMIT 1;
INSERT INTO seal_progress (is_on, sealed_until) VALUES (true, '2026-10-31Z');
INSERT INTO rollups VALUES (1, 1, '2026-11-01Z', 3, 0, 60, 20);
INSERT INTO rollups_daily VALUES (1, 1, '2026-11-01Z', 3, 0, 60, 20);
INSERT INTO rollup_marks VALUES (1, 1, '2026-11-01Z');
INSERT INTO rollup_progress (hours_until, days_until) VALUES ('2026-11-01Z', '2026-11-01Z');
INSERT INTO rollups_behind VALUES (2, '2026-10-31Z', '2026-10-31Z');
INSERT INTO check_schedules VALUES (1, 1, '2026-10-01Z', NULL, 60, 1, '2026-10-01Z');
INSERT INTO retention (org_id, due_at) VALUES (1, now());
INSERT INTO retention_calendar (day, seen_at) VALUES ('2026-11-01', now());
INSERT INTO heartbeats (org_id, guid, name, interval_sec, grace_sec, resend_interval_sec, show_on_status_page)
  VALUES (1, 'heart', 'backup', 60, 60, 0, true);
INSERT INTO heartbeat_keys VALUES ('heart', 'token', 1, 1);
INSERT INTO pings (org_id, heartbeat_id, n, created_at, kind) VALUES (1, 1, 1, '2026-11-01Z', 'beat');
INSERT INTO refused_pings VALUES (1, 1, now());
INSERT INTO check_states (org_id, check_id) VALUES (1, 1);
INSERT INTO incidents (org_id, incident_id, check_id, began_at, told_at) VALUES (1, 'incident', 1, now(), now());
INSERT INTO incident_notes (org_id, incident_id, created_at, author_id, author, body)
  VALUES (1, 'incident', now(), 1, 'ann@example.com', 'restarted');
INSERT INTO postmortems VALUES (1, 'incident', 'learnt', now(), 'ann@example.com');
INSERT INTO degradations (org_id, degradation_id, check_id, kind, began_at, reason) VALUES (1, 'slow', 1, 'slow', now(), '');
INSERT INTO failing_monitors VALUES (1, '0123456789ab', now());
INSERT INTO mutes VALUES (1, 'check:1', now(), now(), 'ann@example.com');
INSERT INTO service_presence (alive_at) VALUES (now());
INSERT INTO service_outages VALUES ('2026-10-01Z', '2026-10-02Z');
INSERT INTO notification_channels (org_id, name, kind, destination) VALUES (1, 'ops', 'ntfy', '{"ntfy_topic": "ops"}');
INSERT INTO channel_confirmations VALUES ('\x01', 1, 1, 'ops@example.com', now());
INSERT INTO events (org_id, event_id, type, created_at, subject, check_id, incident_id, data)
  VALUES (1, 'event', 'check.down', now(), 'check:1', 1, 'incident', '{}');
INSERT INTO deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
  VALUES (1, 'event', 1, 'check:1', now(), now());
INSERT INTO planned_alerts (org_id, event_id, channel_id, subject, due_at, held_by, created_at)
  VALUES (1, 'event', 1, 'check:1', now(), 'delay', now());
INSERT INTO alert_routes (org_id, guid, name, position, scope, events, delay_sec, steps, enabled, created_at)
  VALUES (1, 'route', 'ops', 0, '{"all": true}', '{}', 0, '[]', true, now());
INSERT INTO maintenance_windows (org_id, guid, name, scope, starts_at, duration_sec, zone, is_public, spread_until, created_at)
  VALUES (1, 'window', 'night', '{"all": true}', '2026-11-23T02:00', 60, 'UTC', true, now(), now());
INSERT INTO maintenance_spans VALUES (1, 1, now(), now(), 'night', '{"all": true}', true);
INSERT INTO maintenance_scopes VALUES (1, gen_random_uuid(), '{"all": true}', 13, now());
INSERT INTO status_pages VALUES (1, 'acme', 'Acme', '');
INSERT INTO status_page_entries VALUES (1, 1, 'shop', 1, NULL);
INSERT INTO status_histories VALUES (1, '{}', now(), 1, now());
INSERT INTO weekly_reports VALUES (1, 1, '2026-11-02', '\x01');
INSERT INTO personal_access_tokens (token_hash, org_id, person_id) VALUES ('\x01', 1, 1);
INSERT INTO configuration_tokens (token_hash, org_id, person_id, name, scopes, created_at)
  VALUES ('\x01', 1, 1, 'CI', '{read}', now());
INSERT INTO repeatable_answers VALUES (1, 1, 'key', '\x01', 201, '{}', '', now());
INSERT INTO audit_entries (org_id, created_at, actor, action, subject) VALUES (1, now(), 'ann@example.com', 'check.create', 'shop');
INSERT INTO processes (process_id, role, host, pid, started_at, seen_at) VALUES ('process', 'all', 'host', 1, now(), now());
INSERT INTO installation VALUES (false);
INSERT INTO server_set_up (done_at, first_org_id) VALUES (now(), 1);
INSERT INTO set_up_links VALUES ('\x01', now(), now());
INSERT INTO link_secret (secret, created_at) VALUES ('\x01', now());
INSERT INTO rate_limits VALUES ('key', now());

CREATE TABLE kysely_migration (name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL);
INSERT INTO kysely_migration SELECT name, '2026-11-28T00:00:00.000Z' FROM regexp_split_to_table('
0001_tenants_and_fleet 0002_results 0003_rate_limits 0004_account 0005_alerting 0006_heartbeats 0008_silence
0009_people 0010_history 0011_custom_limits 0012_status_page 0013_wipes 0014_deliveries_of_channel 0015_retention
0017_deliveries_of_event 0018_sign_up_links 0019_database_time 0020_retention_calendar 0021_effective_times
0023_schedules 0024_judged_at 0025_deliveries_brought_forward 0027_arrivals 0030_suspension 0031_makers
0032_retired_monitors 0034_clock_behind 0035_processes 0036_retention_held 0037_delivery_turns 0038_alert_fairness
0039_summarised_deliveries 0040_most_monitors 0041_result_budgets 0043_gone_channels 0044_refused_pings
0045_refused_requests 0050_one_destination 0051_destinations_filled 0052_server_set_up 0053_sync_notice
0054_asked_runs 0062_token_origins 0070_planned_alerts 0071_alert_routes 0074_places_and_successes 0075_flapping
0076_timings 0077_degraded 0080_tags 0081_acknowledged 0082_mutes 0084_maintenance 0085_dependencies
0086_checks_that_depend 0088_weekly_reports 0089_link_secret 0092_failing_monitors
0093_alerts_that_wait_for_monitors 0094_spans_that_are_over 0095_incident_notes 0096_incidents_newest
0097_events_of_incident 0098_deleted_checks 0103_roles 0104_sign_in 0108_times 0109_changes 0110_cron
0113_configuration_tokens 0114_keys 0115_incidents_turned 0116_looks_at_failing_monitors 0117_held_until
0127_quiet_looks_at_failing_monitors 0128_judged_at 0130_reassigned_checks 0135_edited_notes 0140_latency_sketches
0141_mutes_until_resolved 0150_rollups_alone 0151_abilities 0160_sealed_hours 0161_sealing_place 0162_sealing_bar
0165_rollups_behind 0166_touched_once 0171_stored_results 0179_folding_place 0180_sealing_noticed
0187_unjudged_batches 0190_seals_by_default 0205_maintenance_scopes 0206_next_maintenance 0215_merged_schedules
0216_status_histories 0220_audit_summaries 0221_audit_summary_key 0225_far_clock_offsets
0230_link_secret_from_the_start 0231_more_scopes 0232_more_scopes_checked 0235_processes_know_their_url 0255_quorums
0256_quorums_index
', '\s+') name WHERE name <> '';
