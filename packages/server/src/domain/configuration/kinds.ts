// The kinds of things that many are changed of at once, in the order in which they are stored: each may name those before it.
import { CHANNEL } from './channels.ts'
import { CHECK } from './checks.ts'
import { HEARTBEAT } from './heartbeats.ts'
import type { Kind } from './kind.ts'
import { ROUTE } from './routes.ts'
import { STATUS_PAGE } from './status-page.ts'
import { WINDOW } from './windows.ts'

export interface BulkKind {
  kind: Kind<unknown>
  /** What scopes call it: `checks` of `checks:write`. */
  subject: string
  /** An organisation has one of it: neither a key nor an id names it. */
  isSingle?: true
}

export const KINDS: Readonly<Record<string, BulkKind>> = {
  channel: { kind: CHANNEL, subject: 'channels' },
  check: { kind: CHECK, subject: 'checks' },
  heartbeat: { kind: HEARTBEAT, subject: 'heartbeats' },
  window: { kind: WINDOW, subject: 'maintenance' },
  route: { kind: ROUTE, subject: 'routes' },
  status_page: { kind: STATUS_PAGE, subject: 'status_page', isSingle: true },
}
