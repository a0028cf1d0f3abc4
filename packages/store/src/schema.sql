-- Generated from the migrations by `npm run generate`. Do not edit.

CREATE OR REPLACE FUNCTION public.blank_definition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.method := '';
  new.proxy := '';
  new.status_codes := '{}';
  new.assertions := '[]';
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.copy_degraded_rules()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update assignments set degraded_over_ms = new.degraded_over_ms,
    cert_warn_days = warn_days_of(new.cert_warn_days, new.cert_warn_percent, cert_lifetime_days)
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

CREATE OR REPLACE FUNCTION public.correct_needs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.needs := array(
    select unnest(new.needs) except select unnest(needs_of(null, old.url)) union select unnest(needs_of(null, new.url)) order by 1);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.database_time()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$ select clock_timestamp() $function$;

CREATE OR REPLACE FUNCTION public.definition_bytes_of(url text, match_string text, post_data text, headers jsonb)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select octet_length(to_json(url)::text) + octet_length(to_json(match_string)::text)
    + octet_length(to_json(post_data)::text) + octet_length(headers::text)
$function$;

CREATE OR REPLACE FUNCTION public.definition_bytes_of(url text, match_string text, post_data text, headers jsonb, assertions jsonb)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select definition_bytes_of(url, match_string, post_data, headers) + octet_length(assertions::text) - 2
$function$;

