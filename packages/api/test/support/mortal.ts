// A process that dies: a transaction is undone at its end, and so is each after it.
import type { World } from './world.ts'

class Died extends Error {
  override readonly name = 'Died'
}

type Machines = World['deps']['database']['machines']

/** From now on the transactions of a world's machines can be cut off. */
export class Mortal {
  #left = Number.POSITIVE_INFINITY

  constructor(w: World) {
    const { machines } = w.deps.database
    const transaction = () => ({
      execute: <Answer>(run: (trx: never) => Promise<Answer>) =>
        machines.transaction().execute(async (trx) => {
          const answer = await run(trx as never)
          if (--this.#left < 0) throw new Died()
          return answer
        }),
    })
    const mortal = new Proxy(machines, {
      get: (target, name) => {
        if (name === 'transaction') return transaction
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    Object.assign(w.deps.database, { machines: mortal satisfies Machines })
  }

  /** Lets so many transactions be committed, and none after them. Returns whether the work came to its end. */
  async until(commits: number | undefined, work: () => Promise<unknown>): Promise<boolean> {
    this.#left = commits ?? Number.POSITIVE_INFINITY
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof Died)) throw error
      return false
    } finally {
      this.#left = Number.POSITIVE_INFINITY
    }
  }
}
