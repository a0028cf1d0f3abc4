-- An organisation that is suspended stands still, and keeps all that it has. One that is to be deleted is suspended until then.
alter table organisations add column suspended_at timestamptz, add column delete_at timestamptz;
