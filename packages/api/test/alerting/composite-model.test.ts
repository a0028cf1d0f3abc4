// Composites against a naive model: whatever happens to the members and to the composite itself, its state and its alerts follow.

import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { importChecks } from '@dogwatch/domain/checks/import'
import { readCheckWithState } from '@dogwatch/domain/checks/read'
import { judgeByServer } from '@dogwatch/domain/judged/judge'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { result, type World, world } from '../support/world.ts'
import { editorOf } from './composite-story.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const MEMBERS = 3
const MEMBER_DEEDS = ['F', 'F', 'S', 'S', 'pause', 'resume', 'tag', 'untag'] as const
type Deed =
  | { member: number; what: (typeof MEMBER_DEEDS)[number] }
  | { what: 'pause' | 'resume' }
  | { what: 'needs'; down_at: number }

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ member: fc.nat(MEMBERS - 1), what: fc.constantFrom(...MEMBER_DEEDS) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('pause' as const, 'resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('needs' as const), down_at: fc.integer({ min: 1, max: 4 }) }) },
)

/** State of a member. A pause while the member is down forgets its last result. */
interface Member {
  isOn: boolean
  isTagged: boolean
  last: 'F' | 'S' | undefined
}

class Model {
  readonly members = Array.from({ length: MEMBERS }, (): Member => ({ isOn: true, isTagged: true, last: undefined }))
  readonly told: string[] = []
  isOn = true
  down_at = 2
  #isDown = false
  #isDegraded = false

  do(one: Deed): void {
    if (one.what === 'needs') this.down_at = one.down_at
    else if ('member' in one) this.#doMember(this.members[one.member] as Member, one.what)
    else {
      if (this.isOn && one.what === 'pause') [this.#isDown, this.#isDegraded] = [false, false]
      this.isOn = one.what === 'resume'
    }
    if (this.isOn) this.#tell()
  }

  #doMember(member: Member, what: (typeof MEMBER_DEEDS)[number]): void {
    if ((what === 'F' || what === 'S') && member.isOn) member.last = what
    if (what === 'tag' || what === 'untag') member.isTagged = what === 'tag'
    if (what === 'pause' && member.isOn && member.last === 'F') member.last = undefined
    if (what === 'pause' || what === 'resume') member.isOn = what === 'resume'
  }

  get verdict(): string {
    const seen = this.members.filter(({ isOn, isTagged, last }) => isOn && isTagged && last !== undefined)
    const down = seen.filter(({ last }) => last === 'F').length
    if (seen.length === 0) return 'unmonitored'
    if (down === 0) return 'up'
    return down >= this.down_at || down === seen.length ? 'down' : 'degraded'
  }

  /** State that people see. An incident stays open while the state is unknown. */
  get state(): string {
    if (!this.isOn) return 'paused'
    return this.verdict === 'unmonitored' && this.#isDown ? 'down' : this.verdict
  }

  #tell(): void {
    const { verdict } = this
    if (verdict === 'unmonitored') return
    if ((verdict === 'down') !== this.#isDown) this.told.push(this.#isDown ? 'check.up' : 'check.down')
    this.#isDown = verdict === 'down'
    if (verdict === 'degraded' && !this.#isDegraded) this.told.push('check.degraded')
    if (verdict === 'up' && this.#isDegraded) this.told.push('check.undegraded')
    this.#isDegraded = verdict === 'degraded' || (this.#isDegraded && verdict === 'down')
  }
}

test('the state of a composite and its alerts are those of a naive model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 10, maxLength: 25 }), async (deeds) => {
      const org = await w.org()
      const monitor = await w.monitor(org)
      const by = editorOf(org)
      const names = Array.from({ length: MEMBERS }, (_, n) => ({ name: `db-${n}`, tags: ['db'] }))
      const members = await w.checks(org, names, 'all')
      const rules = { name: 'all', interval_sec: 60, alert_every_change: true }
      const [guid = ''] = await w.checks(org, [{ ...rules, url: 'composite:tag:db?down_at=2' }], 'all')
      const model = new Model()
      const carryOut = async (one: Deed): Promise<void> => {
        if (one.what === 'needs') {
          const url = `composite:tag:db?down_at=${one.down_at}`
          await importChecks(w.deps, org.org_id, [{ ...rules, guid, url, enabled: model.isOn }])
        } else if (!('member' in one)) await changeChecks(w.deps, by, [guid], { kind: one.what })
        else if (one.what === 'F' || one.what === 'S') {
          const its = { ran_at: w.clock.now().toISOString(), success: one.what === 'S' }
          await monitor.client.upload([result(members[one.member] ?? '', its)])
        } else {
          const kinds = { pause: 'pause', resume: 'resume', tag: 'add-tags', untag: 'remove-tags' } as const
          const change = { kind: kinds[one.what], tags: ['db'] } as Parameters<typeof changeChecks>[3]
          await changeChecks(w.deps, by, [members[one.member] ?? ''], change)
        }
      }
      for (const [n, one] of deeds.entries()) {
        // The first result of a member is seen within half a minute.
        w.clock.forward(31)
        await carryOut(one)
        model.do(one)
        await judgeByServer(w.deps)
        const { state } = await readCheckWithState(w.deps, org.org_id, guid)
        expect({ n, ...one, state: state?.state }).toEqual({ n, ...one, state: model.state })
      }
      const events = await w.rows(
        `select type from events where org_id = $1 and data -> 'check' ->> 'guid' = $2 order by created_at, event_id`,
        ...[org.org_id, guid],
      )
      expect(events.map(({ type }) => type).toSorted()).toEqual(model.told.toSorted())
      // Otherwise each look would judge those of the earlier runs, too.
      await w.rows('update checks set deleted = true where org_id = $1', org.org_id)
    }),
    { numRuns: 10 },
  )
})
