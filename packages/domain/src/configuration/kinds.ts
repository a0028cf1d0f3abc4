// Lists the kinds of bulk changes in the order in which they are stored, because each can name items of earlier kinds.
import { CHANNEL } from './channels.ts'
import { CHECK } from './checks.ts'
import { HEARTBEAT } from './heartbeats.ts'
import type { Kind, ManyOf } from './kind.ts'
import { MANY_CHANNELS } from './many-channels.ts'
import { MANY_HEARTBEATS } from './many-heartbeats.ts'
import { MANY_ROUTES } from './many-routes.ts'
import { MANY_WINDOWS } from './many-windows.ts'
import { ROUTE } from './routes.ts'
import { STATUS_PAGE } from './status-page.ts'
import { WINDOW } from './windows.ts'

export interface BulkKind {
  kind: Kind<unknown>
  /** Name in the scopes of tokens, such as `checks` in `checks:write`. */
  subject: string
  /** Operations on many items. Absent for checks, which bulk-checks.ts handles, and for kinds whose items change one by one. */
  many?: ManyOf<unknown>
  /** Set if an organisation has only one item, so that no key or id names it. */
  isSingle?: true
}

export function kindOf(name: string): Kind<unknown> {
  const found = KINDS.get(name)
  if (!found) throw new Error(`the configuration has no kind of object called ${name}`)
  return found.kind
}

export const KINDS: ReadonlyMap<string, BulkKind> = new Map(
  Object.entries<BulkKind>({
    channel: { kind: CHANNEL, subject: 'channels', many: MANY_CHANNELS },
    check: { kind: CHECK, subject: 'checks' },
    heartbeat: { kind: HEARTBEAT, subject: 'heartbeats', many: MANY_HEARTBEATS },
    window: { kind: WINDOW, subject: 'maintenance', many: MANY_WINDOWS },
    route: { kind: ROUTE, subject: 'routes', many: MANY_ROUTES },
    status_page: { kind: STATUS_PAGE, subject: 'status_page', isSingle: true },
  }),
)
