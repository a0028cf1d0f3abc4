// Runs the thread that renders templates.
import { answerJobs, type Budget } from '../../runtime/thread-jobs.ts'
import type { JobResult, Job } from './apart.ts'
import { render } from './render.ts'
import { faultInTemplate } from './try.ts'

answerJobs(answer)

function answer(job: Job, budget: Budget): JobResult {
  if (job.kind === 'render') return { rendered: render(job.template, job.told, { isStrict: false, budget }) }
  return { fault: faultInTemplate(job.template, job.isJson, budget) }
}
