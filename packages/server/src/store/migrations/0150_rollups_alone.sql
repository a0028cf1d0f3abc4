-- Rollups may be distributed over several nodes, and checks stay on the coordinator: Citus allows no reference from one
-- to the other. A check is deleted only when it has no rollups (store/results/retention.ts).
alter table rollups drop constraint if exists rollups_org_id_check_id_fkey;
alter table rollups_daily drop constraint if exists rollups_daily_org_id_check_id_fkey;