CREATE OR REPLACE FUNCTION public.is_judged_by_server(url text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select lower(split_part(url, ':', 1)) in ('composite', 'domain')
$function$;

CREATE OR REPLACE FUNCTION public.keep_former_secrets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  -- Searching a text for more would delay other requests.
  most_rows constant integer := 32;
  most_bytes constant integer := 32768;
  old_url text;
  old_headers jsonb;
  old_post_data text;
  old_proxy text;
  forgotten timestamptz;
begin
  if new.url = '' then
    -- The database keeps nothing of a private definition.
    delete from former_secrets where org_id = old.org_id and check_id = old.check_id;
    if old.url <> '' then
      insert into former_secrets (org_id, check_id, replaced_at) values (old.org_id, old.check_id, clock_timestamp());
    end if;
    return new;
  end if;
  -- A secret of a target follows one of these characters.
  if new.url <> old.url and old.url ~ '[@?#;=]' then old_url := old.url; end if;
  if not old.headers <@ new.headers then old_headers := old.headers; end if;
  if new.post_data <> old.post_data and old.post_data <> '' then old_post_data := old.post_data; end if;
  if new.proxy <> old.proxy and old.proxy like '%@%' then old_proxy := old.proxy; end if;
  if num_nonnulls(old_url, old_headers, old_post_data, old_proxy) = 0 then return new; end if;
  insert into former_secrets (org_id, check_id, replaced_at, url, headers, post_data, proxy)
  values (old.org_id, old.check_id, clock_timestamp(), old_url, old_headers, old_post_data, old_proxy);
  with ranked as (
    select former_id, row_number() over newest as place, sum(
      coalesce(octet_length(url), 0) + coalesce(octet_length(headers::text), 0) + coalesce(octet_length(post_data), 0)
      + coalesce(octet_length(proxy), 0)
    ) over newest as bytes
    from former_secrets where org_id = old.org_id and check_id = old.check_id
    window newest as (order by replaced_at desc, former_id desc)
  ), deleted as (
    delete from former_secrets f using ranked r
    where f.org_id = old.org_id and f.check_id = old.check_id and f.former_id = r.former_id
      and (r.place > most_rows or r.bytes > most_bytes)
    returning f.replaced_at
  )
  select max(replaced_at) into forgotten from deleted;
  if forgotten is not null then
    insert into former_secrets (org_id, check_id, replaced_at) values (old.org_id, old.check_id, forgotten);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.keep_least_cap()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.least_detail_chars := least(old.least_detail_chars, nullif(old.result_detail_max_chars, 0));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.measure_definition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.definition_bytes := definition_bytes_of(new.url, new.match_string, new.post_data, new.headers, new.assertions);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.needs_of(needs text[], url text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(needs, case lower(split_part(url, '://', 1))
    when 'http' then '{http}' when 'https' then '{http}' when 'tcp' then '{tcp}' when 'tls' then '{tls}' else '{}' end::text[])
$function$;

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

CREATE OR REPLACE FUNCTION public.note_judged_by_server()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.judged_by_server := is_judged_by_server(new.url);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.notify_assigned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('dogwatch_runs', changed.monitor_id)
  from (
    select distinct monitor_id from new_rows
    where updated_at = nullif(current_setting('dogwatch.tick', true), '')::timestamptz
  ) as changed;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.notify_monitors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('dogwatch_runs', changed.monitor_id)
  from (
    select distinct a.monitor_id
    from new_rows c join assignments a on a.org_id = c.org_id and a.check_id = c.check_id
    where a.active
  ) as changed;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.split_assigned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  may_run boolean;
  is_able boolean;
  is_judged boolean;
begin
  select not c.deleted and (m.org_id is not null or not c.restricted), needs_of(c.needs, c.url) <@ m.abilities, c.judged_by_server
  into may_run, is_able, is_judged
  from checks c, monitors m
  where c.org_id = new.org_id and c.check_id = new.check_id and m.id = new.monitor_id;
  if is_judged and tg_op = 'INSERT' then
    return null;
  end if;
  new.active := may_run and is_able and not is_judged;
  new.unable := may_run and not is_able and not is_judged;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.split_assigned_of_check()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update assignments a set active = a.active from monitors m
  where a.org_id = new.org_id and a.check_id = new.check_id and (a.active or a.unable) and m.id = a.monitor_id
    and a.active <> (needs_of(new.needs, new.url) <@ m.abilities);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.split_assigned_of_monitor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update assignments a set active = a.active from checks c
  where a.monitor_id = new.id and (a.active or a.unable) and c.org_id = a.org_id and c.check_id = a.check_id
    and a.active <> (needs_of(c.needs, c.url) <@ new.abilities);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.stamp_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('dogwatch.is_measuring', true) = 'yes' then
    return new;
  end if;
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
  select c.degraded_over_ms, warn_days_of(c.cert_warn_days, c.cert_warn_percent, new.cert_lifetime_days)
  into new.degraded_over_ms, new.cert_warn_days
  from checks c where c.org_id = new.org_id and c.check_id = new.check_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.tick_first()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('dogwatch.is_measuring', true) = 'yes' then
    return null;
  end if;
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

CREATE OR REPLACE FUNCTION public.unassign_judged()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update assignments a set active = a.active where a.org_id = new.org_id and a.check_id = new.check_id and (a.active or a.unable);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.warn_days_of(days integer, percent integer, lifetime_days integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select greatest(days, coalesce(ceil(percent * lifetime_days / 100.0)::integer, 0))
$function$;

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
  CONSTRAINT alert_routes_pkey PRIMARY KEY (org_id, route_id),
  CONSTRAINT alert_routes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  CONSTRAINT asked_runs_monitor_id_fkey FOREIGN KEY (monitor_id) REFERENCES monitors(id) ON DELETE CASCADE,
  CONSTRAINT asked_runs_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id) ON DELETE CASCADE,
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
  unable boolean NOT NULL DEFAULT false,
  cert_lifetime_days integer,
  cert_lifetime_sec bigint,
  CONSTRAINT assignments_pkey PRIMARY KEY (monitor_id, guid),
  CONSTRAINT assignments_monitor_id_fkey FOREIGN KEY (monitor_id) REFERENCES monitors(id),
  CONSTRAINT assignments_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id)
) WITH (fillfactor=80);
CREATE INDEX assignments_check ON public.assignments USING btree (org_id, check_id, monitor_id) WHERE active;
CREATE INDEX assignments_unable ON public.assignments USING btree (org_id, check_id, monitor_id) WHERE unable;
CREATE TRIGGER assignments_notify AFTER UPDATE ON public.assignments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION notify_assigned();
CREATE TRIGGER assignments_notify_new AFTER INSERT ON public.assignments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION notify_assigned();
CREATE TRIGGER assignments_split BEFORE UPDATE OF active, unable ON public.assignments FOR EACH ROW WHEN ((new.active OR new.unable)) EXECUTE FUNCTION split_assigned();
CREATE TRIGGER assignments_split_new BEFORE INSERT ON public.assignments FOR EACH ROW WHEN ((new.active OR new.unable)) EXECUTE FUNCTION split_assigned();
CREATE TRIGGER assignments_stamp BEFORE UPDATE ON public.assignments FOR EACH ROW WHEN ((old.active IS DISTINCT FROM new.active)) EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER assignments_stamp_new BEFORE INSERT ON public.assignments FOR EACH ROW EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER assignments_take_degraded_rules BEFORE INSERT ON public.assignments FOR EACH ROW EXECUTE FUNCTION take_degraded_rules();
CREATE TRIGGER assignments_take_lifetime BEFORE UPDATE OF cert_lifetime_days ON public.assignments FOR EACH ROW EXECUTE FUNCTION take_degraded_rules();
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
  CONSTRAINT audit_entries_pkey PRIMARY KEY (org_id, entry_id),
  CONSTRAINT audit_entries_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  CONSTRAINT check_guids_pkey PRIMARY KEY (guid),
  CONSTRAINT check_guids_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id)
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
  CONSTRAINT check_schedules_pkey PRIMARY KEY (org_id, check_id, since),
  CONSTRAINT check_schedules_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id)
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
  CONSTRAINT check_states_pkey PRIMARY KEY (org_id, check_id),
  CONSTRAINT check_states_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id)
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
  least_detail_chars integer,
  definition_bytes integer,
  needs text[],
  method text NOT NULL DEFAULT ''::text,
  max_redirects integer NOT NULL DEFAULT 0,
  ip_family text NOT NULL DEFAULT ''::text,
  proxy text NOT NULL DEFAULT ''::text,
  status_codes text[] NOT NULL DEFAULT '{}'::text[],
  assertions jsonb NOT NULL DEFAULT '[]'::jsonb,
  cert_warn_percent integer NOT NULL DEFAULT 0,
  judged_by_server boolean NOT NULL DEFAULT false,
  CONSTRAINT checks_org_id_guid_key UNIQUE (org_id, guid),
  CONSTRAINT checks_pkey PRIMARY KEY (org_id, check_id),
  CONSTRAINT checks_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT checks_cert_expiry_warn_days_check CHECK ((cert_expiry_warn_days >= 0)),
  CONSTRAINT checks_down_interval_sec_check CHECK ((down_interval_sec >= 0)),
  CONSTRAINT checks_interval_sec_check CHECK ((interval_sec > 0)),
  CONSTRAINT checks_ip_family_check CHECK ((ip_family = ANY (ARRAY[''::text, 'any'::text, '4'::text, '6'::text, 'both'::text]))),
  CONSTRAINT checks_match_mode_check CHECK ((match_mode = ANY (ARRAY[''::text, 'contains'::text, 'not_contains'::text, 'regex'::text, 'not_regex'::text]))),
  CONSTRAINT checks_max_response_time_ms_check CHECK ((max_response_time_ms >= 0)),
  CONSTRAINT checks_resend_interval_sec_check CHECK ((resend_interval_sec >= 0)),
  CONSTRAINT checks_result_detail_max_chars_check CHECK ((result_detail_max_chars >= 0)),
  CONSTRAINT checks_status_code_op_check CHECK ((status_code_op = ANY (ARRAY[''::text, 'eq'::text, 'ne'::text, 'lt'::text, 'lte'::text, 'gt'::text, 'gte'::text]))),
  CONSTRAINT checks_timeout_sec_check CHECK (((timeout_sec >= 0) AND (timeout_sec <= 60))),
  CONSTRAINT private_definition_is_blank CHECK (((url <> ''::text) OR (restricted AND (match_string = ''::text) AND (match_mode = ''::text) AND (post_data = ''::text) AND (headers = '{}'::jsonb) AND (status_code_op = ''::text) AND (status_code_value = 0) AND (method = ''::text) AND (proxy = ''::text) AND (status_codes = '{}'::text[]) AND (assertions = '[]'::jsonb))))
) WITH (fillfactor=80);
CREATE INDEX checks_depends_on ON public.checks USING btree (org_id, depends_on) WHERE (depends_on <> ''::text);
CREATE INDEX checks_judged_by_server ON public.checks USING btree (org_id, check_id) WHERE (judged_by_server AND (NOT deleted));
CREATE INDEX checks_measured ON public.checks USING btree (org_id) INCLUDE (definition_bytes) WHERE (NOT deleted);
CREATE INDEX checks_unmeasured ON public.checks USING btree (org_id, check_id) WHERE (definition_bytes IS NULL);
CREATE UNIQUE INDEX checks_key ON public.checks USING btree (org_id, key) WHERE ((key IS NOT NULL) AND (NOT deleted));
CREATE TRIGGER checks_blank_definition BEFORE UPDATE OF url ON public.checks FOR EACH ROW WHEN (((new.url = ''::text) AND (old.url <> ''::text))) EXECUTE FUNCTION blank_definition();
CREATE TRIGGER checks_copy_cap AFTER UPDATE ON public.checks FOR EACH ROW WHEN ((old.result_detail_max_chars <> new.result_detail_max_chars)) EXECUTE FUNCTION copy_result_detail_max_chars();
CREATE TRIGGER checks_copy_degraded_rules AFTER UPDATE ON public.checks FOR EACH ROW WHEN (((old.degraded_over_ms <> new.degraded_over_ms) OR (old.cert_warn_days <> new.cert_warn_days))) EXECUTE FUNCTION copy_degraded_rules();
CREATE TRIGGER checks_copy_warn_percent AFTER UPDATE ON public.checks FOR EACH ROW WHEN ((old.cert_warn_percent <> new.cert_warn_percent)) EXECUTE FUNCTION copy_degraded_rules();
CREATE TRIGGER checks_correct_needs BEFORE UPDATE OF url ON public.checks FOR EACH ROW WHEN (((new.needs = old.needs) AND (needs_of(NULL::text[], new.url) <> needs_of(NULL::text[], old.url)))) EXECUTE FUNCTION correct_needs();
CREATE TRIGGER checks_judged BEFORE UPDATE OF url ON public.checks FOR EACH ROW WHEN ((old.url IS DISTINCT FROM new.url)) EXECUTE FUNCTION note_judged_by_server();
CREATE TRIGGER checks_judged_new BEFORE INSERT ON public.checks FOR EACH ROW WHEN (is_judged_by_server(new.url)) EXECUTE FUNCTION note_judged_by_server();
CREATE TRIGGER checks_keep_former BEFORE UPDATE ON public.checks FOR EACH ROW WHEN (((old.url <> new.url) OR (old.headers <> new.headers) OR (old.post_data <> new.post_data) OR (old.proxy <> new.proxy))) EXECUTE FUNCTION keep_former_secrets();
CREATE TRIGGER checks_keep_least_cap BEFORE UPDATE ON public.checks FOR EACH ROW WHEN ((old.result_detail_max_chars <> new.result_detail_max_chars)) EXECUTE FUNCTION keep_least_cap();
CREATE TRIGGER checks_measure BEFORE INSERT OR UPDATE OF url, match_string, post_data, headers ON public.checks FOR EACH ROW EXECUTE FUNCTION measure_definition();
CREATE TRIGGER checks_measure_rules BEFORE UPDATE OF assertions ON public.checks FOR EACH ROW EXECUTE FUNCTION measure_definition();
CREATE TRIGGER checks_notify AFTER UPDATE ON public.checks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION notify_monitors();
CREATE TRIGGER checks_split_assigned AFTER UPDATE ON public.checks FOR EACH ROW WHEN ((needs_of(old.needs, old.url) <> needs_of(new.needs, new.url))) EXECUTE FUNCTION split_assigned_of_check();
CREATE TRIGGER checks_stamp BEFORE INSERT OR UPDATE ON public.checks FOR EACH ROW EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER checks_tick BEFORE INSERT OR UPDATE ON public.checks FOR EACH STATEMENT EXECUTE FUNCTION tick_first();
CREATE TRIGGER checks_unassign_judged AFTER UPDATE ON public.checks FOR EACH ROW WHEN ((new.judged_by_server AND (NOT old.judged_by_server))) EXECUTE FUNCTION unassign_judged();

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
  CONSTRAINT configuration_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT configuration_tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id),
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
  CONSTRAINT degradations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT degradations_check CHECK (((kind = 'certificate'::text) = ((cert_expires_at IS NOT NULL) AND (warn_days IS NOT NULL)))),
  CONSTRAINT degradations_kind CHECK ((kind = ANY (ARRAY['slow'::text, 'certificate'::text, 'members'::text, 'registration'::text])))
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
  CONSTRAINT deleted_checks_pkey PRIMARY KEY (org_id, check_id),
  CONSTRAINT deleted_checks_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id) ON DELETE CASCADE
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
  group_id text COLLATE "C",
  CONSTRAINT deliveries_pkey PRIMARY KEY (org_id, delivery_id),
  CONSTRAINT deliveries_org_id_channel_id_fkey FOREIGN KEY (org_id, channel_id) REFERENCES notification_channels(org_id, id) ON DELETE CASCADE,
  CONSTRAINT deliveries_org_id_event_id_fkey FOREIGN KEY (org_id, event_id) REFERENCES events(org_id, event_id),
  CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'superseded'::text]))),
  CONSTRAINT pending_has_a_next_attempt CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL)))
) WITH (fillfactor=70);
CREATE INDEX deliveries_channel ON public.deliveries USING btree (org_id, channel_id);
CREATE INDEX deliveries_due ON public.deliveries USING btree (next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_event ON public.deliveries USING btree (org_id, event_id);
CREATE INDEX deliveries_group ON public.deliveries USING btree (org_id, group_id) WHERE (group_id IS NOT NULL);
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
  CONSTRAINT enrollment_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT enrollment_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  sequence bigint DEFAULT nextval('events_sequence'::regclass),
  CONSTRAINT events_pkey PRIMARY KEY (org_id, event_id),
  CONSTRAINT events_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  CONSTRAINT failing_monitors_pkey PRIMARY KEY (org_id, monitor_id),
  CONSTRAINT failing_monitors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);

