// The thread in which templates are rendered: one job after the other.
import { parentPort } from 'node:worker_threads'
import type { Done, Job } from './apart.ts'
import { render } from './render.ts'
import { faultInTemplate } from './try.ts'

parentPort?.on('message', (job: Job) => parentPort?.postMessage(answer(job)))

function answer(job: Job): Done {
  if (job.kind === 'render') return { rendered: render(job.template, job.told, { isStrict: false }) }
  return { fault: faultInTemplate(job.template, job.isJson) }
}
