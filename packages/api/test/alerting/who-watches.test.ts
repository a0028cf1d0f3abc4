// Random histories of monitors that join, leave, are disabled, fall silent and come back, beside a naive model that knows who watches. Each
// family of checks is one history; families of an organisation share its monitors, and all organisations share the time.
import { createChannel } from '@dogwatch/domain/channels/edit'
import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { retireMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { newGuid } from '@dogwatch/runtime/ids'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Dice, dice, seedFromEnvironment, tell } from '../../../runtime/test/support/dice.ts'
import { seededRandom } from '../../../runtime/test/support/seeded-random.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'
import { sweep } from './silence.ts'

const ORGS = 10
const FAMILIES = 12
/** Sets of monitors with which checks begin. */
const CHOICES = 4
const SPELLS = 4
const TICKS_OF_SPELL = 2
/** Less than the silence after which a monitor is offline. */
const TICK_SEC = 120
/** After so long without a change every hold has ended that nobody can justify. */
const REST_SEC = 20 * 60
/** The keeper runs the dependents and never leaves. */
const KEEPER = 'K'
const OTHERS = ['A', 'B', 'C']
const ALL = [KEEPER, ...OTHERS]
const RULES = [{}, { down_majority: true }, { down_places: 2 }, { down_places: 3 }] as const
/** When a check runs follows from its guid. */
const random = seededRandom('who watches')

interface Fate {
  enabled: boolean
  platform_enabled: boolean
  isRetired: boolean
  isSilent: boolean
}

interface Family {
  rules: (typeof RULES)[number]
  /** The parent of the dependent: the check of the family, or a monitor. */
  on: string
  /** Which monitors the check has. */
  assigned: Set<string>
  /** Which monitors see the check failing. */
  broken: Set<string>
  isChildDown: boolean
  isGrandchildDown: boolean
}

type Change =
  | { what: 'silence'; name: string }
  | { what: 'switch'; name: string; which: 'enabled' | 'platform_enabled' }
  | { what: 'retire'; name: string }
  | { what: 'assign' | 'unassign'; family: number; name: string }
  | { what: 'look'; family: number; broken: string[]; isChildDown: boolean; isGrandchildDown: boolean }

/** The model of an organisation after some changes. */
class Model {
  readonly fates = new Map(
    OTHERS.map((name): [string, Fate] => [
      name,
      { enabled: true, platform_enabled: true, isRetired: false, isSilent: false },
    ]),
  )
  readonly families: Family[]

  constructor(families: readonly Family[]) {
    this.families = families.map((family) => ({ ...family, assigned: new Set(family.assigned) }))
  }

  apply(change: Change): void {
    const { what } = change
    const fate = this.fates.get('name' in change ? change.name : '')
    const family = this.families['family' in change ? change.family : -1]
    if (what === 'look') Object.assign(family ?? {}, change, { broken: new Set(change.broken) })
    else if (what === 'assign') family?.assigned.add(change.name)
    else if (what === 'unassign') family?.assigned.delete(change.name)
    else if (!fate) throw new Error(`${change.name} never changes`)
    else if (what === 'switch') fate[change.which] = !fate[change.which]
    else if (what === 'silence') fate.isSilent = !fate.isSilent
    else fate.isRetired = true
  }

  isActive(name: string): boolean {
    const fate = this.fates.get(name)
    return !fate || (fate.enabled && fate.platform_enabled && !fate.isRetired)
  }

  isThere(name: string): boolean {
    return this.isActive(name) && this.fates.get(name)?.isSilent !== true
  }

  watchersOf({ assigned }: Family): string[] {
    return [...assigned].filter((name) => this.isThere(name))
  }

  isRun({ assigned }: Family): boolean {
    return [...assigned].some((name) => this.isActive(name))
  }

  /** Whether the check is down, as those see it who watch it. Without any, nobody knows. */
  isDown(family: Family): boolean {
    const watchers = this.watchersOf(family)
    const failing = watchers.filter((name) => family.broken.has(name)).length
    return watchers.length > 0 && failing >= neededOf(family.rules, watchers.length)
  }
}

