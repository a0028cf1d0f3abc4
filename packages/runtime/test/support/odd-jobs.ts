// A script for a FairThread whose jobs misbehave in every way.
import { answerJobs } from '../../src/thread-jobs.ts'

export type OddJob = 'quick' | 'careful' | 'endless' | 'huge' | 'throws' | 'dies'

answerJobs((job: OddJob, budget) => {
  // Stops by itself, so that its thread lives on.
  if (job === 'careful') while (!budget.isSpent());
  if (job === 'endless') for (;;);
  if (job === 'huge') for (const held: number[][] = []; ; ) held.push(Array<number>(100_000).fill(held.length))
  if (job === 'throws') throw new Error('a fault in the code')
  if (job === 'dies') process.exit(3)
  return `did ${job}`
})
