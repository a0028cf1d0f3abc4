// Handles requests with many changes.
import { changeInBulk } from '@dogwatch/domain/configuration/bulk'
import { KINDS } from '@dogwatch/domain/configuration/kinds'
import { allows } from '@dogwatch/domain/configuration/scopes'
import { type Configurator, requireScope } from '@dogwatch/domain/configuration/tokens'
import type { Deps } from '@dogwatch/domain/deps'
import type { Resource } from './contract.ts'
import { carryOut, isAnswered } from './repeat.ts'
import { editorOf, namingFields, readsSecrets } from './resource.ts'

/** Counts changes against the organisation's limit per second, and changes in dry runs against the token's limit. */
export type SpendChanges = (caller: Configurator, changes: { count: number; dry_run: boolean }) => Promise<void>

/** Maximum number of changes in a request. A new order of the routes counts as one change. */
const MOST_CHANGES = 1_000

export function bulkOf(spend: SpendChanges): Resource<'changeInBulk'> {
  return {
    async changeInBulk(deps, { caller, body, header, connection, reply }) {
      const { dry_run = false, changes, route_order } = body
      const subjects = new Set(changes.flatMap(({ kind }) => KINDS.get(kind)?.subject ?? []))
      if (route_order) subjects.add('routes')
      const count = changes.length + (route_order ? 1 : 0)
      for (const subject of subjects) requireScope(caller, `${subject}:${dry_run ? 'read' : 'write'}`)
      const asked = { caller, header, asks: ['changeInBulk', body] }
      // A repeat, which a client sends if it lost the response, gets the first response and changes nothing.
      const isRepeat = !dry_run && (await isAnswered(deps, asked))
      if (count > 0 && !isRepeat) await spend(caller, { count: Math.min(count, MOST_CHANGES), dry_run })
      const gone = connection.closed()
      const reads_secrets = readsSecrets(caller)
      const work = (inner: Deps, by = editorOf(caller)) =>
        namingFields(() => changeInBulk(inner, by, changes, { dry_run, gone, route_order, reads_secrets }))
      // A dry run changes nothing, so a repeat of it does no harm.
      const hides_secrets = {
        channels: !allows(caller.scopes, 'channels:write'),
        checks: !reads_secrets,
        is_change: allows(caller.scopes, 'checks:write'),
      }
      if (dry_run) return reply(200, await work(deps, { ...editorOf(caller), hides_secrets }))
      const made = await carryOut(deps, asked, async (inner) => ({ body: await work(inner) }))
      return reply(200, made.body)
    },
  }
}