function neededOf(rules: Family['rules'], of: number): number {
  if ('down_majority' in rules) return Math.floor(of / 2) + 1
  return 'down_places' in rules ? Math.min(rules.down_places, of) : 1
}

interface History {
  families: readonly Family[]
  /** For each spell what changes at its beginning. */
  spells: readonly (readonly Change[])[]
}

function roll(d: Dice): History {
  const choices = Array.from({ length: CHOICES }, () => d.some(ALL, ALL.length).toSorted())
  const families = Array.from({ length: FAMILIES }, (): Family => {
    const assigned = new Set(d.one(choices))
    return {
      rules: d.one(RULES),
      on: d.one(['check', 'check', ...OTHERS]),
      assigned,
      broken: new Set(),
      isChildDown: false,
      isGrandchildDown: false,
    }
  })
  const model = new Model(families)
  const spells = Array.from({ length: SPELLS }, (_, n) => {
    const changes: Change[] = []
    const add = (change: Change) => {
      changes.push(change)
      model.apply(change)
    }
    for (const name of OTHERS) {
      if (n === 0 || model.fates.get(name)?.isRetired === true || d.below(2) === 0) continue
      const what = d.below(12)
      if (what === 0) add({ what: 'retire', name })
      else if (what < 4) add({ what: 'switch', name, which: d.one(['enabled', 'platform_enabled']) })
      else add({ what: 'silence', name })
    }
    for (const [family, { rules, assigned }] of model.families.entries()) {
      const name = d.one(ALL)
      if (n > 0 && d.below(4) === 0 && model.fates.get(name)?.isRetired !== true)
        add({ what: assigned.has(name) ? 'unassign' : 'assign', family, name })
      // Without places the latest result decides, so all see the same.
      const isPlain = Object.keys(rules).length === 0
      const broken = isPlain ? (d.below(2) === 0 ? ALL : []) : ALL.filter(() => d.below(2) === 0)
      add({ what: 'look', family, broken, isChildDown: d.below(3) > 0, isGrandchildDown: d.below(2) === 0 })
    }
    return changes
  })
  return { families, spells }
}

interface Guids {
  check: string
  /** Like the check, but in a history without the monitors that do not watch in the end. */
  twin: string
  child: string
  grandchild: string
}

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** An organisation that lives through a history. */
class Trial {
  readonly org: Org
  readonly history: History
  readonly monitors: ReadonlyMap<string, Monitor>
  readonly guids: readonly Guids[]
  readonly model: Model
  /** For each family, who watches its check in the end. */
  readonly stay: readonly Set<string>[]

  constructor(org: Org, history: History, monitors: ReadonlyMap<string, Monitor>, guids: readonly Guids[]) {
    this.org = org
    this.history = history
    this.monitors = monitors
    this.guids = guids
    this.model = new Model(history.families)
    this.stay = watchersInTheEnd(history)
  }

