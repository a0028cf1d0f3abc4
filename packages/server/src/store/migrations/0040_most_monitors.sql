-- How many monitors an organisation may have; 0 is unlimited. Null: as many as the settings give its plan.
alter table organisations add column max_monitors integer;
