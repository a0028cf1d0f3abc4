-- Monitors, checks, who runs which check, and the clock by which monitors learn of changes.

-- Enrollment tokens admit monitors. Without an organisation, a token is for the shared fleet.
create table enrollment_tokens (
  token_hash bytea primary key,
  org_id bigint references organisations,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- a person_id, also of a person who is deleted since. Null: unknown.
  created_by bigint
);

-- Monitors run checks. The row of a retired monitor stays, because results name it.
create table monitors (
  id text collate "C" primary key check (id ~ '^[0-9a-hjkmnp-tv-z]{12}$'),
  -- null: part of the shared fleet
  org_id bigint references organisations,
  name text not null,
  region text not null,
  country text not null,
  city text not null,
  -- null after a reset: not enrolled, may be reclaimed
  key_hash bytea unique,
  enabled boolean not null default true,
  platform_enabled boolean not null default true,
  enrolled_at timestamptz not null,
  -- changes with every request, so no index contains it: an index triples the cost of a request
  last_seen_at timestamptz,
  -- the agent reports these, at reported_at
  version text,
  uptime_sec bigint check (uptime_sec >= 0),
  unsent_results bigint check (unsent_results >= 0),
  last_outage_sec bigint check (last_outage_sec >= 0),
  last_outage_ended_at timestamptz,
  reported_at timestamptz,
  offline_since timestamptz,
  -- silence counts from here at the earliest: the monitor was enabled or came back
  watched_since timestamptz,
  -- lead of its clock over ours. Negative: behind. Null: not reported. At either end of the range, clock_far_ms counts.
  clock_offset_ms integer,
  -- the monitor uploads results from its time offline
  catching_up boolean not null default false,
  -- the creator of the enrollment token used last
  enrolled_by bigint,
  retired_at timestamptz,
  -- since when requests show a clock further behind than clock_offset_ms says
  clock_behind_since timestamptz,
  -- SHA-256 of the enrollment token used last. The page that shows a token waits for its monitors by this.
  enrolled_with bytea,
  clock_far_ms bigint
) with (fillfactor = 80);
-- Lists show the monitors of an organisation, and those of the shared fleet.
create index monitors_org on monitors (org_id, id);

-- Newest requests that we refused for reasons of our own, by monitor. There is no foreign key, because a lock on the
-- monitor's row may be the reason.
create table refused_requests (
  monitor_id text collate "C" primary key,
  refused_at timestamptz not null
);

-- Checks, as people define them. 0, false and empty mean absent from interval_sec on.
create table checks (
  org_id bigint not null references organisations,
  check_id bigint generated always as identity,
  guid text collate "C" not null,
  name text not null,
  url text not null,
  enabled boolean not null,
  deleted boolean not null default false,
  restricted boolean not null,
  -- all monitors of the organisation run it, and unless it is restricted the shared fleet, also monitors enrolled later
  all_monitors boolean not null default false,
  interval_sec integer not null check (interval_sec > 0),
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
  -- how many monitors must see failures, whether it must be a majority, and how many successes in a row end them
  down_places integer not null default 0,
  down_majority boolean not null default false,
  up_successes integer not null default 0,
  -- alerts report every change, also while the check is flapping
  alert_every_change boolean not null default false,
  -- how often the monitor repeats a failed run before the failure counts, and the pause between. A pause of 0 is 5 s.
  retry_count integer not null default 0,
  retry_interval_sec integer not null default 0,
  -- a check is degraded after this many slower results in a row (0: one), or with fewer days left of its certificate
  degraded_over_ms integer not null default 0,
  degraded_after integer not null default 0,
  cert_warn_days integer not null default 0,
  -- in lower case, sorted, each once
  tags text[] not null default '{}',
  -- the guid of a check of the same organisation, or the id of a monitor: while it is down, alerts about this check wait
  depends_on text not null default '',
  -- the name that a client of the configuration API chose
  key text collate "C",
  -- the smallest limit that texts of results had, other than the current one and 0: a text of that length may have been
  -- cut within a secret
  least_detail_chars integer,
  -- size of the definition as JSON. Null: not measured.
  definition_bytes integer,
  primary key (org_id, check_id),
  unique (org_id, guid),
  -- only the agent has a private definition: the server stores nothing of it, and no shared monitor runs it
  constraint private_definition_is_blank check (
    url <> '' or (restricted and match_string = '' and match_mode = '' and post_data = '' and headers = '{}'
      and status_code_op = '' and status_code_value = 0))
) with (fillfactor = 80);
-- Raising an event asks whether any check depends on its subject; deleting a check finds the checks that depend on it.
create index checks_depends_on on checks (org_id, depends_on) where depends_on <> '';
-- A key is unique in its organisation. A deleted check leaves its key to others.
create unique index checks_key on checks (org_id, key) where key is not null and not deleted;
-- The limit on all definitions of an organisation is checked without reading the definitions.
create index checks_measured on checks (org_id) include (definition_bytes) where not deleted;
-- A chore measures definitions that are not measured.
create index checks_unmeasured on checks (org_id, check_id) where definition_bytes is null;