  static async begin(history: History): Promise<Trial> {
    const org = await w.org()
    await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'hook', webhook_url: 'https://hooks.example/' })
    const monitors = new Map<string, Monitor>()
    for (const name of ALL) monitors.set(name, await w.monitor(org, name))
    const stay = watchersInTheEnd(history)
    const guids = history.families.map((): Guids => {
      return { check: newGuid(random), twin: newGuid(random), child: newGuid(random), grandchild: newGuid(random) }
    })
    const planned = history.families.flatMap(({ rules, on, assigned }, n) => {
      const { check, twin, child, grandchild } = guids[n] as Guids
      const entry = (guid: string, names: Iterable<string>, given: object) => {
        return { names: [...names].join(), entry: { guid, name: `family ${n}`, alert_every_change: true, ...given } }
      }
      const depends_on = on === 'check' ? check : (monitors.get(on)?.id ?? '')
      const stayed = [...assigned].filter((name) => stay[n]?.has(name))
      return [
        ...[entry(check, assigned, rules), entry(twin, stayed, rules)],
        ...[entry(child, [KEEPER], { depends_on }), entry(grandchild, [KEEPER], { depends_on: child })],
      ]
    })
    // Dependents come after their parents.
    for (const [names, own] of Map.groupBy(planned, (one) => one.names)) {
      if (names === KEEPER) continue
      const ids = names.split(',').flatMap((name) => monitors.get(name)?.id ?? [])
      await w.checks(
        org,
        own.map(({ entry }) => entry),
        ids.length === 0 ? 'none' : ids,
      )
    }
    const kept = planned.flatMap(({ names, entry }) => (names === KEEPER ? [entry] : []))
    await w.checks(org, kept, [monitors.get(KEEPER)?.id ?? ''])
    return new Trial(org, history, monitors, guids)
  }

  async change(spell: number): Promise<void> {
    for (const change of this.history.spells[spell] ?? []) {
      this.model.apply(change)
      if (change.what === 'silence' || change.what === 'look') continue
      const id = this.monitors.get(change.name)?.id ?? ''
      if (change.what === 'retire') await retireMonitor(w.deps, id)
      else if (change.what === 'switch') {
        await switchMonitor(w.deps, id, change.which, this.model.fates.get(change.name)?.[change.which] === true)
      } else {
        const carryOut = change.what === 'assign' ? assignMonitors : unassignMonitors
        const { check = '', twin = '' } = this.guids[change.family] ?? {}
        await carryOut(w.deps, check, [id])
        if (this.stay[change.family]?.has(change.name)) await carryOut(w.deps, twin, [id])
      }
    }
  }

  /** One result of each monitor that is there, for each of its checks. */
  async run(): Promise<void> {
    const ran_at = w.clock.now().toISOString()
    for (const [name, { client }] of this.monitors) {
      if (!this.model.isThere(name)) continue
      const results = this.model.families.flatMap((family, n) => {
        const { check = '', twin = '', child = '', grandchild = '' } = this.guids[n] ?? {}
        const one = (guid: string, isDown: boolean) =>
          result(guid, { ran_at, success: !isDown, ...(isDown && { error: 'refused: no' }) })
        const isBroken = family.broken.has(name)
        return [
          ...(family.assigned.has(name) ? [one(check, isBroken)] : []),
          ...(family.assigned.has(name) && this.stay[n]?.has(name) ? [one(twin, isBroken)] : []),
          ...(name === KEEPER ? [one(child, family.isChildDown), one(grandchild, family.isGrandchildDown)] : []),
        ]
      })
      await (results.length > 0 ? client.upload(results) : client.ping())
    }
  }

  /** Compares what is stored with what the model says. */
  async faults(): Promise<string[]> {
    const { org_id } = this.org
    const open = await w.rows(
      `select c.guid, exists (select from events e join deliveries d using (org_id, event_id)
         where e.org_id = i.org_id and e.incident_id = i.incident_id) as is_told
       from incidents i join checks c using (org_id, check_id) where i.org_id = $1 and i.ended_at is null`,
      org_id,
    )
    const told = new Map(open.map(({ guid, is_told }) => [String(guid), is_told === true]))
    const waiting = await w.rows(
      `select c.guid from planned_alerts p join checks c on c.org_id = p.org_id and p.subject ~ ('^check:' || c.check_id || '(:|$)')
       where p.org_id = $1`,
      org_id,
    )
    const held = new Set(waiting.map(({ guid }) => String(guid)))
    const loud = await w.rows(
      `select c.guid from incidents i join checks c using (org_id, check_id) where i.org_id = $1 and i.end_reason = 'disabled'
         and exists (select from events e where e.org_id = i.org_id and e.incident_id = i.incident_id and e.type = 'check.up')`,
      org_id,
    )
    return [
      ...loud.map(({ guid }) => `${this.nameOf(String(guid))}: an incident that ended quietly was told as up`),
      ...this.model.families.flatMap((family, n) => this.#faultsOf(family, this.guids[n] as Guids, { told, held })),
    ]
  }

  nameOf(guid: string): string {
    const n = this.guids.findIndex((own) => Object.values(own).includes(guid))
    const [name = ''] = Object.entries(this.guids[n] ?? {}).find(([, own]) => own === guid) ?? []
    return `${name} ${n} ${JSON.stringify(this.history.families[n], listed)}`
  }

  /** Lists what happened, spell by spell, in families that have a fault. */
  deedsOf(faults: readonly string[]): string[] {
    const own = (change: Change) =>
      !('family' in change) || faults.some((fault) => fault.includes(` ${change.family} {`))
    return this.history.spells.map((changes, n) => `spell ${n}: ${JSON.stringify(changes.filter(own))}`)
  }

  #faultsOf(
    family: Family,
    { check, twin, child, grandchild }: Guids,
    { told, held }: { told: ReadonlyMap<string, boolean>; held: ReadonlySet<string> },
  ): string[] {
    const faults: string[] = []
    const demand = (guid: string, isRight: boolean, fault: string) => {
      if (!isRight) faults.push(`${this.nameOf(guid)}: ${fault}`)
    }
    const isWatched = this.model.watchersOf(family).length > 0
    const isDown = this.model.isDown(family)
    if (isWatched) {
      demand(check, told.has(check) === isDown, `is ${told.has(check) ? 'down' : 'up'}, unlike what its watchers see`)
      demand(twin, told.has(twin) === told.has(check), 'differs from the check that had more monitors')
    }
    if (!this.model.isRun(family)) demand(check, !told.has(check), 'has an open incident, and no monitor runs it')
    demand(child, told.has(child) === family.isChildDown, 'has not the state that the keeper sees')
    const isParentDown = family.on === 'check' && isWatched && isDown
    const parents: [string, boolean][] = [
      [check, false],
      [twin, false],
      [child, isParentDown],
      [grandchild, family.isChildDown],
    ]
    for (const [guid, mayBeHeld] of parents) {
      demand(guid, mayBeHeld || !held.has(guid), 'is held, and by nothing that fails and is watched')
      demand(guid, mayBeHeld || told.get(guid) !== false, 'is down, and nobody was told')
    }
    return faults
  }
}