CREATE TABLE former_secrets (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  former_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  replaced_at timestamp with time zone NOT NULL,
  url text,
  headers jsonb,
  post_data text,
  proxy text,
  CONSTRAINT former_secrets_pkey PRIMARY KEY (org_id, check_id, former_id),
  CONSTRAINT former_secrets_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id) ON DELETE CASCADE
);

CREATE TABLE heartbeat_days (
  org_id bigint NOT NULL,
  heartbeat_id bigint NOT NULL,
  day date NOT NULL,
  CONSTRAINT heartbeat_days_pkey PRIMARY KEY (org_id, heartbeat_id, day),
  CONSTRAINT heartbeat_days_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE
);

CREATE TABLE heartbeat_keys (
  guid text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  org_id bigint NOT NULL,
  heartbeat_id bigint NOT NULL,
  created_by bigint,
  CONSTRAINT heartbeat_keys_token_key UNIQUE (token),
  CONSTRAINT heartbeat_keys_pkey PRIMARY KEY (guid),
  CONSTRAINT heartbeat_keys_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE
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
  CONSTRAINT heartbeats_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
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
  CONSTRAINT incident_notes_pkey PRIMARY KEY (org_id, note_id),
  CONSTRAINT incident_notes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT incident_notes_org_id_incident_id_fkey FOREIGN KEY (org_id, incident_id) REFERENCES incidents(org_id, incident_id) ON DELETE CASCADE
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
  CONSTRAINT incidents_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id),
  CONSTRAINT incidents_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT incidents_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE,
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
  CONSTRAINT invitations_pkey PRIMARY KEY (org_id, invitation_id),
  CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES people(person_id),
  CONSTRAINT invitations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);
