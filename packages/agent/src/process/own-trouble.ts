// What keeps this machine from telling anything of a target: no result comes of it, and it is counted.

/** A code of the platform such as EMFILE, or what there was not enough of here. */
export type Why = string

export class OwnTrouble extends Error {
  readonly why: Why

  constructor(why: Why, options?: ErrorOptions) {
    super(`this machine could not look: ${why}`, options)
    this.why = why
  }
}
