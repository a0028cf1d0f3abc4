-- A check may be down only when it fails from several monitors, and up only after several successes in a row. Zero and
-- false: the failures of all monitors together decide, and the first success ends them.
alter table checks
  add column down_places integer not null default 0,
  add column down_majority boolean not null default false,
  add column up_successes integer not null default 0;

-- Why the check was down, and by which rules: {"failures": 3, "places": {"failing": 2, "of": 3}, "turned_at": "...",
-- "rules": "1/majority/1"}. Null: not recorded.
alter table incidents add column verdict jsonb;
