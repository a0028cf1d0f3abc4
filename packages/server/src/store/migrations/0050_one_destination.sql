-- Where a channel leads: the fields of its kind by name, each with some text. A kind is known by src/channels alone.
alter table notification_channels add column destination jsonb;

-- A row must lead somewhere. What else its kind needs, the server judges.
alter table notification_channels add constraint destination_has_text check (
  destination is not null and jsonb_typeof(destination) = 'object' and destination <> '{}'
  and not jsonb_path_exists(destination, 'strict $.* ? (@.type() != "string" || @ == "")', '{}', true)) not valid;

-- They know the kinds of the build before.
alter table notification_channels drop constraint notification_channels_kind_check, drop constraint one_destination;

-- Few have one.
alter table notification_channels alter column email set default '';

-- Servers of the build before read and write ntfy_topic, webhook_url and webhook_secret, and know no destination; this build knows
-- nothing else. Each sees what the other wrote. `email` stays: it is the address that its owner has to confirm, of whatever kind.
create function destination_of_columns() returns trigger language plpgsql as $$
begin
  if new.destination is null or (tg_op = 'UPDATE' and new.destination is not distinct from old.destination
      and (new.ntfy_topic, new.email, new.webhook_url, new.webhook_secret)
        is distinct from (old.ntfy_topic, old.email, old.webhook_url, old.webhook_secret)) then
    new.destination := jsonb_strip_nulls(jsonb_build_object(
      'ntfy_topic', nullif(new.ntfy_topic, ''), 'email', nullif(new.email, ''),
      'webhook_url', nullif(new.webhook_url, ''), 'webhook_secret', nullif(new.webhook_secret, '')));
  else
    new.ntfy_topic := coalesce(new.destination ->> 'ntfy_topic', '');
    new.webhook_url := coalesce(new.destination ->> 'webhook_url', '');
    new.webhook_secret := coalesce(new.destination ->> 'webhook_secret', '');
  end if;
  return new;
end $$;

create trigger notification_channels_destination before insert or update on notification_channels
  for each row execute function destination_of_columns();
