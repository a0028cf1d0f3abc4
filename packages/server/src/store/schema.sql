-- Generated from the migrations by `npm run generate`. Do not edit.

CREATE OR REPLACE FUNCTION public.copy_result_detail_max_chars()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update assignments set result_detail_max_chars = new.result_detail_max_chars
  where org_id = new.org_id and check_id = new.check_id;
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
  end if;
  return tick;
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
  where c.org_id = changed.org_id and c.check_id = changed.check_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.touch_reassigned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update checks c set updated_at = updated_at
  from (
    select distinct new_rows.org_id, new_rows.check_id from new_rows
    join old_rows on old_rows.monitor_id = new_rows.monitor_id and old_rows.guid = new_rows.guid
    where old_rows.active is distinct from new_rows.active
  ) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.wire_time(t timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((t AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text);

CREATE TABLE assignments (
  monitor_id text COLLATE "C" NOT NULL,
  guid text COLLATE "C" NOT NULL,
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  active boolean NOT NULL,
  result_detail_max_chars integer NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT assignments_pkey PRIMARY KEY (monitor_id, guid),
  CONSTRAINT assignments_monitor_id_fkey FOREIGN KEY (monitor_id) REFERENCES monitors(id),
  CONSTRAINT assignments_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id)
) WITH (fillfactor=80);
CREATE INDEX assignments_check ON public.assignments USING btree (org_id, check_id, monitor_id) WHERE active;
CREATE TRIGGER assignments_stamp BEFORE UPDATE ON public.assignments FOR EACH ROW WHEN ((old.active IS DISTINCT FROM new.active)) EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER assignments_stamp_new BEFORE INSERT ON public.assignments FOR EACH ROW EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER assignments_tick BEFORE INSERT OR UPDATE OF active ON public.assignments FOR EACH STATEMENT EXECUTE FUNCTION tick_first();
CREATE TRIGGER assignments_touch AFTER UPDATE ON public.assignments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_reassigned();
CREATE TRIGGER assignments_touch_new AFTER INSERT ON public.assignments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION touch_newly_assigned();

CREATE TABLE check_guids (
  guid text COLLATE "C" NOT NULL,
  org_id bigint NOT NULL,
  check_id bigint NOT NULL,
  CONSTRAINT check_guids_pkey PRIMARY KEY (guid),
  CONSTRAINT check_guids_org_id_check_id_fkey FOREIGN KEY (org_id, check_id) REFERENCES checks(org_id, check_id)
);

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
  CONSTRAINT checks_org_id_guid_key UNIQUE (org_id, guid),
  CONSTRAINT checks_pkey PRIMARY KEY (org_id, check_id),
  CONSTRAINT checks_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
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
CREATE TRIGGER checks_copy_cap AFTER UPDATE ON public.checks FOR EACH ROW WHEN ((old.result_detail_max_chars <> new.result_detail_max_chars)) EXECUTE FUNCTION copy_result_detail_max_chars();
CREATE TRIGGER checks_stamp BEFORE INSERT OR UPDATE ON public.checks FOR EACH ROW EXECUTE FUNCTION stamp_updated_at();
CREATE TRIGGER checks_tick BEFORE INSERT OR UPDATE ON public.checks FOR EACH STATEMENT EXECUTE FUNCTION tick_first();

CREATE TABLE enrollment_tokens (
  token_hash bytea NOT NULL,
  org_id bigint,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT enrollment_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT enrollment_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id)
);

CREATE TABLE heartbeat_keys (
  guid text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  org_id bigint NOT NULL,
  heartbeat_id bigint NOT NULL,
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
  CONSTRAINT heartbeats_org_id_guid_key UNIQUE (org_id, guid),
  CONSTRAINT heartbeats_pkey PRIMARY KEY (org_id, heartbeat_id),
  CONSTRAINT heartbeats_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT down_has_a_beginning CHECK (((state = 'down'::text) = (down_since IS NOT NULL))),
  CONSTRAINT heartbeats_grace_sec_check CHECK ((grace_sec >= 0)),
  CONSTRAINT heartbeats_interval_sec_check CHECK ((interval_sec > 0)),
  CONSTRAINT heartbeats_resend_interval_sec_check CHECK ((resend_interval_sec >= 0)),
  CONSTRAINT heartbeats_state_check CHECK ((state = ANY (ARRAY['new'::text, 'up'::text, 'down'::text])))
);

