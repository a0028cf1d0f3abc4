// Judges the checks that no monitor runs: finds the state of each, and records what changed.
import { MOST_MEMBERS } from '@dogwatch/check-rules/composite'
import type { ServerScheme } from '@dogwatch/check-rules/schemes'
import { readTarget, type TargetOf } from '@dogwatch/check-rules/target'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  claimOrgToJudge,
  type JudgedCheck,
  listJudgedChecks,
  listOrgsToJudge,
  updateOrgJudged,
} from '@dogwatch/store/checks/judgements'
import type { Trx } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { judgeComposite, resolveMembers } from './composite.ts'
import { judgeDomains } from './domains.ts'
import { readMemberChecks } from './members.ts'
import { type FoundVerdict, recordVerdicts } from './record.ts'

const ORGS_AT_ONCE = 100

/** A check that the server judges, with its target. */
export interface JudgedCase {
  check: JudgedCheck
  target: TargetOf<ServerScheme>
}

/** Runs the chore once: judges the checks of organisations after a change. Returns the number of organisations. */
export async function judgeByServer(deps: Deps): Promise<number> {
  const { machines } = deps.database
  const org_ids = await listOrgsToJudge(machines, fromDate(deps.clock.now()), ORGS_AT_ONCE)
  let judged = 0
  for (const org_id of org_ids) {
    try {
      judged += await judgeOrganisation(deps, org_id)
    } catch (err) {
      deps.log.error({ err, org_id }, 'could not judge the checks of an organisation that no monitor runs; will retry')
    }
  }
  return judged
}

/** Judges the checks of an organisation, unless another process does so. Returns the number of organisations judged. */
async function judgeOrganisation(deps: Deps, org_id: number): Promise<number> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const seen = await claimOrgToJudge(trx, org_id)
    if (seen === undefined) return 0
    const cases = (await listJudgedChecks(trx, org_id)).flatMap((check): JudgedCase[] => {
      const target = readTarget(check.url)
      return 'fault' in target ? [] : [{ check, target: target as TargetOf<ServerScheme> }]
    })
    await recordVerdicts(trx, deps, await judgeCases(trx, deps, org_id, cases))
    await updateOrgJudged(trx, org_id, fromDate(deps.clock.now()), seen)
    return 1
  })
}

/** Finds the state of each check. */
async function judgeCases(trx: Trx, deps: Deps, org_id: number, cases: readonly JudgedCase[]): Promise<FoundVerdict[]> {
  const domains = cases.flatMap(({ check, target }) => (target.scheme === 'domain' ? [{ check, target }] : []))
  return [...(await judgeComposites(deps, org_id, cases)), ...(await judgeDomains(trx, deps, domains))]
}

async function judgeComposites(deps: Deps, org_id: number, cases: readonly JudgedCase[]): Promise<FoundVerdict[]> {
  const composites = cases.flatMap(({ check, target }) => (target.scheme === 'composite' ? [{ check, target }] : []))
  if (composites.length === 0) return []
  const members = await readMemberChecks(
    deps,
    org_id,
    composites.flatMap(({ target }) => target.members),
  )
  return composites.map(({ check, target }): FoundVerdict => {
    const named = resolveMembers(target.members, members).flatMap(({ checks }) => checks)
    const own = [...new Set(named)].filter(({ check_id }) => check_id !== check.check_id)
    return { check, verdict: judgeComposite(own.slice(0, MOST_MEMBERS), target.down_at), kind: 'members' }
  })
}