CREATE INDEX invitations_token ON public.invitations USING btree (token_hash);

CREATE TABLE judged_organisations (
  org_id bigint NOT NULL,
  judged_at timestamp with time zone NOT NULL,
  seen pg_snapshot,
  CONSTRAINT judged_organisations_pkey PRIMARY KEY (org_id),
  CONSTRAINT judged_organisations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);

CREATE TABLE judgements (
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  began_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  state text NOT NULL,
  reason text NOT NULL,
  CONSTRAINT judgements_pkey PRIMARY KEY (org_id, check_id, began_at),
  CONSTRAINT judgements_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id),
  CONSTRAINT judgements_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT judgements_state_check CHECK ((state = ANY (ARRAY['up'::text, 'degraded'::text, 'down'::text, 'unmonitored'::text])))
);
CREATE INDEX judgements_ended ON public.judgements USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE UNIQUE INDEX judgements_current ON public.judgements USING btree (org_id, check_id) WHERE (ended_at IS NULL);

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
  CONSTRAINT maintenance_scopes_pkey PRIMARY KEY (org_id, scope_id),
  CONSTRAINT maintenance_scopes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  CONSTRAINT maintenance_spans_pkey PRIMARY KEY (org_id, window_id, begins_at),
  CONSTRAINT maintenance_spans_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  CONSTRAINT maintenance_windows_pkey PRIMARY KEY (org_id, window_id),
  CONSTRAINT maintenance_windows_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);
