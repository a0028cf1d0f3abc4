// Defines how gates, and handlers of long responses, see the client's connection.

export interface Connection {
  /** Returns a signal that aborts when the response is complete or the client has disconnected. */
  closed(): AbortSignal
  /** Whether the server waits for the client: the body is incomplete, or the client does not read the response. */
  isAwaited(): boolean
  /** Breaks off the response, so that the client sees that it is incomplete. */
  cut(): void
  /** Frees the slot of the request, because the request now waits for a person's action. */
  rest(): void
  /** Returns the decompressed size of the body in bytes, or Infinity before it was read. */
  bodySize(): number
  /** Sets whether the request occupies only a small part of a slot. */
  resize(isSmall: boolean): void
}
