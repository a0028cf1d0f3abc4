-- The monitors whose results decided when a check with several places was last judged, sorted. Null: it was not judged yet.
alter table check_states add column quorum text[];
-- When these monitors last changed. Null: not since it was first judged.
alter table check_states add column quorum_since timestamptz;
-- How many monitors took turns before that.
alter table check_states add column quorum_turns integer;
-- When monitors last stopped counting, by id. Their results from before that do not count if they are back.
alter table check_states add column quorum_left jsonb not null default '{}';
