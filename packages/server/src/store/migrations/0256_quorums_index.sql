create index concurrently check_states_quorum on check_states (org_id, check_id) where quorum is not null;
