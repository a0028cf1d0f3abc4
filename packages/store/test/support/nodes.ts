// Results that are distributed over two nodes, as far as one plain Postgres can show it: the rows of organisations with even and with
// odd numbers go by connections of their own, and each of the two may be away. Statements take the forms that they
// have on several nodes.
import { isBroken, isOutOfReach, UnreachableDatabase } from '@dogwatch/runtime/database-faults'
import type { Database } from '../../src/database.ts'
import { openConnections } from '../../src/postgres/connections.ts'
import { SESSION } from '../../src/postgres/session.ts'
import { type NodeOf, Nodes } from '../../src/results/nodes/nodes.ts'

type Fault = 'away' | 'answer lost'

export class TwoNodes implements Pick<Nodes, keyof Nodes> {
  /** What is wrong with the nodes, by name: `even`, `odd`. */
  readonly faults = new Map<string, Fault>()
  /** Of which `Nodes` would think that they are away, by what failed there. */
  readonly blamed = new Set<string>()
  readonly #underWay = new Set<{ name: string; giving: AbortController }>()
  readonly #nodes: readonly { name: string; connections: ReturnType<typeof openConnections> }[]

  constructor(url: string) {
    this.#nodes = ['even', 'odd'].map((name) => ({
      name,
      connections: openConnections({
        url,
        size: 4,
        application_name: `node-${name}`,
        settings: SESSION,
        answer_ms: 0,
        pooler: undefined,
        isPrimary: true,
        onIdleError: () => {},
        onDemoted: () => {},
        onDiskFull: () => {},
      }),
    }))
  }

  async isDistributed(): Promise<boolean> {
    return true
  }

  async listNodesOf(org_ids: Iterable<number>): Promise<NodeOf[]> {
    const groups = Map.groupBy(new Set(org_ids), (org_id) => org_id % 2)
    return [...groups].flatMap(([parity, its]) => {
      const node = this.#nodes[parity]
      return node ? [{ name: node.name, pool: node.connections.pool, org_ids: new Set(its) }] : []
    })
  }

  async at<Result>(
    { name, pool }: NodeOf,
    work: (pool: NodeOf['pool'], givenUp: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const fault = this.faults.get(name)
    if (fault === 'away') throw new UnreachableDatabase(new Error(`node ${name} does not answer`))
    const one = { name, giving: new AbortController() }
    const { signal } = one.giving
    const hanging = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () =>
        reject(new UnreachableDatabase(new Error(`node ${name} stopped answering`))),
      )
    })
    this.#underWay.add(one)
    try {
      const result = await Promise.race([work(pool, signal), hanging])
      if (fault === 'answer lost') throw new UnreachableDatabase(new Error(`node ${name} stopped answering`))
      return result
    } catch (error) {
      if (isOutOfReach(error) || isBroken(error)) this.blamed.add(name)
      throw error
    } finally {
      this.#underWay.delete(one)
    }
  }

  /** As `Nodes` does with what is under way at a node that hangs. */
  giveUp(name: string): void {
    for (const one of this.#underWay) if (one.name === name) one.giving.abort()
  }

  isAway(name: string): boolean {
    return this.faults.get(name) === 'away'
  }

  forgetPlaces(): void {}

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(({ connections }) => connections.close()))
  }
}

export const twoNodes = (url: string): Database['nodes'] => new TwoNodes(url)
