-- The newest request of a monitor that we refused for reasons of our own. No foreign key: the monitor's row may be held by what
-- made us refuse the request.
create table refused_requests (
  monitor_id text collate "C" primary key,
  -- when it came
  refused_at timestamptz not null
);
