-- Every change of what agents see is announced when it commits, so that a server can tell its built-in monitor at once.
create or replace function sync_tick() returns timestamptz language plpgsql as $function$
declare
  tick timestamptz := nullif(current_setting('dogwatch.tick', true), '')::timestamptz;
begin
  if tick is null then
    -- Both the same, or a reader at t would take the change for one that is still to come. The lock is held by the first
    -- statement, so that the time is told after the transactions before this one have ended.
    perform from sync_clock for update;
    tick := greatest(clock_timestamp(), (select t from sync_clock) + interval '1 microsecond');
    update sync_clock set t = tick, changed_at = tick;
    perform set_config('dogwatch.tick', tick::text, true);
    notify dogwatch_sync;
  end if;
  return tick;
end $function$;