CREATE TABLE members (
  org_id bigint NOT NULL,
  person_id bigint NOT NULL,
  is_owner boolean NOT NULL DEFAULT false,
  joined_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT members_pkey PRIMARY KEY (org_id, person_id),
  CONSTRAINT members_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT members_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id)
);
CREATE UNIQUE INDEX members_one_owner ON public.members USING btree (org_id) WHERE is_owner;

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
  CONSTRAINT monitors_key_hash_key UNIQUE (key_hash),
  CONSTRAINT monitors_pkey PRIMARY KEY (id),
  CONSTRAINT monitors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT monitors_id_check CHECK ((id ~ '^[0-9a-hjkmnp-tv-z]{12}$'::text)),
  CONSTRAINT monitors_last_outage_sec_check CHECK ((last_outage_sec >= 0)),
  CONSTRAINT monitors_unsent_results_check CHECK ((unsent_results >= 0)),
  CONSTRAINT monitors_uptime_sec_check CHECK ((uptime_sec >= 0))
) WITH (fillfactor=80);
CREATE INDEX monitors_org ON public.monitors USING btree (org_id, id);
CREATE TRIGGER monitors_tick BEFORE INSERT OR UPDATE OF enabled, platform_enabled ON public.monitors FOR EACH STATEMENT EXECUTE FUNCTION tick_first();
CREATE TRIGGER monitors_touch AFTER UPDATE OF enabled, platform_enabled ON public.monitors FOR EACH ROW WHEN (((old.enabled AND old.platform_enabled) IS DISTINCT FROM (new.enabled AND new.platform_enabled))) EXECUTE FUNCTION touch_checks_of_monitor();

CREATE TABLE notification_channels (
  org_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  kind text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  ntfy_topic text NOT NULL,
  email text NOT NULL,
  webhook_url text NOT NULL,
  webhook_secret text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT notification_channels_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT notification_channels_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT notification_channels_kind_check CHECK ((kind = ANY (ARRAY['ntfy'::text, 'email'::text, 'webhook'::text, 'slack'::text]))),
  CONSTRAINT one_destination CHECK (
CASE kind
    WHEN 'ntfy'::text THEN ((ntfy_topic <> ''::text) AND (email = ''::text) AND (webhook_url = ''::text) AND (webhook_secret = ''::text))
    WHEN 'email'::text THEN ((email <> ''::text) AND (ntfy_topic = ''::text) AND (webhook_url = ''::text) AND (webhook_secret = ''::text))
    WHEN 'webhook'::text THEN ((webhook_url <> ''::text) AND (ntfy_topic = ''::text) AND (email = ''::text))
    ELSE ((webhook_url <> ''::text) AND (webhook_secret = ''::text) AND (ntfy_topic = ''::text) AND (email = ''::text))
END)
);

CREATE TABLE organisations (
  org_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  plan text NOT NULL,
  status_page_enabled boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT organisations_pkey PRIMARY KEY (org_id),
  CONSTRAINT organisations_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'solo'::text, 'double'::text, 'team'::text])))
);

CREATE TABLE people (
  person_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  password_hash text,
  is_admin boolean NOT NULL DEFAULT false,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
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
  CONSTRAINT personal_access_tokens_token_hash_key UNIQUE (token_hash),
  CONSTRAINT personal_access_tokens_pkey PRIMARY KEY (token_id),
  CONSTRAINT personal_access_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organisations(org_id),
  CONSTRAINT personal_access_tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(person_id)
);

CREATE UNLOGGED TABLE rate_limits (
  key text COLLATE "C" NOT NULL,
  tat timestamp with time zone NOT NULL,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
) WITH (fillfactor=50);

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
  CONSTRAINT results_pkey PRIMARY KEY (org_id, check_id, ran_at, monitor_id)
) PARTITION BY RANGE (ran_at);

CREATE TABLE results_default PARTITION OF results DEFAULT;

CREATE TABLE sync_clock (
  is_the_one boolean NOT NULL DEFAULT true,
  t timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT sync_clock_pkey PRIMARY KEY (is_the_one),
  CONSTRAINT sync_clock_is_the_one_check CHECK (is_the_one)
) WITH (fillfactor=50);
