// Opens a connection that only listens for notifications. They wake processes that would otherwise notice changes at
// their next poll.
import pg from 'pg'
import { optionsOf, SESSION } from './session.ts'

const REOPEN_MS = 1000
const CONNECT_MS = 5000
/** Time in milliseconds without a notification after which the connection is tested, again and again. */
const ASK_MS = 10_000
const ANSWER_MS = 5000

/**
 * Query whether the server can send notifications. A standby, or a primary that has been replaced, accepts no writes and so sends
 * none.
 */
const CAN_TELL = "select current_setting('transaction_read_only') = 'off' as can_tell"

export interface Listener {
  /** Whether the listener is connected, by the last known state. */
  readonly isListening: boolean
  /**
   * Calls `onNotify` with the payload of each notification on a channel, and without one after each connect, because notifications
   * might have been missed. Returns a function that stops this.
   */
  on(channel: string, onNotify: (payload?: string) => void): () => void
  close(): Promise<void>
}

/**
 * Opens one connection for all channels, which must be direct, not through a pooler. Reconnects if the connection breaks or its
 * server becomes read-only.
 */
export function openListener(
  url: string,
  onError: (error: unknown) => void,
  { ask_ms = ASK_MS }: { ask_ms?: number } = {},
): Listener {
  const heard = new Set<{ channel: string; onNotify: (payload?: string) => void }>()
  /** Channels that the present connection listens to. */
  let named = new Set<string>()
  let isClosed = false
  let isListening = false
  let timer: NodeJS.Timeout | undefined
  let client: pg.Client | undefined
  const inTurn = turns()
  const open = async (): Promise<void> => {
    const mine = newClient(url)
    client = mine
    const lost = (error?: unknown): void => {
      if (client !== mine) return
      client = undefined
      isListening = false
      clearTimeout(timer)
      // The error can come without an end event. Ending the connection twice does no harm.
      void mine.end().catch(() => {})
      if (isClosed) return
      onError(error ?? new Error('the connection ended'))
      timer = setTimeout(() => (opening = open()), REOPEN_MS)
    }
    const ask = async (): Promise<void> => {
      const { rows } = await mine.query<{ can_tell: boolean }>(CAN_TELL)
      if (rows[0]?.can_tell !== true) throw new Error('the database is read-only')
      if (client === mine && !isClosed) timer = setTimeout(() => void inTurn(ask).catch(lost), ask_ms)
    }
    mine
      .on('error', lost)
      .on('end', () => lost())
      .on('notification', ({ channel, payload }) => {
        for (const one of heard) if (one.channel === channel) one.onNotify(payload ?? '')
      })
    try {
      await mine.connect()
      const channels = new Set([...heard].map((one) => one.channel))
      for (const channel of channels) await mine.query(`listen ${pg.escapeIdentifier(channel)}`)
      await ask()
      isListening = client === mine
      named = channels
      for (const one of heard) one.onNotify()
    } catch (error) {
      lost(error)
    }
  }
  // Connects in a later step, after the caller has named its channels.
  let opening = Promise.resolve().then(open)
  return {
    get isListening() {
      return isListening
    },
    on: (channel, onNotify) => {
      const one = { channel, onNotify }
      heard.add(one)
      // While there is no connection, does nothing: the next connection listens to all channels when it opens.
      const begin = async (): Promise<void> => {
        if (!isListening || !client || named.has(channel)) return
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
        named.add(channel)
        if (heard.has(one)) onNotify()
      }
      void opening.then(() => inTurn(begin)).catch(() => {})
      return () => void heard.delete(one)
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await opening
      await client?.end().catch(() => {})
    },
  }
}

type ListenerJob = () => Promise<void>

/** Returns a function that runs one job after the other, because a connection can run only one statement at a time. */
function turns(): (job: ListenerJob) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return (job) => {
    const mine = last.then(job)
    last = mine.catch(() => {})
    return mine
  }
}

function newClient(url: string): pg.Client {
  return new pg.Client({
    connectionString: url,
    application_name: 'dogwatch-listening',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    options: optionsOf(SESSION),
  })
}