CREATE UNIQUE INDEX maintenance_windows_key ON public.maintenance_windows USING btree (org_id, key) WHERE (key IS NOT NULL);

CREATE TABLE memberships (
  org_id bigint NOT NULL,
  person_id bigint NOT NULL,
  is_owner boolean NOT NULL DEFAULT false,
  joined_at timestamp with time zone NOT NULL DEFAULT now(),
  weekly_report boolean NOT NULL DEFAULT false,
  role text NOT NULL DEFAULT 'member'::text,
  CONSTRAINT members_pkey PRIMARY KEY (org_id, person_id),
  CONSTRAINT members_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT members_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id),
  CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text, 'read_only'::text]))) NOT VALID
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
  clock_offset_ms bigint,
  catching_up boolean NOT NULL DEFAULT false,
  enrolled_by bigint,
  retired_at timestamp with time zone,
  clock_behind_since timestamp with time zone,
  enrolled_with bytea,
  clock_far_ms bigint,
  abilities text[] NOT NULL DEFAULT '{http,tcp,tls}'::text[],
  abilities_at timestamp with time zone,
  CONSTRAINT monitors_key_hash_key UNIQUE (key_hash),
  CONSTRAINT monitors_pkey PRIMARY KEY (id),
  CONSTRAINT monitors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT monitors_id_check CHECK ((id ~ '^[0-9a-hjkmnp-tv-z]{12}$'::text)),
  CONSTRAINT monitors_last_outage_sec_check CHECK ((last_outage_sec >= 0)),
  CONSTRAINT monitors_unsent_results_check CHECK ((unsent_results >= 0)),
  CONSTRAINT monitors_uptime_sec_check CHECK ((uptime_sec >= 0))
) WITH (fillfactor=80);
CREATE INDEX monitors_org ON public.monitors USING btree (org_id, id);
CREATE TRIGGER monitors_begun AFTER INSERT OR DELETE ON public.monitors FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER monitors_changed AFTER UPDATE ON public.monitors FOR EACH ROW WHEN ((old.offline_since IS DISTINCT FROM new.offline_since)) EXECUTE FUNCTION note_change();
CREATE TRIGGER monitors_split_assigned AFTER UPDATE OF abilities ON public.monitors FOR EACH ROW WHEN ((old.abilities <> new.abilities)) EXECUTE FUNCTION split_assigned_of_monitor();
CREATE TRIGGER monitors_tick BEFORE INSERT OR UPDATE OF enabled, platform_enabled ON public.monitors FOR EACH STATEMENT EXECUTE FUNCTION tick_first();
CREATE TRIGGER monitors_tick_abilities BEFORE UPDATE OF abilities ON public.monitors FOR EACH STATEMENT EXECUTE FUNCTION tick_first();
CREATE TRIGGER monitors_touch AFTER UPDATE OF enabled, platform_enabled ON public.monitors FOR EACH ROW WHEN (((old.enabled AND old.platform_enabled) IS DISTINCT FROM (new.enabled AND new.platform_enabled))) EXECUTE FUNCTION touch_checks_of_monitor();

