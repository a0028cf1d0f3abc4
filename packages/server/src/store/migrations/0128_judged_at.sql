-- When a check was last judged: only then can its newest result have failed without its being down. Checks that only
-- succeed are not judged, so a list of checks reads the newest results of few. Null: not since this column was added.
alter table check_states add column judged_at timestamptz;
