-- Notifies the monitors of a check when the check, its monitors or their turns change, so that those that wait at a server sync at once.
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

-- A monitor that gained a check that is new, or lost one, is not among those.
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
