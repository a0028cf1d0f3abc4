// Keeps pages of some organisations open, as browsers do, and measures when a change reaches them.
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../../packages/domain/dist/deps.js'
import { openStream, type Stream } from '../../lab/clients/stream.ts'
import { type Undo, until } from '../../lab/proof.ts'
import { openOrg, query } from '../../lab/world.ts'

const [ORGS, OF_ORG] = [3, 8]
const [AGAIN_MS, BACK_MS, HEARD_MS] = [1000, 15_000, 2000]
const CHANGE = `
  insert into audit_entries (org_id, created_at, actor, action, subject) values ($1, now(), 'operator', 'proof', 'proof')`

/** Opens the pages. A page opens its stream again whenever the stream ends. */
export async function openPages(deps: Deps, url: string, undo: Undo) {
  const pages: { org_id: number; stream: Stream }[] = []
  let [cuts, isOver] = [0, false]
  undo(() => void (isOver = true))
  for (let n = 0; n < ORGS; n++) {
    const { org_id, signIn } = await openOrg(deps, `open ${n}`)
    const cookie = await signIn()
    for (let tab = 1; tab <= OF_ORG; tab++) {
      const open = (): Stream =>
        openStream(url, cookie, `127.3.${n}.${tab}`, () => {
          cuts += page.stream.status === 200 ? 1 : 0
          setTimeout(() => void (isOver || (page.stream = open())), AGAIN_MS)
        })
      const page = { org_id, stream: open() }
      pages.push(page)
    }
  }
  return {
    count: pages.length,
    /** Returns how many streams have ended. */
    cuts: () => cuts,
    /** Waits until each page has a stream. Returns whether it has. */
    areOpen: () => until(() => pages.every(({ stream }) => stream.isOpen), BACK_MS),
    /** Changes something in one organisation. Returns the time until all its pages received the change, in milliseconds. */
    change: async (): Promise<{ took_ms: number; faults: string[] }> => {
      // Waits until each page has received the changes that it missed before it opened.
      await pause(HEARD_MS)
      const changed = pages[0]?.org_id ?? 0
      const before = new Map(pages.map(({ stream }) => [stream, stream.changes]))
      const deaf = (isOwn: boolean) =>
        pages.filter(({ org_id, stream }) => (org_id === changed) === isOwn && stream.changes === before.get(stream))
      const began = performance.now()
      await query(deps, CHANGE, changed)
      const isHeard = await until(() => deaf(true).length === 0, HEARD_MS)
      const others = pages.length - OF_ORG - deaf(false).length
      return {
        took_ms: Math.round(performance.now() - began),
        faults: [
          ...(isHeard ? [] : [`${deaf(true).length} pages have no change after ${HEARD_MS} ms`]),
          ...(others > 0 ? [`${others} pages of other organisations changed`] : []),
        ],
      }
    },
  }
}
