// A connection that only listens: it wakes who would otherwise find out when they next look.
import pg from 'pg'

const REOPEN_MS = 1000
const CONNECT_MS = 5000

export interface Listener {
  close(): Promise<void>
}

/**
 * Calls `onNotify` for each notification on a channel, and once for each connection made: what came before it was not heard.
 * Needs a connection of its own, not one of a pool in between. One that breaks is opened again.
 */
export function listen(
  url: string,
  channel: string,
  onNotify: () => void,
  onError: (error: unknown) => void,
): Listener {
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let client: pg.Client | undefined
  const open = async (): Promise<void> => {
    const mine = new pg.Client({
      connectionString: url,
      application_name: 'dogwatch-listening',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    })
    client = mine
    const lost = (error?: unknown): void => {
      if (client !== mine) return
      client = undefined
      // An error may come without an end; to end twice does no harm.
      void mine.end().catch(() => {})
      if (isClosed) return
      onError(error ?? new Error('the connection ended'))
      timer = setTimeout(() => (opening = open()), REOPEN_MS)
    }
    mine
      .on('error', lost)
      .on('end', () => lost())
      .on('notification', onNotify)
    try {
      await mine.connect()
      await mine.query(`listen ${pg.escapeIdentifier(channel)}`)
      onNotify()
    } catch (error) {
      lost(error)
    }
  }
  let opening = open()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await opening
      await client?.end().catch(() => {})
    },
  }
}
