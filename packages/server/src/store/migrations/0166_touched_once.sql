-- A check whose row this transaction has stamped already needs no second version of it when its assignments change: bulk changes
-- wrote each new check twice, while everybody who changes a check waited.
create or replace function touch_newly_assigned() returns trigger language plpgsql as $$
begin
  update checks c set updated_at = updated_at
  from (select distinct org_id, check_id from new_rows where active) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id
    and c.updated_at is distinct from nullif(current_setting('dogwatch.tick', true), '')::timestamptz;
  return null;
end $$;

create or replace function touch_reassigned() returns trigger language plpgsql as $$
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
