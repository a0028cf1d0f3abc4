-- Abilities of monitors, and what checks need. A monitor that lacks an ability keeps the assignment, but does not run the check.

-- what the agent can do, as it said last. Agents that do not say have the abilities of the first release.
alter table monitors add column abilities text[] not null default '{http,tcp,tls}';
-- the last change of the abilities. Null: none yet.
alter table monitors add column abilities_at timestamptz;

-- the abilities that a monitor needs for the check. Null: the server that wrote the row does not know abilities.
alter table checks add column needs text[];

-- The check is assigned to the monitor, but the monitor lacks an ability. `active` is then false, because `active` means
-- that the monitor runs the check.
alter table assignments add column unable boolean not null default false;

-- needs_of returns the abilities that a check needs. Servers that do not know abilities know only these schemes.
create function needs_of(needs text[], url text) returns text[] language sql immutable parallel safe as $$
  select coalesce(needs, case lower(split_part(url, '://', 1))
    when 'http' then '{http}' when 'https' then '{http}' when 'tcp' then '{tcp}' when 'tls' then '{tls}' else '{}' end::text[])
$$;

-- correct_needs replaces the ability of the old scheme if a server that does not know abilities has written another one.
create function correct_needs() returns trigger language plpgsql as $$
begin
  new.needs := array(
    select unnest(new.needs) except select unnest(needs_of(null, old.url)) union select unnest(needs_of(null, new.url)) order by 1);
  return new;
end $$;
create trigger checks_correct_needs before update of url on checks for each row
  when (new.needs = old.needs and needs_of(null, new.url) <> needs_of(null, old.url)) execute function correct_needs();

-- split_assigned decides for an assigned check whether the monitor runs it. A check that may no longer be on the monitor is
-- unassigned: servers that do not know abilities leave such rows.
create function split_assigned() returns trigger language plpgsql as $$
declare
  may_run boolean;
  is_able boolean;
begin
  select not c.deleted and (m.org_id is not null or not c.restricted), needs_of(c.needs, c.url) <@ m.abilities
  into may_run, is_able
  from checks c, monitors m
  where c.org_id = new.org_id and c.check_id = new.check_id and m.id = new.monitor_id;
  new.active := may_run and is_able;
  new.unable := may_run and not is_able;
  return new;
end $$;
create trigger assignments_split_new before insert on assignments for each row
  when (new.active or new.unable) execute function split_assigned();
-- Triggers fire in the order of their names. This one comes before assignments_stamp.
create trigger assignments_split before update of active, unable on assignments for each row
  when (new.active or new.unable) execute function split_assigned();

-- split_assigned_of_monitor splits the assignments again that a change of a monitor's abilities concerns.
create function split_assigned_of_monitor() returns trigger language plpgsql as $$
begin
  update assignments a set active = a.active from checks c
  where a.monitor_id = new.id and (a.active or a.unable) and c.org_id = a.org_id and c.check_id = a.check_id
    and a.active <> (needs_of(c.needs, c.url) <@ new.abilities);
  return null;
end $$;
create trigger monitors_tick_abilities before update of abilities on monitors
  for each statement execute function tick_first();
create trigger monitors_split_assigned after update of abilities on monitors for each row
  when (old.abilities <> new.abilities) execute function split_assigned_of_monitor();

-- split_assigned_of_check splits the assignments again that a change of a check's needs concerns.
create function split_assigned_of_check() returns trigger language plpgsql as $$
begin
  update assignments a set active = a.active from monitors m
  where a.org_id = new.org_id and a.check_id = new.check_id and (a.active or a.unable) and m.id = a.monitor_id
    and a.active <> (needs_of(new.needs, new.url) <@ m.abilities);
  return null;
end $$;
create trigger checks_split_assigned after update on checks for each row
  when (needs_of(old.needs, old.url) <> needs_of(new.needs, new.url)) execute function split_assigned_of_check();
