-- The server's processes, each as it last described itself. A process writes its own row every few seconds and deletes it when
-- it ends; the row of one that was killed is deleted by the others.
create table processes (
  process_id text collate "C" primary key,
  role text not null,
  host text not null,
  pid integer not null,
  -- where it takes requests; null: it takes none
  port integer,
  -- both by the database's clock
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- until when it is known to have taken pings; null: it takes none
  alive_at timestamptz,
  -- how often it has described its clocks
  reports bigint not null default 0,
  -- its machine's clock less the time that it carries
  skew_ms bigint not null default 0,
  -- the database's clock less the time that it carries
  ahead_ms bigint not null default 0,
  -- for how long it has carried that time without correcting it by more than seconds
  steady_ms bigint not null default 0,
  is_in_doubt boolean not null default false
) with (fillfactor = 50);

alter table service_presence
  -- the database's clock was ahead up to this instant,
  add column was_ahead_until timestamptz,
  -- and was found set back to this one. Both null: there is nothing to correct.
  add column set_back_to timestamptz;
