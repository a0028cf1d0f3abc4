// Defines what gates and handlers of long responses see of the client's connection.

export interface Connection {
  /** Returns a signal that aborts when the response is complete or the client has disconnected. */
  closed(): AbortSignal
  /** Whether we wait for the client: its body is incomplete, or it does not read the response. */
  isAwaited(): boolean
  /** Breaks off the response, so that the client sees that it is incomplete. */
  cut(): void
  /** Gives up the slot of the request, because it now waits for a person. */
  rest(): void
  /** Returns the unpacked size of the body in bytes, or Infinity before it was read. */
  bodySize(): number
  /** Sets whether the request occupies only a small part of a slot. */
  resize(isSmall: boolean): void
}
