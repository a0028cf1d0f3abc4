// Commands for the machine that becomes a monitor. packages/agent/README.md has the flags.

import type { MonitorPlace } from '../../../domain/monitors/place.ts'

export interface NewAgent extends MonitorPlace {
  public_url: string
  token: string
  /** The monitor that was reset and is to be reclaimed. */
  monitor_id?: string
}

/** For a terminal: the token is in the environment, because other users can see arguments. */
export function shellCommands(agent: NewAgent): string {
  const { name, region, country, city, monitor_id } = agent
  const last = [
    ...(name === '' ? [] : [`--name ${quote(name)}`]),
    `--region ${quote(region)}`,
    `--country ${quote(country)}`,
    `--city ${quote(city)}`,
    ...(monitor_id === undefined ? [] : [`--monitor-id ${quote(monitor_id)}`]),
  ]
  return [
    `export DOGWATCH_ENROLLMENT_TOKEN=${quote(agent.token)}`,
    `npx dogwatch-agent --server ${quote(serverOf(agent))} --state-dir ./dogwatch-agent \\`,
    `  ${last.join(' ')}`,
  ].join('\n')
}

/** For the unit that comes with the agent: the token as a credential, the settings in a file of their own. */
export function systemdCommands(agent: NewAgent): string {
  const { name, region, country, city, monitor_id } = agent
  const settings = {
    SERVER: serverOf(agent),
    ...(name !== '' && { NAME: name }),
    REGION: region,
    COUNTRY: country,
    CITY: city,
    ...(monitor_id !== undefined && { MONITOR_ID: monitor_id }),
  }
  return [
    "sudo install -m 0600 /dev/stdin /etc/dogwatch-agent.token <<'END'",
    agent.token,
    'END',
    "sudo tee /etc/dogwatch-agent.env >/dev/null <<'END'",
    ...Object.entries(settings).map(([key, value]) => `DOGWATCH_AGENT_${key}=${quoteSetting(value)}`),
    'END',
    'sudo cp packages/agent/systemd/dogwatch-agent.service /etc/systemd/system/',
    'sudo systemctl enable --now dogwatch-agent',
  ].join('\n')
}

function serverOf({ public_url }: NewAgent): string {
  return public_url.replace(/(?<!\/)\/+$/, '')
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** For a systemd environment file. */
function quoteSetting(text: string): string {
  return /^[\w.,:/@%+=-]+$/.test(text) ? text : `"${text.replace(/["\\`$]/g, '\\$&')}"`
}