CREATE TABLE mutes (
  org_id bigint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  muted_until timestamp with time zone NOT NULL,
  muted_at timestamp with time zone NOT NULL,
  muted_by text NOT NULL,
  incident_id text COLLATE "C",
  CONSTRAINT mutes_pkey PRIMARY KEY (org_id, subject),
  CONSTRAINT mutes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);

CREATE TABLE notification_channels (
  org_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  kind text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  email text NOT NULL DEFAULT ''::text,
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
  CONSTRAINT notification_channels_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT destination_has_text CHECK (((destination IS NOT NULL) AND (jsonb_typeof(destination) = 'object'::text) AND (destination <> '{}'::jsonb) AND (NOT jsonb_path_exists(destination, 'strict $.*?(@.type() != "string" || @ == "")'::jsonpath, '{}'::jsonb, true))))
);
CREATE UNIQUE INDEX notification_channels_key ON public.notification_channels USING btree (org_id, key) WHERE (key IS NOT NULL);

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
  CONSTRAINT passkeys_pkey PRIMARY KEY (credential_id),
  CONSTRAINT passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE
);
CREATE INDEX passkeys_person ON public.passkeys USING btree (person_id);

CREATE TABLE password_resets (
  token_hash bytea NOT NULL,
  person_id bigint NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash),
  CONSTRAINT password_resets_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id)
);
CREATE INDEX password_resets_person ON public.password_resets USING btree (person_id);

