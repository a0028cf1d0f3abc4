-- Reading results in the order of their arrival, without an index or a column that every result would pay for.
--
-- A reader goes through the results of a check by (ran_at, monitor_id), up to an instant before which nothing comes any
-- more, except what is noted here as late.

-- That instant. Who stores results notes as late what ran before `announced`; readers read what ran before `settled`.
create table arrival_horizon (
  is_the_one boolean primary key default true check (is_the_one),
  announced timestamptz not null,
  -- `announced` as it was when the last transaction ended that may not have seen it: never later
  settled timestamptz not null,
  -- the transactions that may not have seen `announced`, while they last; null before anybody looked which ones those are
  waits_for text[]
) with (fillfactor = 50);
insert into arrival_horizon (announced, settled) values ('-infinity', '-infinity');

-- Results that were stored after readers had been told that no more would come of their time.
create table late_results (
  org_id bigint not null,
  check_id bigint not null,
  -- counted for each check, in the order of commits
  n bigint not null,
  ran_at timestamptz not null,
  monitor_id text collate "C" not null,
  primary key (org_id, check_id, n)
);
-- the last n that was given
alter table check_states add column late_n bigint not null default 0;