-- Guids are unique over all organisations. The row leads from a guid to its organisation.
create table check_guids (
  guid text collate "C" primary key,
  org_id bigint not null,
  check_id bigint not null,
  foreign key (org_id, check_id) references checks
);

-- Assignments say which monitor runs which check. An inactive one tells the monitor to stop.
create table assignments (
  monitor_id text collate "C" not null references monitors,
  guid text collate "C" not null,
  org_id bigint not null,
  check_id bigint not null,
  active boolean not null,
  -- copies from the check, so that storing a batch of results reads this table alone
  result_detail_max_chars integer not null,
  updated_at timestamptz not null,
  degraded_over_ms integer not null default 0,
  cert_warn_days integer not null default 0,
  primary key (monitor_id, guid),
  foreign key (org_id, check_id) references checks
) with (fillfactor = 80);
-- Ranking the monitors of a check reads its active assignments.
create index assignments_check on assignments (org_id, check_id, monitor_id) where active;

-- Deleted checks keep what undoing the deletion needs until the deletion is final.
create table deleted_checks (
  org_id bigint not null,
  check_id bigint not null,
  -- checks that were deleted together come back together
  batch_id text collate "C" not null,
  deleted_at timestamptz not null,
  deleted_by text not null,
  kept jsonb not null,
  primary key (org_id, check_id),
  foreign key (org_id, check_id) references checks (org_id, check_id) on delete cascade
);
-- A chore makes the oldest deletions final.
create index deleted_checks_oldest on deleted_checks (deleted_at);

-- Former fields of definitions. They hide secrets that results from that time quote, and have no other use.
create table former_secrets (
  org_id bigint not null,
  check_id bigint not null,
  former_id bigint not null generated always as identity,
  replaced_at timestamptz not null,
  -- null: the field did not change. A row without any field stands for definitions that are not kept.
  url text,
  headers jsonb,
  post_data text,
  primary key (org_id, check_id, former_id),
  foreign key (org_id, check_id) references checks (org_id, check_id) on delete cascade
);

-- Runs that people requested, of a check or of a definition under test. Rows live for minutes.
create table asked_runs (
  org_id bigint not null references organisations on delete cascade,
  -- hard to guess; the monitor's report names it
  run_id text not null,
  monitor_id text not null references monitors on delete cascade,
  check_id bigint,
  definition jsonb,
  asked_by bigint not null,
  asked_at timestamptz not null,
  -- when the monitor received the request
  handed_at timestamptz,
  report jsonb,
  reported_at timestamptz,
  primary key (org_id, run_id),
  check ((check_id is null) <> (definition is null))
);
-- A sync looks for the runs of its monitor.
create index asked_runs_of_monitor on asked_runs (monitor_id, asked_at);
-- A chore deletes old rows.
create index asked_runs_by_age on asked_runs (asked_at);

