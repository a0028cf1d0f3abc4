-- Where nothing was stored before this, no earlier build ever ran whose servers would not see sealed hours: there they are sealed unless
-- the operator says otherwise.
alter table seal_progress add column seals_by_default boolean not null default false;
update seal_progress set seals_by_default = not exists (select from organisations);
