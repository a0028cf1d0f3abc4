// What an error tells about a call that had done a part of its work.

/** How far an upload came: the first `submitted` results are confirmed, `accepted` of them were taken. */
export interface Uploaded {
  readonly submitted: number
  readonly accepted: number
}

export abstract class PartialWorkError extends Error {
  /** Set by `upload` only: what the server had confirmed before this failure. Those results need not be sent again. */
  declare readonly uploaded?: Uploaded
}
