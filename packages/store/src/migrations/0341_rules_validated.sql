-- Constraints of 0340 that need to read the whole table.
alter table checks validate constraint private_definition_is_blank;
alter table checks validate constraint checks_ip_family_check;
