-- How far the hour is folded that is next: it is folded some checks at a time, a transaction each. Of use only while `folding_hour` is
-- `hours_until`: a server of an earlier build folds the hour whole, and knows nothing of this.
alter table rollup_progress
  add column folding_hour timestamptz,
  add column folding_org_id bigint,
  add column folding_check_id bigint;
