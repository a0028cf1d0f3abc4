-- Tenants, the fleet, checks and who runs them.
--
-- Ready for a sharded Postgres: every tenant table has org_id in its primary and unique keys, and its foreign keys
-- within the tenant carry it. organisations, people, enrollment_tokens, monitors, check_guids, assignments and
-- sync_clock are small and looked up without the org; they would be reference tables there.

-- A timestamp as it goes over the wire: UTC, six digits, fixed width, so that text order is time order.
create function wire_time(t timestamptz) returns text language sql stable parallel safe
  return to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

create table people (
  person_id bigint generated always as identity primary key,
  email text not null,
  -- argon2id; absent for a person who cannot sign in yet
  password_hash text,
  is_admin boolean not null default false,
  disabled_at timestamptz,
  created_at timestamptz not null default now()
);
-- people sign in, and operators name them, by address in any case
create unique index people_email on people (lower(email));

create table organisations (
  org_id bigint generated always as identity primary key,
  name text not null,
  plan text not null check (plan in ('free', 'solo', 'double', 'team')),
  status_page_enabled boolean not null default false,
  created_at timestamptz not null default now()
);

create table members (
  org_id bigint not null references organisations,
  person_id bigint not null references people,
  is_owner boolean not null default false,
  joined_at timestamptz not null default now(),
  primary key (org_id, person_id)
);
create unique index members_one_owner on members (org_id) where is_owner;

create table enrollment_tokens (
  token_hash bytea primary key,
  -- absent: a platform token, for the shared fleet
  org_id bigint references organisations,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);

create table monitors (
  id text collate "C" primary key check (id ~ '^[0-9a-hjkmnp-tv-z]{12}$'),
  -- absent: a member of the shared fleet
  org_id bigint references organisations,
  name text not null,
  region text not null,
  country text not null,
  city text not null,
  -- absent after a reset: not enrolled, may be reclaimed
  key_hash bytea unique,
  enabled boolean not null default true,
  platform_enabled boolean not null default true,
  enrolled_at timestamptz not null,
  -- Moves with every request, so it is never indexed: an index on it costs each request three times as much.
  last_seen_at timestamptz,
  -- the snapshot that the agent reports
  version text,
  uptime_sec bigint check (uptime_sec >= 0),
  unsent_results bigint check (unsent_results >= 0),
  last_outage_sec bigint check (last_outage_sec >= 0),
  last_outage_ended_at timestamptz,
  reported_at timestamptz
) with (fillfactor = 80);
-- an org's monitors, and the shared fleet's
create index monitors_org on monitors (org_id, id);

