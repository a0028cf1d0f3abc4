-- When a worker last looked which checks nobody watches. Null until one did.
alter table service_presence add column judged_at timestamptz;
