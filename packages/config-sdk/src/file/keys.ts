// Keys from the names that people gave to things.

const MOST_KEY = 64
const MOST_READ = 200

/** `Shop (EU)` becomes `shop-eu`. Empty when the name has no letter or digit. */
export function keyFrom(name: string): string {
  const plain = name.slice(0, MOST_READ).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .split(/[^a-z0-9._]/)
    .filter((part) => part !== '')
    .join('-')
    .replace(/^[._-]{1,200}/, '')
    .slice(0, MOST_KEY)
    .replace(/(?<![._-])[._-]+$/, '')
}

/** Gives each name a key of its own. */
export class Keys {
  readonly #taken: Set<string>
  /** How many wanted the same. */
  readonly #wanted = new Map<string, number>()

  /** `taken`: keys that others have already. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  take(name: string, otherwise: string): string {
    const wanted = keyFrom(name) || otherwise
    let nth = this.#wanted.get(wanted) ?? 1
    let key = wanted
    while (this.#taken.has(key)) {
      nth += 1
      key = `${wanted.slice(0, MOST_KEY - 7)}-${nth}`
    }
    this.#wanted.set(wanted, nth)
    this.#taken.add(key)
    return key
  }
}

/** The name of a variable: `SHOP_WEBHOOK_URL`. */
export function variableFrom(...parts: readonly string[]): string {
  const name = parts
    .flatMap((part) => part.split(/[^A-Za-z0-9]/))
    .map((part) => part.toUpperCase())
    .filter((part, index, all) => part !== '' && part !== all[index - 1])
    .join('_')
  return /^\d/.test(name) ? `_${name}` : name
}