-- The clock of changes. A transaction that changes what agents see ticks the clock and holds it until its commit, so
-- updated_at follows the order of commits, and a reader who has seen the clock at t has seen every change up to t.
create table sync_clock (
  is_the_one boolean primary key default true check (is_the_one),
  t timestamptz not null,
  -- the last tick that came with a change; the others only tell the time
  changed_at timestamptz not null
) with (fillfactor = 50);
insert into sync_clock (t, changed_at) values (clock_timestamp(), clock_timestamp());

-- sync_tick returns the time of this transaction's changes. The first call waits for the transactions that tick before
-- it, and announces the change when the transaction commits.
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
    notify dogwatch_sync;
  end if;
  return tick;
end $$;

-- tick_first ticks before a statement locks rows: two updates of many rows could otherwise wait for each other.
-- Measuring a definition is no change.
create function tick_first() returns trigger language plpgsql as $$
begin
  if current_setting('dogwatch.is_measuring', true) = 'yes' then
    return null;
  end if;
  perform sync_tick();
  return null;
end $$;
create trigger checks_tick before insert or update on checks for each statement execute function tick_first();
create trigger assignments_tick before insert or update of active on assignments
  for each statement execute function tick_first();
create trigger monitors_tick before insert or update of enabled, platform_enabled on monitors
  for each statement execute function tick_first();

-- stamp_updated_at sets the time of a change. Measuring a definition is no change.
create function stamp_updated_at() returns trigger language plpgsql as $$
begin
  if current_setting('dogwatch.is_measuring', true) = 'yes' then
    return new;
  end if;
  new.updated_at := sync_tick();
  return new;
end $$;
create trigger checks_stamp before insert or update on checks for each row execute function stamp_updated_at();
create trigger assignments_stamp_new before insert on assignments for each row execute function stamp_updated_at();
create trigger assignments_stamp before update on assignments for each row
  when (old.active is distinct from new.active) execute function stamp_updated_at();

-- copy_result_detail_max_chars keeps the copies in assignments equal to the check.
create function copy_result_detail_max_chars() returns trigger language plpgsql as $$
begin
  update assignments set result_detail_max_chars = new.result_detail_max_chars
  where org_id = new.org_id and check_id = new.check_id;
  return null;
end $$;
create trigger checks_copy_cap after update on checks for each row
  when (old.result_detail_max_chars <> new.result_detail_max_chars) execute function copy_result_detail_max_chars();

-- copy_degraded_rules keeps the copies in assignments equal to the check.
create function copy_degraded_rules() returns trigger language plpgsql as $$
begin
  update assignments set degraded_over_ms = new.degraded_over_ms, cert_warn_days = new.cert_warn_days
  where org_id = new.org_id and check_id = new.check_id;
  return null;
end $$;
create trigger checks_copy_degraded_rules after update on checks for each row
  when (old.degraded_over_ms <> new.degraded_over_ms or old.cert_warn_days <> new.cert_warn_days) execute function copy_degraded_rules();

-- take_degraded_rules gives a new assignment its copies.
create function take_degraded_rules() returns trigger language plpgsql as $$
begin
  select c.degraded_over_ms, c.cert_warn_days into new.degraded_over_ms, new.cert_warn_days
  from checks c where c.org_id = new.org_id and c.check_id = new.check_id;
  return new;
end $$;
create trigger assignments_take_degraded_rules before insert on assignments for each row execute function take_degraded_rules();

-- touch_newly_assigned moves updated_at of checks that get monitors, because the ranks of the other monitors change. A
-- check that this transaction has stamped needs no second version of its row.
create function touch_newly_assigned() returns trigger language plpgsql as $$
begin
  update checks c set updated_at = updated_at
  from (select distinct org_id, check_id from new_rows where active) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id
    and c.updated_at is distinct from nullif(current_setting('dogwatch.tick', true), '')::timestamptz;
  return null;
end $$;
create trigger assignments_touch_new after insert on assignments referencing new table as new_rows
  for each statement execute function touch_newly_assigned();

