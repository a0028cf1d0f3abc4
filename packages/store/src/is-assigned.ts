// Says when a check is assigned to a monitor. `active` alone means that the monitor also runs the check.
import { sql } from 'kysely'

/** SQL condition for assignments (`a`) that link a check to a monitor, even if the monitor lacks an ability. */
export const IS_ASSIGNED = '(a.active or a.unable)'

/** Like {@link IS_ASSIGNED}, as a part of a statement. */
export const IS_ASSIGNED_SQL = sql.raw<boolean>(IS_ASSIGNED)
