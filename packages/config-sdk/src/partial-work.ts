// What an error tells about a call that had done a part of its work.

export abstract class PartialWorkError extends Error {
  /** Set by `pages` and `each` only: everything before this was handed out. Send it as `after`, and nothing is lost. */
  declare readonly resumeFrom?: string
}
