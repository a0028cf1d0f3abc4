-- Heartbeats: jobs that ping us, and what they said.

-- Heartbeats, as people define them, and their state.
create table heartbeats (
  org_id bigint not null references organisations,
  heartbeat_id bigint generated always as identity,
  guid text collate "C" not null,
  name text not null,
  -- with a cron expression, the longest time between two of its times
  interval_sec integer not null check (interval_sec > 0),
  grace_sec integer not null check (grace_sec >= 0),
  -- 0: never
  resend_interval_sec integer not null check (resend_interval_sec >= 0),
  show_on_status_page boolean not null,
  enabled boolean not null default true,
  platform_enabled boolean not null default true,
  state text not null default 'new' check (state in ('new', 'up', 'down')),
  down_since timestamptz,
  last_heartbeat_at timestamptz,
  created_at timestamptz not null default now(),
  -- null: it cannot become overdue, because it is new, down or paused
  due_at timestamptz,
  -- in lower case, sorted, each once
  tags text[] not null default '{}',
  -- a schedule in place of the interval, and its time zone
  cron text,
  cron_zone text,
  -- the name that a client of the configuration API chose
  key text collate "C",
  primary key (org_id, heartbeat_id),
  unique (org_id, guid),
  constraint down_has_a_beginning check ((state = 'down') = (down_since is not null)),
  constraint only_one_that_is_up_is_due
    check (due_at is null or (state = 'up' and last_heartbeat_at is not null and enabled and platform_enabled))
) with (fillfactor = 70);
-- The sweep takes what is overdue, the longest first.
create index heartbeats_due on heartbeats (due_at) where due_at is not null;
-- A key is unique in its organisation.
create unique index heartbeats_key on heartbeats (org_id, key) where key is not null;

-- Keys lead from a guid or a ping URL to its heartbeat, over all organisations. The token stays readable, because the
-- page of the heartbeat shows its URL.
create table heartbeat_keys (
  guid text collate "C" primary key,
  token text collate "C" not null unique,
  org_id bigint not null,
  heartbeat_id bigint not null,
  -- the person who made the URL
  created_by bigint,
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade
);

-- The newest pings of each heartbeat.
create table pings (
  org_id bigint not null,
  heartbeat_id bigint not null,
  -- counted for each heartbeat
  n bigint not null,
  created_at timestamptz not null,
  kind text not null check (kind in ('beat', 'start', 'fail', 'log', 'exit_code')),
  exit_code smallint check (exit_code between 1 and 255),
  -- names the run, where runs overlap
  rid text collate "C",
  -- of a run that ended with this ping
  duration_ms bigint check (duration_ms >= 0),
  -- the last part of what the job sent
  body text,
  primary key (org_id, heartbeat_id, n),
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade,
  constraint one_exit_code check ((kind = 'exit_code') = (exit_code is not null))
);

-- Days (UTC) on which a run ended. They outlast the pings.
create table heartbeat_days (
  org_id bigint not null,
  heartbeat_id bigint not null,
  day date not null,
  primary key (org_id, heartbeat_id, day),
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade
);

-- note_heartbeat_day records the day of a ping that ends a run.
create function note_heartbeat_day() returns trigger language plpgsql as $$
begin
  insert into heartbeat_days (org_id, heartbeat_id, day)
    values (new.org_id, new.heartbeat_id, (new.created_at at time zone 'UTC')::date)
    on conflict do nothing;
  return null;
end $$;
create trigger pings_note_day after insert on pings for each row
  when (new.kind in ('beat', 'fail', 'exit_code')) execute function note_heartbeat_day();

-- Newest pings that we refused for reasons of our own although the job is well, by heartbeat. There is no foreign key,
-- because a lock on the heartbeat's row may be the reason.
create table refused_pings (
  org_id bigint not null,
  heartbeat_id bigint not null,
  refused_at timestamptz not null,
  primary key (org_id, heartbeat_id)
);
