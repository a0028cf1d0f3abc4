// Defines a failure that is reported in one line, without the stack trace of a bug.

export class Refusal extends Error {}
