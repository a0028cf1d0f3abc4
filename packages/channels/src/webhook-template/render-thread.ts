// Runs the thread that renders templates.
import { answerJobs, type JobBudget } from '@dogwatch/runtime/thread-jobs'
import type { JobResult, TemplateJob } from './apart.ts'
import { render } from './render.ts'
import { faultInTemplate } from './try.ts'

answerJobs(answer)

function answer(job: TemplateJob, budget: JobBudget): JobResult {
  if (job.kind === 'render') return { rendered: render(job.template, job.told, { isStrict: false, budget }) }
  return { fault: faultInTemplate(job.template, job.isJson, budget) }
}
