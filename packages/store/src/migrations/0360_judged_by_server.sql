-- Checks that the server judges itself, such as composites. Monitors never receive them, and they have no results.

-- is_judged_by_server says so for a target. The rows of check-rules/src/schemes.ts say the same, and a test compares both.
create function is_judged_by_server(url text) returns boolean language sql immutable parallel safe as $$
  select lower(split_part(url, ':', 1)) in ('composite', 'domain')
$$;

alter table checks add column judged_by_server boolean not null default false;

create function note_judged_by_server() returns trigger language plpgsql as $$
begin
  new.judged_by_server := is_judged_by_server(new.url);
  return new;
end $$;
create trigger checks_judged_new before insert on checks for each row
  when (is_judged_by_server(new.url)) execute function note_judged_by_server();
create trigger checks_judged before update of url on checks for each row
  when (old.url is distinct from new.url) execute function note_judged_by_server();

-- split_assigned as before, but a check that the server judges gets no assignment, and loses those that it had.
create or replace function split_assigned() returns trigger language plpgsql as $$
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
end $$;

-- unassign_judged takes a check from its monitors when the server begins to judge it.
create function unassign_judged() returns trigger language plpgsql as $$
begin
  update assignments a set active = a.active where a.org_id = new.org_id and a.check_id = new.check_id and (a.active or a.unable);
  return null;
end $$;
create trigger checks_unassign_judged after update on checks for each row
  when (new.judged_by_server and not old.judged_by_server) execute function unassign_judged();

-- The states that such a check has had. Their past takes the place of results.
create table judgements (
  org_id bigint not null references organisations,
  check_id bigint not null,
  began_at timestamptz not null,
  -- null: the state lasts
  ended_at timestamptz,
  state text not null check (state in ('up', 'degraded', 'down', 'unmonitored')),
  -- why, in words: 2 of 3 members are down: db-1, db-2
  reason text not null,
  primary key (org_id, check_id, began_at),
  foreign key (org_id, check_id) references checks
);
-- A check has one state at a time. Every page with the check reads it.
create unique index judgements_current on judgements (org_id, check_id) where ended_at is null;
-- A chore deletes old rows.
create index judgements_ended on judgements (ended_at) where ended_at is not null;

-- When the checks of an organisation were judged last, and which changes were seen by then.
create table judged_organisations (
  org_id bigint primary key references organisations,
  judged_at timestamptz not null,
  seen pg_snapshot
);

-- A composite is degraded while some of its members are down.
alter table degradations drop constraint degradations_kind_check;
alter table degradations add constraint degradations_kind check (kind in ('slow', 'certificate', 'members', 'registration')) not valid;
