// A failure that is told in one line, without the trace that a fault of our own would have.

export class Refusal extends Error {}
