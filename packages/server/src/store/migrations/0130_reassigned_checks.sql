-- The checks whose assignments an update switched were found by joining the rows before it with those after it. The first
-- update of a connection, of one row, decided how: by nested loops, so that for the 2,000 assignments of a thousand
-- deleted checks millions of pairs were compared while everybody who changes a check waited. Switching an assignment
-- stamps it with this transaction's tick, so the rows after the update say it alone.
create or replace function touch_reassigned() returns trigger language plpgsql as $$
begin
  update checks c set updated_at = updated_at
  from (
    select distinct org_id, check_id from new_rows
    where updated_at = nullif(current_setting('dogwatch.tick', true), '')::timestamptz
  ) as changed
  where c.org_id = changed.org_id and c.check_id = changed.check_id;
  return null;
end $$;
