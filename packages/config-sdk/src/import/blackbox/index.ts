// Moves the targets that a Prometheus probes with blackbox_exporter: each is a check.
import { basename } from 'node:path'
import type { FileCheck } from '../../file/format.ts'
import {
  Audit,
  carried,
  differently,
  type Fields,
  idle,
  impossible,
  isBlank,
  isFields,
  listOf,
  type Rules,
  readFields,
  textOf,
  UNKNOWN,
} from '../audit.ts'
import { type Moved, Moving } from '../moving.ts'
import { ImportError, readYaml, requireFields } from '../reading.ts'
import { setTarget } from '../requests.ts'
import { durationOf, MOST_INTERVAL_SEC, MOST_TIMEOUT_SEC, secondsWithin } from '../schedules.ts'
import { type ProbeDraft, readModule, targetOf } from './modules.ts'

const INTERVAL_SEC = 60
const TIMEOUT_SEC = 10
const RELABELLED = ['__param_target', 'instance', '__address__']

export function importBlackbox([prometheus = '', blackbox]: readonly string[]): Moved {
  const audit = new Audit()
  const into = new Moving(audit)
  const config = requireFields(readYaml(prometheus), basename(prometheus))
  const jobs = listOf(config.scrape_configs).filter(isFields)
  if (jobs.length === 0)
    throw new ImportError(`${basename(prometheus)} has no scrape_configs: it is not a configuration of Prometheus`)
  const modules = blackbox === undefined ? undefined : requireFields(readYaml(blackbox), basename(blackbox))
  const known = isFields(modules?.modules) ? modules.modules : {}
  const global = isFields(config.global) ? config.global : {}
  const used = new Set<string>()
  for (const job of jobs)
    readJob(
      { ...pick(global, ['scrape_interval', 'scrape_timeout']), ...job },
      { into, modules: known, hasModules: modules !== undefined, used },
    )
  for (const name of Object.keys(known))
    if (!used.has(name)) audit.refuse('module', name, '', 'no target is probed with it')
  for (const [field, value] of [...Object.entries(config), ...Object.entries(modules ?? {})]) {
    if (isBlank(value) || field === 'scrape_configs' || field === 'modules') continue
    const own = OWN.includes(field)
    if (field !== 'global')
      audit.say('configuration', 'Prometheus', field, impossible(own ? 'a setting of Prometheus itself' : UNKNOWN))
  }
  for (const field of Object.keys(global)) {
    audit.say(
      'configuration',
      'Prometheus',
      `global.${field}`,
      ['scrape_interval', 'scrape_timeout'].includes(field) ? carried : impossible('a setting of Prometheus itself'),
    )
  }
  return into.finish()
}

const OWN = [
  'alerting',
  'rule_files',
  'remote_write',
  'remote_read',
  'storage',
  'tracing',
  'runtime',
  'scrape_config_files',
  'otlp',
]

interface Context {
  into: Moving
  modules: Fields
  hasModules: boolean
  used: Set<string>
}

interface JobDraft {
  job: string
}

const JOB: Rules<JobDraft> = {
  job_name: () => carried,
  metrics_path: () => carried,
  params: (value) => {
    const others = isFields(value) ? Object.keys(value).filter((name) => !['module', 'target'].includes(name)) : []
    return others.length > 0
      ? impossible(`the parameters ${others.slice(0, 5).join(', ')} are for the exporter`)
      : carried
  },
  static_configs: () => carried,
  scrape_interval: () => carried,
  scrape_timeout: () => carried,
  relabel_configs: (value) => {
    const odd = listOf(value).filter((rule) => !(isFields(rule) && isUsual(rule)))
    return odd.length > 0
      ? impossible(`${odd.length} of its rules change more than the target: check the names and tags of its checks`)
      : carried
  },
  metric_relabel_configs: () => impossible('a check has no metrics of its own'),
  scheme: () => idle,
  honor_labels: () => idle,
  honor_timestamps: () => idle,
}

const SIGN_IN = [
  'basic_auth',
  'authorization',
  'oauth2',
  'tls_config',
  'proxy_url',
  'follow_redirects',
  'enable_http2',
  'bearer_token',
  'bearer_token_file',
]
/** Its fields are those of the way to the exporter. */
const EXPORTER: Rules<JobDraft> = Object.fromEntries(
  SIGN_IN.map((field) => [field, () => impossible('it is about the way to the exporter, not to the target')]),
)

