-- Lifetime of the certificate that the monitor saw last, in seconds, because a share of a few days is no whole number of days.
-- Null: not reported. `cert_lifetime_days` is the same rounded up.
alter table assignments add column cert_lifetime_sec bigint;
