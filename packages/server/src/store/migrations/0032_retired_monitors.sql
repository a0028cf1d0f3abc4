-- A monitor that is retired runs nothing and is listed nowhere. Its row stays, since its results carry its name.
alter table monitors add column retired_at timestamptz;