function isUsual(rule: Fields): boolean {
  const keys = Object.keys(rule).filter((key) => !['source_labels', 'target_label', 'replacement'].includes(key))
  return keys.length === 0 && RELABELLED.includes(textOf(rule.target_label))
}

function readJob(source: Fields, context: Context): void {
  const { audit } = context.into
  const job = textOf(source.job_name) || 'job'
  const params = isFields(source.params) ? source.params : {}
  const name = textOf(listOf(params.module)[0])
  if (textOf(source.metrics_path) !== '/probe')
    return audit.refuse('scrape job', job, '', 'it scrapes metrics: Dogwatch watches what is probed')
  readFields({ audit, kind: 'scrape job', thing: job, source, draft: { job } }, source, {
    ...EXPORTER,
    ...DISCOVERY(source),
    ...JOB,
  })
  const listed = listOf(source.static_configs).filter(isFields)
  const inParams = listOf(params.target).map(textOf)
  for (const group of [...listed, ...(inParams.length > 0 && listed.length > 0 ? [{ targets: inParams }] : [])]) {
    const labels = isFields(group.labels) ? group.labels : {}
    for (const target of inParams.length > 0 && group !== listed.at(-1) && listed.includes(group)
      ? []
      : listOf(group.targets)) {
      readTarget(textOf(target), labels, {
        ...context,
        job,
        source,
        name: textOf(labels.__param_module) || name || 'http_2xx',
      })
    }
  }
}

/** Every way to find targets that is not a list in the file. */
function DISCOVERY(source: Fields): Rules<JobDraft> {
  const fields = Object.keys(source).filter((field) => field.endsWith('_sd_configs'))
  return Object.fromEntries(
    fields.map((field) => [
      field,
      () => impossible('its targets are found while Prometheus runs: list them in static_configs'),
    ]),
  )
}

interface Probing extends Context {
  job: string
  source: Fields
  name: string
}

function readTarget(
  target: string,
  labels: Fields,
  { into, modules, hasModules, used, job, source, name }: Probing,
): void {
  const { audit } = into
  const held = Object.hasOwn(modules, name) ? modules[name] : undefined
  const module = isFields(held) ? held : undefined
  used.add(name)
  if (!module && hasModules) return audit.refuse('target', target, '', `there is no module ${name.slice(0, 60)}`)
  if (!module && !name.startsWith('http'))
    return audit.refuse(
      'target',
      target,
      '',
      `what the module ${name.slice(0, 60)} probes is unknown: give blackbox.yml as well`,
    )
  const probe = module ?? { prober: 'http' }
  const to = targetOf(probe, target)
  if ('why' in to) return audit.refuse('target', target, '', to.why)
  const key = into.key('checks', target.replace(/^https?:\/\//, ''))
  const interval = durationOf(textOf(source.scrape_interval)) ?? INTERVAL_SEC
  const timeout = durationOf(textOf(source.scrape_timeout)) ?? TIMEOUT_SEC
  const check: FileCheck = {
    name: target,
    interval_sec: secondsWithin(interval, MOST_INTERVAL_SEC),
    timeout_sec: secondsWithin(timeout, MOST_TIMEOUT_SEC),
  }
  const asking = { into, key, thing: target }
  setTarget(check, asking, to.url)
  audit.say('target', target, 'target', carried)
  const draft: ProbeDraft = { check, asking, target: to.url }
  readModule(probe, { audit, thing: target, draft })
  if (!module)
    audit.say(
      'target',
      target,
      'module',
      differently(`${name.slice(0, 60)} taken as a plain probe: give blackbox.yml for its rules`),
    )
  const tags = Object.entries(labels).filter(([label]) => !label.startsWith('__'))
  check.tags = [job, ...tags.map(([label, value]) => `${label}:${textOf(value)}`)]
  for (const [label] of tags) audit.say('target', target, `label ${label}`, differently('a tag of its name and value'))
  into.check(key, check, { kind: 'target', thing: target })
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))
}