function listed(_key: string, value: unknown): unknown {
  return value instanceof Set ? [...value].join('') : value
}

function watchersInTheEnd({ families, spells }: History): Set<string>[] {
  const model = new Model(families)
  for (const change of spells.flat()) model.apply(change)
  return model.families.map((family) => new Set(model.watchersOf(family)))
}

async function tick(trials: readonly Trial[]): Promise<void> {
  w.clock.forward(TICK_SEC)
  await Promise.all(trials.map((trial) => trial.run()))
  await sweep(w.deps)
  await rejudgeChecks(w.deps)
  await releaseDue(w.deps)
}

test('the monitors that watch a check decide, and a parent that nobody watches holds nothing', async () => {
  const seed = seedFromEnvironment()
  const trials = await Promise.all(Array.from({ length: ORGS }, (_, n) => Trial.begin(roll(dice(seed + n)))))
  for (let spell = 0; spell < SPELLS; spell++) {
    await Promise.all(trials.map((trial) => trial.change(spell)))
    for (let n = 0; n < TICKS_OF_SPELL; n++) await tick(trials)
  }
  for (let rested = 0; rested < REST_SEC; rested += TICK_SEC) await tick(trials)
  const faults: string[] = []
  for (const [n, trial] of trials.entries()) {
    const own = await trial.faults()
    // Its seed, and what was done in it, say how to get there again.
    if (own.length > 0) faults.push(`SEED=${seed}, organisation ${n}`, ...trial.deedsOf(own), ...own)
  }
  const families = trials.flatMap(({ model }) => model.families.map((family) => ({ model, family })))
  tell('histories', {
    families: families.length,
    watched: families.filter(({ model, family }) => model.watchersOf(family).length > 0).length,
    run_by_nobody: families.filter(({ model, family }) => !model.isRun(family)).length,
    down: families.filter(({ model, family }) => model.isDown(family)).length,
    faults: faults.length,
  })
  expect(faults).toEqual([])
})
