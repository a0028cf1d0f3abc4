-- How long the successes of an hour or of a day took: a sketch (store/results/sketch.ts), from which percentiles are read.
-- Null: there was no success, or a server of an earlier build summed it up.
alter table rollups add column latency_sketch bytea;
alter table rollups_daily add column latency_sketch bytea;
-- Until when hours were folded with sketches. While it is not as far as `hours_until`, a server of an earlier build folded hours.
-- Then a chore fills in the sketches of older hours: check by check, the newest hours first, and this is how far it is.
-- `sketch_org_id` is null when nothing is left to do, `sketch_before` while it has not begun with a check.
alter table rollup_progress
  add column sketched_until timestamptz,
  add column sketch_org_id bigint,
  add column sketch_check_id bigint,
  add column sketch_before timestamptz;