CREATE TABLE pending_sign_ins (
  token_hash bytea NOT NULL,
  kind text NOT NULL,
  person_id bigint,
  detail jsonb NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT pending_sign_ins_pkey PRIMARY KEY (token_hash),
  CONSTRAINT pending_sign_ins_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE
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
  CONSTRAINT personal_access_tokens_pkey PRIMARY KEY (token_id),
  CONSTRAINT personal_access_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT personal_access_tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id)
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
  CONSTRAINT pings_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE,
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
  CONSTRAINT planned_alerts_pkey PRIMARY KEY (org_id, event_id, channel_id),
  CONSTRAINT planned_alerts_org_id_event_id_fkey FOREIGN KEY (org_id, event_id) REFERENCES events(org_id, event_id),
  CONSTRAINT planned_alerts_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  CONSTRAINT postmortems_pkey PRIMARY KEY (org_id, incident_id),
  CONSTRAINT postmortems_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT postmortems_org_id_incident_id_fkey FOREIGN KEY (org_id, incident_id) REFERENCES incidents(org_id, incident_id) ON DELETE CASCADE
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
  CONSTRAINT provider_accounts_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT provider_accounts_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE
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
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (person_id, code_hash),
  CONSTRAINT recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE
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

CREATE TABLE registrations (
  name text COLLATE "C" NOT NULL,
  tld text COLLATE "C" NOT NULL,
  due_at timestamp with time zone NOT NULL,
  wanted_at timestamp with time zone NOT NULL,
  asked_at timestamp with time zone,
  failures integer NOT NULL DEFAULT 0,
  answered_at timestamp with time zone,
  fault text,
  expires_at timestamp with time zone,
  registrar text,
  name_servers text[] NOT NULL DEFAULT '{}'::text[],
  statuses text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT registrations_pkey PRIMARY KEY (name)
);
CREATE INDEX registrations_asked ON public.registrations USING btree (tld, asked_at);
CREATE INDEX registrations_due ON public.registrations USING btree (due_at);

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
  CONSTRAINT repeatable_answers_pkey PRIMARY KEY (org_id, token_id, idempotency_key),
  CONSTRAINT repeatable_answers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT repeatable_answers_token_id_fkey FOREIGN KEY (token_id) REFERENCES configuration_tokens(token_id) ON DELETE CASCADE
);
CREATE INDEX repeatable_answers_oldest ON public.repeatable_answers USING btree (created_at);

