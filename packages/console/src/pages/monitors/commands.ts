// Writes the commands for the machine that becomes a monitor. packages/agent/README.md has the flags.

import type { MonitorPlace } from '@dogwatch/domain/monitors/place'

export interface NewAgent extends MonitorPlace {
  public_url: string
  token: string
  /** ID of a reset monitor that the agent will reclaim. */
  monitor_id?: string
}

/** Archive of the agent that this server offers. */
export interface AgentArchive {
  platform: string
  file: string
  sha256: string
}

const END = 'END'
const STATE = 'dogwatch-agent:/var/lib/dogwatch-agent'

/**
 * Returns the commands that run the installer. The installer reads the token from standard input, because other users can see
 * arguments.
 */
export function installerCommands(agent: NewAgent): string {
  return [
    `f=$(mktemp) && curl -fsSLo "$f" ${quote(`${serverOf(agent)}/install/install.sh`)} &&`,
    `sh "$f" ${flagsOf(agent, quote)} <<'${END}'`,
    agent.token,
    END,
  ].join('\n')
}

/** Returns commands that build the image, enroll in a temporary container, and start the container of the agent. */
export function containerCommands(agent: NewAgent): string {
  const flags = flagsOf(agent, quote)
  return [
    `curl -fsSL ${quote(`${serverOf(agent)}/install/Containerfile`)} | docker build -t dogwatch-agent - &&`,
    `docker run --rm -i -v ${STATE} dogwatch-agent enroll ${flags} <<'${END}' &&`,
    agent.token,
    END,
    `docker run -d --name dogwatch-agent --restart unless-stopped -v ${STATE} dogwatch-agent ${flags}`,
  ].join('\n')
}

/** Returns commands for PowerShell. They need only programs that are part of Windows. */
export function windowsCommands(agent: NewAgent, { file, sha256 }: AgentArchive): string {
  const server = powerQuote(serverOf(agent))
  const flags = `--server ${server} --state-dir "$d\\state" ${flagsOf(agent, powerQuote)}`
  return [
    '$d = "$env:LOCALAPPDATA\\dogwatch-agent"; $f = "$env:TEMP\\dogwatch-agent.tar.gz"',
    `curl.exe -fsSLo $f ${powerQuote(`${serverOf(agent)}/install/${file}`)}`,
    `if ((Get-FileHash $f -Algorithm SHA256).Hash -ne '${sha256}') { throw 'Checksum mismatch: download the agent again.' }`,
    'New-Item -ItemType Directory -Force $d | Out-Null; tar.exe -xzf $f -C $d --strip-components=1',
    `${powerQuote(agent.token)} | & "$d\\bin\\dogwatch-agent.cmd" enroll ${flags}`,
    `& "$d\\bin\\dogwatch-agent.cmd" ${flags}`,
  ].join('\n')
}

/**
 * Returns a curl command with the first request of an agent that a person writes. curl reads the header with the token from
 * standard input.
 */
export function enrollRequest(agent: NewAgent): string {
  const { name, region, country, city, monitor_id: id } = agent
  const body = JSON.stringify({ name, region, country, city, ...(id !== undefined && { id }) })
  return [
    `curl -fsS ${quote(`${serverOf(agent)}/monitor-api/v1/enroll`)} -H 'Content-Type: application/json' \\`,
    `  -d ${quote(body)} -H @- <<'${END}'`,
    `Authorization: Bearer ${agent.token}`,
    END,
  ].join('\n')
}

function flagsOf({ name, region, country, city, monitor_id }: NewAgent, quoted: (text: string) => string): string {
  return [
    ...(name === '' ? [] : [`--name ${quoted(name)}`]),
    `--region ${quoted(region)}`,
    `--country ${quoted(country)}`,
    `--city ${quoted(city)}`,
    ...(monitor_id === undefined ? [] : [`--monitor-id ${quoted(monitor_id)}`]),
  ].join(' ')
}

function serverOf({ public_url }: NewAgent): string {
  return public_url.replace(/(?<!\/)\/+$/, '')
}

/** Quotes a text for a POSIX shell. */
function quote(text: string): string {
  return /^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Quotes a text for PowerShell, which also ends a string at the curly quotes. */
function powerQuote(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`
}