-- touch_reassigned moves updated_at of checks whose assignments are switched. The stamp of the new rows shows which ones
-- are: joining them with the old rows compares millions of pairs when a thousand checks are deleted.
create function touch_reassigned() returns trigger language plpgsql as $$
begin
  update checks c set updated_at = updated_at
  from (
    select distinct org_id, check_id from new_rows
    where updated_at = nullif(current_setting('dogwatch.tick', true), '')::timestamptz
  ) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id
    and c.updated_at is distinct from nullif(current_setting('dogwatch.tick', true), '')::timestamptz;
  return null;
end $$;
create trigger assignments_touch after update on assignments referencing old table as old_rows new table as new_rows
  for each statement execute function touch_reassigned();

-- touch_checks_of_monitor moves updated_at of the checks of a monitor that begins or stops to take turns.
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

-- notify_monitors wakes the monitors of changed checks, so that those that wait at a server sync at once.
create function notify_monitors() returns trigger language plpgsql as $$
begin
  perform pg_notify('dogwatch_runs', changed.monitor_id)
  from (
    select distinct a.monitor_id
    from new_rows c join assignments a on a.org_id = c.org_id and a.check_id = c.check_id
    where a.active
  ) as changed;
  return null;
end $$;
create trigger checks_notify after update on checks
  referencing new table as new_rows for each statement execute function notify_monitors();

-- notify_assigned wakes monitors that gain a new check or lose one, which notify_monitors does not find.
create function notify_assigned() returns trigger language plpgsql as $$
begin
  perform pg_notify('dogwatch_runs', changed.monitor_id)
  from (
    select distinct monitor_id from new_rows
    where updated_at = nullif(current_setting('dogwatch.tick', true), '')::timestamptz
  ) as changed;
  return null;
end $$;
create trigger assignments_notify after update on assignments
  referencing new table as new_rows for each statement execute function notify_assigned();
create trigger assignments_notify_new after insert on assignments
  referencing new table as new_rows for each statement execute function notify_assigned();

-- definition_bytes_of measures a definition.
create function definition_bytes_of(url text, match_string text, post_data text, headers jsonb) returns integer
language sql stable parallel safe as $$
  select octet_length(to_json(url)::text) + octet_length(to_json(match_string)::text)
    + octet_length(to_json(post_data)::text) + octet_length(headers::text)
$$;

-- measure_definition keeps definition_bytes with every write.
create function measure_definition() returns trigger language plpgsql as $$
begin
  new.definition_bytes := definition_bytes_of(new.url, new.match_string, new.post_data, new.headers);
  return new;
end $$;
create trigger checks_measure before insert or update of url, match_string, post_data, headers on checks
  for each row execute function measure_definition();

-- keep_former_secrets keeps the fields that an edit replaces, up to a limit.
create function keep_former_secrets() returns trigger language plpgsql as $$
declare
  -- As much as is looked for in a text without holding up others.
  most_rows constant integer := 32;
  most_bytes constant integer := 32768;
  old_url text;
  old_headers jsonb;
  old_post_data text;
  forgotten timestamptz;
begin
  if new.url = '' then
    -- Of a private definition, the database keeps nothing.
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
  if num_nonnulls(old_url, old_headers, old_post_data) = 0 then return new; end if;
  insert into former_secrets (org_id, check_id, replaced_at, url, headers, post_data)
  values (old.org_id, old.check_id, clock_timestamp(), old_url, old_headers, old_post_data);
  with ranked as (
    select former_id, row_number() over newest as place, sum(
      coalesce(octet_length(url), 0) + coalesce(octet_length(headers::text), 0) + coalesce(octet_length(post_data), 0)
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
end $$;
create trigger checks_keep_former before update on checks for each row
  when (old.url <> new.url or old.headers <> new.headers or old.post_data <> new.post_data)
  execute function keep_former_secrets();

-- keep_least_cap keeps least_detail_chars when the limit of texts changes.
create function keep_least_cap() returns trigger language plpgsql as $$
begin
  new.least_detail_chars := least(old.least_detail_chars, nullif(old.result_detail_max_chars, 0));
  return new;
end $$;
create trigger checks_keep_least_cap before update on checks for each row
  when (old.result_detail_max_chars <> new.result_detail_max_chars) execute function keep_least_cap();
