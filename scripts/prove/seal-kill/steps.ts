// Lists the statements that seal hours, merge late results, drop partitions and unseal hours: processes are killed at them.

export interface Step {
  /** Regular expression for its text. */
  text: string
  /** Whether it runs outside of a transaction. */
  isAlone?: true
}

/** Moment at which a process dies: around the statement, or around the commit after it. */
type Moment = 'before' | 'sent' | 'answered' | 'commit sent' | 'committed'
export const MOMENTS: readonly Moment[] = ['before', 'sent', 'answered', 'commit sent', 'committed']

/** Statements. A process kills itself at the first one. */
export interface Strike {
  steps: Readonly<Record<string, Step>>
  moment: Moment
  /** File for the name of the step. */
  tell_in: string
}

export const SEALING: Readonly<Record<string, Step>> = {
  'turn on': { text: '^update "seal_progress" set "is_on"' },
  announce: { text: '^update "seal_progress" set "announced"' },
  wait: { text: '^update "seal_progress" set "waits_for"' },
  close: { text: '^update "seal_progress" set "closed"' },
  settle: { text: '^update "seal_progress" set "settled"' },
  day: { text: '^alter table sealed_hours attach partition' },
  seal: { text: '^\\s*with [^(]*runs as \\(.*insert into sealed_hours' },
  'note how far it is': { text: '^update "seal_progress" set "sealing_until"' },
  'move the watermark': { text: '^update "seal_progress" set "sealed_until"' },
  'mark late hours': { text: 'into rollup_marks.*from reopened_results', isAlone: true },
  merge: { text: '^\\s*with [^(]*reopened as .*insert into sealed_hours' },
  'forget what is merged': { text: 'from reopened_results r using' },
  detach: { text: '^alter table "results" detach partition' },
  rename: { text: '^alter table .* rename to "retired_results' },
  drop: { text: '^drop table if exists "retired_results', isAlone: true },
}

export const UNSEALING: Readonly<Record<string, Step>> = {
  forbid: { text: '^update "seal_progress" set "is_barred"' },
  'write back': { text: 'insert .*into results .*sealed_hours' },
  'move the watermark back': { text: '^update "seal_progress" set "sealed_until"' },
  'detach the day': { text: '^alter table "sealed_hours" detach partition' },
  open: { text: '^update "seal_progress" set "closed"' },
  'move late results': { text: 'delete from reopened_results where ctid' },
  'turn off': { text: '^update "seal_progress" set "announced"' },
}
