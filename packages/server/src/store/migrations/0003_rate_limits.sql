-- One row for each limited key: the theoretical arrival time of the generic cell rate algorithm (GCRA).
-- Unlogged: after a crash everyone starts with a full burst, and no request waits for the disk.
create unlogged table rate_limits (
  key text collate "C" primary key,
  tat timestamptz not null
) with (fillfactor = 50);
