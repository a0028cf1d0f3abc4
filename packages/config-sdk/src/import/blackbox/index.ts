// Imports the targets that a Prometheus probes with blackbox_exporter, each as a check.
import { basename } from 'node:path'
import type { FileCheck } from '../../file/format.ts'
import {
  Audit,
  carried,
  differently,
  duration,
  type Fields,
  impossible,
  internal,
  isBlank,
  isFields,
  listOf,
  object,
  objectOf,
  objects,
  objectsOf,
  type Rules,
  readFields,
  text,
  textOf,
  textsOf,
  UNKNOWN,
  unread,
  type Whole,
} from '../audit.ts'
import { type ImportResult, Moving } from '../moving.ts'
import { ImportError, readYaml, requireFields } from '../reading.ts'
import { setTarget } from '../requests.ts'
import { durationOf, MOST_INTERVAL_SEC, MOST_TIMEOUT_SEC, secondsWithin } from '../schedules.ts'
import { type ProbeDraft, readModule, targetOf } from './modules.ts'

const INTERVAL_SEC = 60
const TIMEOUT_SEC = 10
const RELABELLED = ['__param_target', 'instance', '__address__']

export function importBlackbox([prometheus = '', blackbox]: readonly string[]): ImportResult {
  const audit = new Audit()
  const into = new Moving(audit)
  const config = requireFields(readYaml(prometheus), basename(prometheus))
  const whole: Whole = { audit, kind: 'configuration', thing: 'Prometheus' }
  const jobs = objectsOf(whole, config.scrape_configs, 'scrape_configs')
  if (jobs.length === 0)
    throw new ImportError(`${basename(prometheus)} has no scrape_configs, so it is not a Prometheus configuration`)
  const modules = blackbox === undefined ? undefined : requireFields(readYaml(blackbox), basename(blackbox))
  const known = objectOf({ ...whole, thing: 'blackbox_exporter' }, modules?.modules, 'modules')
  const global = objectOf(whole, config.global, 'global')
  const used = new Set<string>()
  for (const job of jobs)
    readJob(
      { ...pick(global, ['scrape_interval', 'scrape_timeout']), ...job },
      { into, modules: known, hasModules: modules !== undefined, used },
    )
  for (const name of Object.keys(known)) if (!used.has(name)) audit.refuse('module', name, '', 'not used by any target')
  for (const [field, value] of [...Object.entries(config), ...Object.entries(modules ?? {})]) {
    if (isBlank(value) || field === 'scrape_configs' || field === 'modules') continue
    const own = OWN.includes(field)
    if (field !== 'global')
      audit.say('configuration', 'Prometheus', field, impossible(own ? 'applies to Prometheus only' : UNKNOWN))
  }
  for (const field of Object.keys(global)) {
    audit.say(
      'configuration',
      'Prometheus',
      `global.${field}`,
      !['scrape_interval', 'scrape_timeout'].includes(field)
        ? impossible('applies to Prometheus only')
        : durationOf(textOf(global[field])) === undefined
          ? impossible('must be a duration')
          : carried,
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
  job_name: text(carried),
  metrics_path: text(carried),
  params: object((value) => {
    const others = Object.keys(value).filter((name) => !['module', 'target'].includes(name))
    return others.length > 0
      ? impossible(`the parameters ${others.slice(0, 5).join(', ')} apply to the exporter only`)
      : carried
  }),
  static_configs: objects(carried),
  scrape_interval: duration(carried),
  scrape_timeout: duration(carried),
  relabel_configs: objects((rules) => {
    const odd = rules.filter((rule) => !isUsual(rule))
    return odd.length > 0
      ? impossible(
          `${odd.length} relabelling rules change more than the target; review the names and tags of the checks`,
        )
      : carried
  }),
  metric_relabel_configs: unread(impossible('checks have no metrics of their own')),
  scheme: internal,
  honor_labels: internal,
  honor_timestamps: internal,
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
/** Rules for the fields of the connection to the exporter. */
const EXPORTER: Rules<JobDraft> = Object.fromEntries(
  SIGN_IN.map((field) => [field, unread(impossible('concerns the connection to the exporter, not to the target'))]),
)

function isUsual(rule: Fields): boolean {
  const keys = Object.keys(rule).filter((key) => !['source_labels', 'target_label', 'replacement'].includes(key))
  return keys.length === 0 && RELABELLED.includes(textOf(rule.target_label))
}

function readJob(source: Fields, context: Context): void {
  const { audit } = context.into
  const job = textOf(source.job_name) || 'job'
  const whole: Whole = { audit, kind: 'scrape job', thing: job }
  const params = isFields(source.params) ? source.params : {}
  if (textOf(source.metrics_path) !== '/probe')
    return audit.refuse('scrape job', job, '', 'scrapes metrics; Dogwatch only imports probes')
  readFields({ audit, kind: 'scrape job', thing: job, source, draft: { job } }, source, {
    ...EXPORTER,
    ...DISCOVERY(source),
    ...JOB,
  })
  const [name = ''] = textsOf(whole, params.module, 'params.module')
  const listed = listOf(source.static_configs).filter(isFields)
  const inParams = textsOf(whole, params.target, 'params.target')
  // A relabelling that sets `__param_target` replaces the target in the parameters.
  const isRelabelled = listOf(source.relabel_configs).some(
    (rule) => isFields(rule) && rule.target_label === '__param_target',
  )
  // If the target is in the parameters, the listed targets are the exporters.
  const isInParams = inParams.length > 0 && !isRelabelled
  const groups = isInParams && listed[0] ? [{ ...listed[0], targets: inParams }] : listed
  for (const group of groups) {
    const labels = objectOf(whole, group.labels, 'static_configs.labels')
    for (const target of textsOf(whole, group.targets, 'static_configs.targets')) {
      readTarget(target, labels, {
        ...context,
        job,
        source,
        name: textOf(labels.__param_module) || name || 'http_2xx',
      })
    }
  }
}

/** Returns rules that report every way to discover targets at run time, which cannot be imported. */
function DISCOVERY(source: Fields): Rules<JobDraft> {
  const fields = Object.keys(source).filter((field) => field.endsWith('_sd_configs'))
  return Object.fromEntries(
    fields.map((field) => [
      field,
      unread(impossible('its targets are discovered at run time; list them in static_configs')),
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
  if (held !== undefined && !isFields(held)) return audit.refuse('target', target, '', 'its module must be an object')
  const module = isFields(held) ? held : undefined
  used.add(name)
  if (!module && hasModules)
    return audit.refuse('target', target, '', `module ${name.slice(0, 60)} is not in blackbox.yml`)
  if (!module && !name.startsWith('http'))
    return audit.refuse('target', target, '', `module ${name.slice(0, 60)} is not in the files; add blackbox.yml`)
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
      differently(`${name.slice(0, 60)} imported as a basic probe; add blackbox.yml for its rules`),
    )
  const tags = Object.entries(labels).filter(([label]) => !label.startsWith('__'))
  check.tags = [job, ...tags.map(([label, value]) => `${label}:${textOf(value)}`)]
  for (const [label, value] of tags) {
    const said =
      textOf(value) === '' ? impossible('must be text') : differently('becomes a tag made of its name and value')
    audit.say('target', target, `label ${label}`, said)
  }
  into.check(key, check, { kind: 'target', thing: target })
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))
}
