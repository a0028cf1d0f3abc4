-- The checks of an organisation that went down last, which decide whether a monitor fails and not the checks: however many are down, only
-- the newest are read.
create index concurrently incidents_turned on incidents (org_id, ((verdict ->> 'turned_at') collate "C"))
  where check_id is not null and ended_at is null;
