-- The installation itself: its processes, its set-up, its secret, and the limits of rates.

-- Processes of the server. Each writes its row every few seconds and deletes it when it ends; the others delete the row
-- of one that was killed.
create table processes (
  process_id text collate "C" primary key,
  role text not null,
  host text not null,
  pid integer not null,
  -- null: accepts no requests
  port integer,
  -- by the database's clock
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- until when it is known to have accepted pings. Null: accepts none.
  alive_at timestamptz,
  -- how often it has reported its clocks
  reports bigint not null default 0,
  -- its machine's clock less the time that it carries
  skew_ms bigint not null default 0,
  -- the database's clock less the time that it carries
  ahead_ms bigint not null default 0,
  -- for how long it has carried that time without correcting it by more than seconds
  steady_ms bigint not null default 0,
  is_in_doubt boolean not null default false,
  -- what its build can do (store/abilities.ts): a change of the database's layout waits until all processes can read it
  abilities text[] not null default '{}',
  -- the URL under which people reach the server, so that commands print it
  public_url text
) with (fillfactor = 50);

-- Whether the service can be reached: processes that accept requests write it every few seconds.
create table service_presence (
  is_the_one boolean primary key default true check (is_the_one),
  alive_at timestamptz not null,
  -- when a worker last looked for unmonitored checks
  judged_at timestamptz,
  -- the database clock was ahead up to the first, and was set back to the second. Null: nothing to correct.
  was_ahead_until timestamptz,
  set_back_to timestamptz
) with (fillfactor = 50);

-- Times in which the service could not be reached. Silence in these is no fault of monitors or jobs.
create table service_outages (
  began_at timestamptz primary key,
  ended_at timestamptz not null,
  check (ended_at > began_at)
);

-- The installation, one row. seals_by_default: hours are sealed unless the operator says otherwise.
create table installation (
  seals_by_default boolean not null
);
insert into installation (seals_by_default) values (true);

-- The set-up of a fresh server, one row. done_at is null until the server has an owner.
create table server_set_up (
  is_the_one boolean primary key default true,
  done_at timestamptz,
  -- the organisation that the built-in monitor joins
  first_org_id bigint,
  constraint server_set_up_is_the_one_check check (is_the_one)
);
insert into server_set_up default values;

-- Links by which the first person is made. All of them end with the set-up.
create table set_up_links (
  token_hash bytea primary key,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- the host and port of the process that printed it. When the process starts again, it prints another one.
  printed_by text
);

-- The secret that signs links in alerts, and that hides definitions in the versions of checks. One row.
create table link_secret (
  is_the_one boolean primary key default true,
  secret bytea not null,
  created_at timestamptz not null,
  constraint link_secret_is_the_one_check check (is_the_one)
);
insert into link_secret (secret, created_at)
values (sha256(convert_to(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8')), now());

-- Rate limits, one row for each limited key: the theoretical arrival time of the generic cell rate algorithm (GCRA).
-- Unlogged, because after a crash a full burst for everyone is fine, and no request waits for the disk.
create unlogged table rate_limits (
  key text collate "C" primary key,
  tat timestamptz not null
) with (fillfactor = 50);
