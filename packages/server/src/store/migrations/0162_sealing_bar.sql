-- When sealing was turned on: nothing is closed before every process has noticed. And whether `dogwatch results unseal` has forbidden it.
alter table seal_progress
  add column turned_on_at timestamptz,
  add column is_barred boolean not null default false;
