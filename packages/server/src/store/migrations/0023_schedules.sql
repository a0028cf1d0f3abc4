-- How often each check was to run, and since when: what was due then is counted by what was set then. The open row of a
-- check (until is null) is how it is to run now. A paused check has none.
create table check_schedules (
  org_id bigint not null,
  check_id bigint not null,
  since timestamptz not null,
  until timestamptz,
  interval_sec integer not null,
  -- A number made of the monitors that run it, and since when it is these: their runs are waited for from then on.
  run_by bigint not null,
  watched_since timestamptz not null,
  primary key (org_id, check_id, since),
  foreign key (org_id, check_id) references checks (org_id, check_id)
) with (fillfactor = 80);
create unique index check_schedules_open on check_schedules (org_id, check_id) where until is null;

-- True: nobody was told of the check itself, since a message about its monitors covers it.
alter table check_states add column unmonitored_quietly boolean not null default false;