CREATE TABLE result_budgets (
  org_id bigint NOT NULL,
  remaining double precision NOT NULL,
  as_of timestamp with time zone NOT NULL,
  CONSTRAINT result_budgets_pkey PRIMARY KEY (org_id),
  CONSTRAINT result_budgets_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id) ON DELETE CASCADE
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
  CONSTRAINT retention_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT retention_days_check CHECK ((days > 0))
);
CREATE INDEX retention_due ON public.retention USING btree (due_at);

CREATE TABLE retention_calendar (
  is_the_one boolean NOT NULL DEFAULT true,
  day date NOT NULL,
  observed_sec integer NOT NULL DEFAULT 0,
  seen_at timestamp with time zone NOT NULL,
  safe_at timestamp with time zone,
  steady_sec integer NOT NULL DEFAULT 0,
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
  CONSTRAINT rollups_behind_pkey PRIMARY KEY (org_id),
  CONSTRAINT rollups_behind_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  CONSTRAINT sessions_pkey PRIMARY KEY (session_hash),
  CONSTRAINT sessions_impersonator_id_fkey FOREIGN KEY (impersonator_id) REFERENCES people(person_id),
  CONSTRAINT sessions_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id)
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
  CONSTRAINT status_histories_pkey PRIMARY KEY (org_id),
  CONSTRAINT status_histories_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
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
  CONSTRAINT status_page_entries_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id),
  CONSTRAINT status_page_entries_org_id_fkey FOREIGN KEY (org_id) REFERENCES status_pages(org_id),
  CONSTRAINT status_page_entries_org_id_heartbeat_id_fkey FOREIGN KEY (org_id, heartbeat_id) REFERENCES heartbeats(org_id, heartbeat_id) ON DELETE CASCADE,
  CONSTRAINT one_subject CHECK ((num_nonnulls(check_id, heartbeat_id) = 1))
);

CREATE TABLE status_pages (
  org_id bigint NOT NULL,
  slug text COLLATE "C" NOT NULL,
  title text NOT NULL,
  description text NOT NULL,
  CONSTRAINT status_pages_slug_key UNIQUE (slug),
  CONSTRAINT status_pages_pkey PRIMARY KEY (org_id),
  CONSTRAINT status_pages_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
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
  CONSTRAINT totp_secrets_pkey PRIMARY KEY (person_id),
  CONSTRAINT totp_secrets_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id) ON DELETE CASCADE
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
  CONSTRAINT weekly_reports_pkey PRIMARY KEY (org_id, person_id, week),
  CONSTRAINT weekly_reports_org_id_person_id_fkey FOREIGN KEY (org_id, person_id) REFERENCES memberships(org_id, person_id) ON DELETE CASCADE
);
CREATE INDEX weekly_reports_token ON public.weekly_reports USING btree (token_hash);

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
