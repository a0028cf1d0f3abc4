-- Which alerts go where, and when. An alert that no enabled route matches goes to every channel.
create table alert_routes (
  org_id bigint not null references organisations,
  route_id bigint generated always as identity,
  guid text collate "C" not null,
  name text not null,
  -- the order in which people see them
  position integer not null,
  -- {"all": true}, {"tags": [..]} or {"checks": [guid], "heartbeats": [guid]}
  scope jsonb not null,
  -- groups of event types; empty: all
  events text[] not null,
  severity text,
  -- {"from": "22:00", "to": "07:00", "days": [1..7], "zone": "Europe/Paris", "holds_down": false}
  quiet jsonb,
  delay_sec integer not null,
  -- [{"after_sec": 0, "channel_ids": [..]}, {"after_sec": 900, "rotation": {"channel_ids", "starts_on", "at", "zone"}}]
  steps jsonb not null,
  enabled boolean not null,
  created_at timestamptz not null,
  primary key (org_id, route_id),
  unique (org_id, guid)
);
