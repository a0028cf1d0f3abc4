// Many changes at once.
import { changeInBulk } from '../../domain/configuration/bulk.ts'
import { KINDS } from '../../domain/configuration/kinds.ts'
import { allows } from '../../domain/configuration/scopes.ts'
import { type Configurator, requireScope } from '../../domain/configuration/tokens.ts'
import type { Deps } from '../../domain/deps.ts'
import type { BodyLimit } from '../body.ts'
import type { ConfigAnswer, ConfigInput, Resource } from './contract.ts'
import { carryOut, isAnswered } from './repeat.ts'
import { editorOf, namingFields } from './resource.ts'

type Answer = Awaited<ReturnType<typeof changeInBulk>>

/** Counts changes against what the organisation may change in a second, and those of dry runs against what the token may try. */
export type SpendChanges = (caller: Configurator, changes: { count: number; dry_run: boolean }) => Promise<void>

export function bulkOf(spend: SpendChanges): Resource<'changeInBulk'> {
  return {
    changeInBulk: async (
      deps: Deps,
      { caller, body, header, connection, reply }: ConfigInput<'changeInBulk'>,
    ): ConfigAnswer<'changeInBulk'> => {
      const { dry_run = false, changes } = body
      const subjects = new Set(changes.flatMap(({ kind }) => KINDS[kind]?.subject ?? []))
      for (const subject of subjects) requireScope(caller, `${subject}:${dry_run ? 'read' : 'write'}`)
      const asked = { caller, key: header['Idempotency-Key'], asks: ['changeInBulk', body] }
      // Whoever sends a request again because its answer was lost is given that answer, and changes nothing.
      const isRepeat = !dry_run && (await isAnswered(deps, asked))
      if (changes.length > 0 && !isRepeat) await spend(caller, { count: changes.length, dry_run })
      const gone = connection.closed()
      const work = (inner: Deps) =>
        namingFields(() => changeInBulk(inner, editorOf(caller), changes, { dry_run, gone })) satisfies Promise<Answer>
      // A dry run has nothing that could be done twice.
      if (dry_run) return reply(200, await work({ ...deps, hides_secrets: !allows(caller.scopes, 'channels:write') }))
      const made = await carryOut(deps, asked, async (inner) => ({ status: 200, headers: {}, body: await work(inner) }))
      return reply(200, made.body as Answer)
    },
  }
}

export const BULK_BODIES = { changeInBulk: { bytes: 2_097_152, status: 413 } satisfies BodyLimit }
