-- Limits that an operator sets by hand, and a price agreed by hand, whatever the plan.

alter table organisations
  drop constraint organisations_plan_check,
  add constraint organisations_plan_check check (plan in ('free', 'solo', 'double', 'team', 'custom')),
  -- Kept when the org moves to another plan, so that it can move back.
  add column custom_limits jsonb,
  add column custom_price_cents integer check (custom_price_cents >= 0),
  -- Absent: no price is recorded.
  add column custom_price_period text check (custom_price_period in ('month', 'year')),
  add constraint custom_has_limits check (plan <> 'custom' or custom_limits is not null),
  add constraint price_has_a_period check ((custom_price_cents is null) = (custom_price_period is null));
