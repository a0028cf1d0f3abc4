-- Deletions that nobody expected wait for an operator.
alter table retention
  -- since when what lies between the edge and the plan's promise waits; null: nothing waits
  add column held_since timestamptz,
  -- which part of the organisation's runs that is, from 0 to 1
  add column held_share double precision;
