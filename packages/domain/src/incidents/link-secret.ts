// Creates and replaces the secret that signs the links in alerts. All processes share it, and the operator can replace it.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { ensureLinkSecret, findLinkSecret, replaceLinkSecret } from '@dogwatch/store/alerting/link-secret'
import type { Database, Db } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'

const SECRET_BYTES = 32
/** Maximum time that a process signs by a secret without looking for a newer one. */
const REMEMBERED_MS = 10_000

const remembered = new WeakMap<Database, { secret: Buffer; until_ms: number }>()

/** Returns the secret for signing. It is remembered, because each alert would otherwise cost one more statement. */
export async function secretToSign(deps: Pick<Deps, 'database' | 'clock' | 'random'>): Promise<Buffer> {
  const { database, clock, random } = deps
  const known = remembered.get(database)
  if (known && clock.monotonicMs() < known.until_ms) return known.secret
  const secret =
    (await findLinkSecret(database.machines)) ??
    (await ensureLinkSecret(database.machines, Buffer.from(random(SECRET_BYTES)), fromDate(clock.now())))
  remembered.set(database, { secret, until_ms: clock.monotonicMs() + REMEMBERED_MS })
  return secret
}

/** Creates the secret in a transaction, unless there is one. */
export async function ensureSecret(db: Db, { clock, random }: Pick<Deps, 'clock' | 'random'>): Promise<void> {
  if ((await findLinkSecret(db)) !== undefined) return
  await ensureLinkSecret(db, Buffer.from(random(SECRET_BYTES)), fromDate(clock.now()))
}

/** Returns the secret for judging a link, always the current one. Returns undefined if there is none, and so no valid link. */
export async function secretToJudge({ database }: Pick<Deps, 'database'>): Promise<Buffer | undefined> {
  return findLinkSecret(database.people)
}

/** Replaces the secret, so that no earlier link works. Servers sign by the new secret within ten seconds. */
export async function rotateLinkSecret(
  deps: Pick<Deps, 'database' | 'clock' | 'random'>,
): Promise<{ rotated_at: string }> {
  const rotated_at = fromDate(deps.clock.now())
  await replaceLinkSecret(deps.database.people, Buffer.from(deps.random(SECRET_BYTES)), rotated_at)
  remembered.delete(deps.database)
  return { rotated_at }
}
