-- Where results are distributed, statements are told until when hours are sealed. What everybody has noticed by now is before
-- noticed_until: only there late results are merged and partitions dropped. Next comes noticing_until, which everybody may know since then.
alter table seal_progress
  add column noticed_until timestamptz not null default '-infinity',
  add column noticing_until timestamptz not null default '-infinity',
  add column noticing_since timestamptz;
