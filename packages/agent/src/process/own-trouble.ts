// Trouble of this machine that says nothing about a target: it yields no result, and is counted.

/** A code of the platform such as EMFILE, or what there was not enough of here. */
export type Why = string

export class OwnTrouble extends Error {
  readonly why: Why

  constructor(why: Why, options?: ErrorOptions) {
    super(`this machine could not run the check: ${why}`, options)
    this.why = why
  }
}