create table checks (
  org_id bigint not null references organisations,
  check_id bigint generated always as identity,
  guid text collate "C" not null,
  name text not null,
  url text not null,
  enabled boolean not null,
  deleted boolean not null default false,
  restricted boolean not null,
  -- assigned to every monitor of the org and, unless restricted, of the shared fleet, those enrolled later included
  all_monitors boolean not null default false,
  interval_sec integer not null check (interval_sec > 0),
  -- 0, false and empty mean absent in all that follows
  timeout_sec integer not null check (timeout_sec between 0 and 60),
  disable_redirects boolean not null,
  insecure_skip_verify boolean not null,
  headers jsonb not null,
  post_data text not null,
  match_string text not null,
  match_mode text not null check (match_mode in ('', 'contains', 'not_contains', 'regex', 'not_regex')),
  status_code_op text not null check (status_code_op in ('', 'eq', 'ne', 'lt', 'lte', 'gt', 'gte')),
  status_code_value integer not null,
  cert_expiry_warn_days integer not null check (cert_expiry_warn_days >= 0),
  max_response_time_ms integer not null check (max_response_time_ms >= 0),
  invert_result boolean not null,
  result_detail_max_chars integer not null check (result_detail_max_chars >= 0),
  down_interval_sec integer not null check (down_interval_sec >= 0),
  resend_interval_sec integer not null check (resend_interval_sec >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null,
  primary key (org_id, check_id),
  unique (org_id, guid),
  -- A private definition is in its agent alone: nothing of it is kept here, and no shared monitor runs it.
  constraint private_definition_is_blank check (
    url <> '' or (restricted and match_string = '' and match_mode = '' and post_data = '' and headers = '{}'
      and status_code_op = '' and status_code_value = 0))
) with (fillfactor = 80);

-- One guid, one check, over all orgs; and the way from a guid to its org.
create table check_guids (
  guid text collate "C" primary key,
  org_id bigint not null,
  check_id bigint not null,
  foreign key (org_id, check_id) references checks
);

-- Which monitor runs which check. A row outlives its assignment (active = false), to tell the monitor to stop.
create table assignments (
  monitor_id text collate "C" not null references monitors,
  guid text collate "C" not null,
  org_id bigint not null,
  check_id bigint not null,
  active boolean not null,
  -- the check's, copied by a trigger, so that storing a batch of results reads this one table
  result_detail_max_chars integer not null,
  updated_at timestamptz not null,
  primary key (monitor_id, guid),
  foreign key (org_id, check_id) references checks
) with (fillfactor = 80);
-- who runs a check: ranks, and the touch when that changes
create index assignments_check on assignments (org_id, check_id, monitor_id) where active;

-- The clock of changes. A transaction that changes what agents see ticks it first and holds it to its commit, so
-- updated_at order is commit order and a reader that has seen the clock at t has seen every change up to t.
create table sync_clock (
  is_the_one boolean primary key default true check (is_the_one),
  t timestamptz not null,
  -- the last tick that came with a change; the others only tell the time
  changed_at timestamptz not null
) with (fillfactor = 50);
insert into sync_clock (t, changed_at) values (clock_timestamp(), clock_timestamp());

-- The time of this transaction's changes. The first call waits for the transactions that tick before it.
create function sync_tick() returns timestamptz language plpgsql as $$
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
end $$;

-- Taken before any row lock, or two updates of many rows could wait for each other.
create function tick_first() returns trigger language plpgsql as $$
begin
  perform sync_tick();
  return null;
end $$;

create function stamp_updated_at() returns trigger language plpgsql as $$
begin
  new.updated_at := sync_tick();
  return new;
end $$;

create trigger checks_tick before insert or update on checks for each statement execute function tick_first();
create trigger checks_stamp before insert or update on checks for each row execute function stamp_updated_at();

create trigger assignments_tick before insert or update of active on assignments
  for each statement execute function tick_first();
create trigger assignments_stamp_new before insert on assignments for each row execute function stamp_updated_at();
create trigger assignments_stamp before update on assignments for each row
  when (old.active is distinct from new.active) execute function stamp_updated_at();

create trigger monitors_tick before insert or update of enabled, platform_enabled on monitors
  for each statement execute function tick_first();

create function copy_result_detail_max_chars() returns trigger language plpgsql as $$
begin
  update assignments set result_detail_max_chars = new.result_detail_max_chars
  where org_id = new.org_id and check_id = new.check_id;
  return null;
end $$;
create trigger checks_copy_cap after update on checks for each row
  when (old.result_detail_max_chars <> new.result_detail_max_chars) execute function copy_result_detail_max_chars();

-- Whatever moves another monitor's rank or count moves updated_at of the check, or the others never hear of it.
create function touch_newly_assigned() returns trigger language plpgsql as $$
begin
  update checks c set updated_at = updated_at
  from (select distinct org_id, check_id from new_rows where active) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id;
  return null;
end $$;
create trigger assignments_touch_new after insert on assignments referencing new table as new_rows
  for each statement execute function touch_newly_assigned();

create function touch_reassigned() returns trigger language plpgsql as $$
begin
  update checks c set updated_at = updated_at
  from (
    select distinct new_rows.org_id, new_rows.check_id from new_rows
    join old_rows on old_rows.monitor_id = new_rows.monitor_id and old_rows.guid = new_rows.guid
    where old_rows.active is distinct from new_rows.active
  ) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id;
  return null;
end $$;
create trigger assignments_touch after update on assignments referencing old table as old_rows new table as new_rows
  for each statement execute function touch_reassigned();

create function touch_checks_of_monitor() returns trigger language plpgsql as $$
begin
  update checks c set updated_at = c.updated_at
  from assignments a
  where a.monitor_id = new.id and a.active and c.org_id = a.org_id and c.check_id = a.check_id;
  return null;
end $$;
create trigger monitors_touch after update of enabled, platform_enabled on monitors for each row
  when ((old.enabled and old.platform_enabled) is distinct from (new.enabled and new.platform_enabled))
  execute function touch_checks_of_monitor();
