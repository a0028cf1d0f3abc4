// What an error tells about a call that had done a part of its work.

import type { ResultsCursor } from './generated.ts'

export abstract class PartialWorkError extends Error {
  /** Set by `pages` and `results` only: everything before this was handed out. Go on from it, and nothing is lost. */
  declare readonly resumeFrom?: ResultsCursor
}
