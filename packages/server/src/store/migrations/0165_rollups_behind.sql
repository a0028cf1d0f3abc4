-- Organisations whose history is folded less far than that of all others (rollup_progress): the node that holds their results did not
-- answer when it was their turn. An organisation leaves the table when it has caught up.
create table rollups_behind (
  org_id bigint primary key references organisations,
  hours_until timestamptz not null,
  days_until timestamptz not null
);
-- The first organisation that was left out for that reason when sketches were filled in; null: none was.
alter table rollup_progress add column sketch_left_out bigint;
