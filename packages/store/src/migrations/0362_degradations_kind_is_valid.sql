-- The previous version writes only kinds that the constraint allows.
alter table degradations validate constraint degradations_kind;
