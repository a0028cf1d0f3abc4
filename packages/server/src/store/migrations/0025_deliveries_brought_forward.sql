-- A delivery that waits is brought forward when its channel takes another one.

-- planned_at: when the next regular attempt is, while an earlier one is made besides. not_before: not brought forward to before that.
alter table deliveries add column planned_at timestamptz, add column not_before timestamptz;
