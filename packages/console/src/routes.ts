// Lists all routes of the console in one table. The router serves it, and the tests try every row.

import { ACCOUNT_ROUTES } from './pages/account.tsx'
import { ACCOUNT_TIMES_ROUTES } from './pages/account-times.tsx'
import { ADMIN_ROUTES } from './pages/admin.tsx'
import { ADMIN_FLEET_ROUTES } from './pages/admin-fleet.tsx'
import { ADMIN_ORG_ROUTES } from './pages/admin-org.tsx'
import { ADMIN_PEOPLE_ROUTES } from './pages/admin-people.tsx'
import { API_TOKEN_ROUTES } from './pages/api-tokens.tsx'
import { AUDIT_ROUTES } from './pages/audit.tsx'
import { CHANNEL_ROUTES } from './pages/channels/routes.ts'
import { CHECK_ROUTES } from './pages/checks/routes.ts'
import { CONFIGURATION_TOKEN_ROUTES } from './pages/configuration-tokens.tsx'
import { CONFIRM_ADDRESS_ROUTES } from './pages/confirm-address.tsx'
import { DESIGN_ROUTES } from './pages/design.tsx'
import { FIRST_STEP_ROUTES } from './pages/first-steps.tsx'
import { HEARTBEAT_ROUTES } from './pages/heartbeats/routes.ts'
import { INCIDENT_LINK_ROUTES } from './pages/incident-link.tsx'
import { INCIDENT_ROUTES } from './pages/incidents/routes.ts'
import { INVITATION_ROUTES } from './pages/invitations.tsx'
import { LEAVE_ROUTES } from './pages/leave.tsx'
import { MADE_ROUTES } from './pages/made.tsx'
import { MAINTENANCE_ROUTES } from './pages/maintenance/routes.ts'
import { MEMBER_ROUTES } from './pages/members.tsx'
import { MONITOR_ROUTES } from './pages/monitors/routes.ts'
import { ORGANISATION_ROUTES } from './pages/organisations.tsx'
import { OVERVIEW_ROUTES } from './pages/overview/overview.tsx'
import { RESET_PASSWORD_ROUTES } from './pages/reset-password.tsx'
import { ALERT_ROUTE_ROUTES } from './pages/routing/routes.ts'
import { SEARCH_ROUTES } from './pages/search/search.tsx'
import { SET_UP_ROUTES } from './pages/set-up.tsx'
import { SETTINGS_ROUTES } from './pages/settings.tsx'
import { SIGN_IN_ROUTES } from './pages/sign-in.tsx'
import { SIGN_UP_ROUTES } from './pages/sign-up.tsx'
import { STATUS_PAGE_ROUTES } from './pages/status-page-entries.tsx'
import { UNSUBSCRIBE_ROUTES } from './pages/unsubscribe.tsx'
import type { Route } from './route.ts'

export const ROUTES: readonly Route[] = [
  ...SIGN_IN_ROUTES,
  ...SIGN_UP_ROUTES,
  ...SET_UP_ROUTES,
  ...OVERVIEW_ROUTES,
  ...ORGANISATION_ROUTES,
  ...INCIDENT_ROUTES,
  ...CHECK_ROUTES,
  ...FIRST_STEP_ROUTES,
  ...HEARTBEAT_ROUTES,
  ...MONITOR_ROUTES,
  // These routes come before `CHANNEL_ROUTES`, because paths such as `/channels/routes` also match `/channels/:channel`.
  ...ALERT_ROUTE_ROUTES,
  ...MAINTENANCE_ROUTES,
  ...CHANNEL_ROUTES,
  ...CONFIRM_ADDRESS_ROUTES,
  ...INCIDENT_LINK_ROUTES,
  ...UNSUBSCRIBE_ROUTES,
  ...ACCOUNT_ROUTES,
  ...ACCOUNT_TIMES_ROUTES,
  ...RESET_PASSWORD_ROUTES,
  ...INVITATION_ROUTES,
  ...SETTINGS_ROUTES,
  ...MEMBER_ROUTES,
  ...MADE_ROUTES,
  ...LEAVE_ROUTES,
  ...API_TOKEN_ROUTES,
  ...CONFIGURATION_TOKEN_ROUTES,
  ...AUDIT_ROUTES,
  ...ADMIN_ROUTES,
  ...ADMIN_ORG_ROUTES,
  ...ADMIN_PEOPLE_ROUTES,
  ...ADMIN_FLEET_ROUTES,
  ...STATUS_PAGE_ROUTES,
  ...SEARCH_ROUTES,
  ...DESIGN_ROUTES,
]
