-- What monitors tell of a run besides its verdict; null: not told, or the run did not come to that. Milliseconds are kept in
-- two bytes: from 32768 on they are stored less 65536, so read them as `dns_ms::integer & 65535`. Nothing takes longer than that.
alter table results
  add column dns_ms smallint,
  add column connect_ms smallint,
  add column tls_ms smallint,
  add column first_byte_ms smallint,
  add column transfer_ms smallint,
  -- How many runs failed before this one, and were repeated at the monitor. Null: none.
  add column retries smallint,
  -- When the certificate ends that the target presented.
  add column cert_expires_at timestamptz;
