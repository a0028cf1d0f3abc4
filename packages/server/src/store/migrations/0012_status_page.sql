-- The public status page of an org, and on which days a heartbeat was heard.

-- Where it is and what it says above all else. Whether it is shown at all is the org's own switch.
create table status_pages (
  org_id bigint primary key references organisations,
  -- in its address; it says nothing about the org unless its owner wants it to
  slug text collate "C" not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$'),
  title text not null,
  description text not null
);

-- What it shows, in which order, and what strangers call it. A heartbeat must be shown by its own mark as well.
create table status_page_entries (
  org_id bigint not null references status_pages,
  position integer not null,
  public_name text not null,
  check_id bigint,
  heartbeat_id bigint,
  primary key (org_id, position),
  unique (org_id, check_id),
  unique (org_id, heartbeat_id),
  foreign key (org_id, check_id) references checks,
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade,
  constraint one_subject check (num_nonnulls(check_id, heartbeat_id) = 1)
);

-- The days (of UTC) on which a run of its job was heard to end: of pings only the newest are kept.
create table heartbeat_days (
  org_id bigint not null,
  heartbeat_id bigint not null,
  day date not null,
  primary key (org_id, heartbeat_id, day),
  foreign key (org_id, heartbeat_id) references heartbeats on delete cascade
);

insert into heartbeat_days (org_id, heartbeat_id, day)
  select distinct org_id, heartbeat_id, (created_at at time zone 'UTC')::date from pings
  where kind in ('beat', 'fail', 'exit_code');

create function note_heartbeat_day() returns trigger language plpgsql as $$
begin
  insert into heartbeat_days (org_id, heartbeat_id, day)
    values (new.org_id, new.heartbeat_id, (new.created_at at time zone 'UTC')::date)
    on conflict do nothing;
  return null;
end $$;

create trigger pings_note_day after insert on pings for each row
  when (new.kind in ('beat', 'fail', 'exit_code')) execute function note_heartbeat_day();
