// Chance that can be repeated: everything a test rolls follows from its seed.

export interface Dice {
  /** A whole number from 0 to just below. */
  below(limit: number): number
  /** One of them. */
  one<Thing>(things: readonly Thing[]): Thing
  /** One to `most` of them, in random order. */
  some<Thing>(things: readonly Thing[], most: number): Thing[]
}

/** Mulberry32: small, and even enough for choosing. */
export function dice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    one: (things) => {
      if (things.length === 0) throw new Error('nothing to choose from')
      return things[below(things.length)] as (typeof things)[number]
    },
    some: (things, most) => {
      const rest = [...things]
      const wanted = Math.min(rest.length, 1 + below(most))
      return Array.from({ length: wanted }, () => rest.splice(below(rest.length), 1)[0] as (typeof things)[number])
    },
  }
}

/** The seed that was asked for with SEED, or the usual one. */
export function seedFromEnvironment(usual = 20_261_120): number {
  return Number(process.env.SEED ?? usual)
}

/** Prints figures when somebody asked for them, by naming a SEED. */
export function tell(what: string, figures: unknown): void {
  if (process.env.SEED !== undefined)
    process.stderr.write(`${what}, seed ${process.env.SEED}: ${JSON.stringify(figures)}\n`)
}
