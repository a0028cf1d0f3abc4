// Defines faults of this machine. They say nothing about a target, so a run with such a fault has no result, and is only counted.

/** A platform code such as EMFILE, or the name of the resource that this machine lacked. */
export type Why = string

export class OwnTrouble extends Error {
  readonly why: Why

  constructor(why: Why, options?: ErrorOptions) {
    super(`this machine could not run the check: ${why}`, options)
    this.why = why
  }
}
