-- Folding writes the sketches with the hours, so they have no progress of their own.
-- contract: 0286_history_and_retention the previous version does not use these columns
alter table rollup_progress drop column sketch_org_id, drop column sketch_check_id, drop column sketch_before,
  drop column sketch_left_out;
