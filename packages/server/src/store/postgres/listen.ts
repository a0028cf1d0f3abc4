// A connection that only listens for notifications: it wakes processes that would otherwise notice at their next poll.
import pg from 'pg'
import { optionsOf, SESSION } from './session.ts'

const REOPEN_MS = 1000
const CONNECT_MS = 5000
/** How often a connection without notifications is tested. */
const ASK_MS = 10_000
const ANSWER_MS = 5000

/** Nothing is notified where nothing is written: on a standby, or on a primary that has been replaced. */
const CAN_TELL = "select current_setting('transaction_read_only') = 'off' as can_tell"

export interface Listener {
  /** Whether it is connected, as far as is known. */
  readonly isListening: boolean
  close(): Promise<void>
}

/**
 * Calls `onNotify` with the payload of each notification on a channel, and once without one after each connect, since earlier notifications were
 * missed. Needs a direct connection, not one through a pooler. Reconnects when the connection breaks or its server
 * becomes read-only.
 */
export function listen(
  url: string,
  channel: string,
  onNotify: (payload?: string) => void,
  onError: (error: unknown) => void,
  { ask_ms = ASK_MS }: { ask_ms?: number } = {},
): Listener {
  let isClosed = false
  let isListening = false
  let timer: NodeJS.Timeout | undefined
  let client: pg.Client | undefined
  const open = async (): Promise<void> => {
    const mine = new pg.Client({
      connectionString: url,
      application_name: 'dogwatch-listening',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
      options: optionsOf(SESSION),
    })
    client = mine
    const lost = (error?: unknown): void => {
      if (client !== mine) return
      client = undefined
      isListening = false
      clearTimeout(timer)
      // An error may come without an end event; ending twice does no harm.
      void mine.end().catch(() => {})
      if (isClosed) return
      onError(error ?? new Error('the connection ended'))
      timer = setTimeout(() => (opening = open()), REOPEN_MS)
    }
    const ask = async (): Promise<void> => {
      const { rows } = await mine.query<{ can_tell: boolean }>(CAN_TELL)
      if (rows[0]?.can_tell !== true) throw new Error('the database is read-only')
      if (client === mine && !isClosed) timer = setTimeout(() => void ask().catch(lost), ask_ms)
    }
    mine
      .on('error', lost)
      .on('end', () => lost())
      .on('notification', ({ payload }) => onNotify(payload ?? ''))
    try {
      await mine.connect()
      await mine.query(`listen ${pg.escapeIdentifier(channel)}`)
      await ask()
      isListening = client === mine
      onNotify()
    } catch (error) {
      lost(error)
    }
  }
  let opening = open()
  return {
    get isListening() {
      return isListening
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await opening
      await client?.end().catch(() => {})
    },
  }
}
