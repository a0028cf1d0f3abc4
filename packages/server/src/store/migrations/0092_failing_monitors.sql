-- Monitors that see many checks of an organisation failing which nobody else sees failing, for as long as they do: alerts about those checks
-- wait, because one message about the monitor is sent in their place.
create table failing_monitors (
  org_id bigint not null references organisations,
  monitor_id text collate "C" not null,
  -- when alerts first waited because of it
  suspected_at timestamptz not null,
  -- when people were told of it; null: it is only suspected
  began_at timestamptz,
  primary key (org_id, monitor_id)
);
