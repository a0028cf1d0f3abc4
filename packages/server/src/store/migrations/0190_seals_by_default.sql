-- Where nothing was stored before this, no earlier build ever ran whose servers would not see sealed hours: there they are sealed unless
-- the operator says otherwise. One row.
create table installation as select not exists (select from organisations) as seals_by_default;
alter table installation alter column seals_by_default set not null;
