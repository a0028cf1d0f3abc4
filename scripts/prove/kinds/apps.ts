// Lists the servers of applications, like servers.ts: databases, and a broker.
import { existsSync } from 'node:fs'
import type { ServerRow } from './servers.ts'

const HOST = '127.0.0.1'
const UNTRUSTED = 'tls: the issuer of the certificate is unknown'
const POSTGRES =
  ['18', '17', '16', '15', '14']
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .find((path) => existsSync(path)) ?? '/usr/lib/postgresql'

export const APPS: readonly ServerRow[] = [
  {
    server: 'mosquitto',
    program: '/usr/sbin/mosquitto',
    ports: 3,
    files: ({ folder, ports: [open, closed, secure], cert, key }) => ({
      'mosquitto.conf': `user root
per_listener_settings true
listener ${open} ${HOST}
allow_anonymous true
listener ${closed} ${HOST}
allow_anonymous false
password_file ${folder}/passwords
listener ${secure} ${HOST}
allow_anonymous true
certfile ${cert}
keyfile ${key}
`,
    }),
    start: {
      before: ({ folder }) => [['mosquitto_passwd', '-b', '-c', `${folder}/passwords`, 'ana', 'hunter2']],
      args: ({ folder }) => ['-c', `${folder}/mosquitto.conf`],
    },
    targets: ([open, closed, secure]) => [
      [`mqtt://${HOST}:${open}`, 'ok'],
      // The broker publishes its version as a retained message.
      [`mqtt://${HOST}:${open}?topic=$SYS/broker/version`, 'ok'],
      [`mqtt://ana:hunter2@${HOST}:${closed}`, 'ok'],
      [`mqtt://ana:secret1@${HOST}:${closed}`, 'protocol: the broker does not permit the connection'],
      [`mqtts://${HOST}:${secure}`, 'ok'],
      [`mqtts://${HOST}:${open}`, /^(?:reset|tls): /],
      [`mqtt://${HOST}:${secure}`, /^reset: /],
    ],
  },
  {
    server: 'mariadb',
    program: '/usr/sbin/mariadbd',
    ports: 1,
    files: () => ({
      'init.sql': `delete from mysql.global_priv where user = '';
flush privileges;
create database shop;
create user ana@'%' identified by 'hunter2';
grant select on shop.* to ana@'%';
create user eve@'%' identified by 'hunter2' require ssl;
`,
    }),
    start: {
      before: ({ folder }) => [['mariadb-install-db', '--no-defaults', '--user=root', `--datadir=${folder}/data`]],
      args: ({ folder, ports: [port], cert, key }) => [
        ...['--no-defaults', '--user=root', `--datadir=${folder}/data`, `--init-file=${folder}/init.sql`],
        ...[`--port=${port}`, `--bind-address=${HOST}`, `--socket=${folder}/socket`, `--pid-file=${folder}/pid`],
        ...[`--ssl-cert=${cert}`, `--ssl-key=${key}`],
      ],
    },
    targets: ([port]) => [
      [`mysql://ana:hunter2@${HOST}:${port}/shop`, 'ok'],
      [`mysql://ana:hunter2@${HOST}:${port}/shop?query=select 6 * 7&tls=yes`, 'ok'],
      [`mysql://eve:hunter2@${HOST}:${port}?tls=yes`, 'ok'],
      [`mysql://eve:hunter2@${HOST}:${port}?tls=yes`, UNTRUSTED, { isStranger: true }],
      [`mysql://eve:hunter2@${HOST}:${port}`, 'protocol: the user or the password is wrong (1045)'],
      [`mysql://ana:secret1@${HOST}:${port}`, 'protocol: the user or the password is wrong (1045)'],
      [`mysql://ana:hunter2@${HOST}:${port}/nosuch`, /^protocol: the (?:user has no permission|database does not)/],
      [`mysql://ana:hunter2@${HOST}:${port}?query=select nosuch`, 'protocol: the query is not valid (1054)'],
      [`postgres://ana:hunter2@${HOST}:${port}`, 'protocol: the response is not valid PostgreSQL'],
    ],
  },
  {
    server: 'postgres',
    program: `${POSTGRES}/postgres`,
    user: 'postgres',
    ports: 1,
    files: () => ({ password: 'hunter2\n' }),
    start: {
      before: ({ folder, cert, key }) => [
        ['install', '-o', 'postgres', '-m', '600', key, `${folder}/server.key`],
        ['install', '-o', 'postgres', '-m', '600', cert, `${folder}/server.crt`],
        ['chown', 'postgres', folder],
        [
          ...['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', `${POSTGRES}/initdb`],
          ...['-D', `${folder}/data`, '-A', 'scram-sha-256', `--pwfile=${folder}/password`],
        ],
      ],
      args: ({ folder, ports: [port] }) => [
        ...['-D', `${folder}/data`, '-p', String(port), '-c', `listen_addresses=${HOST}`],
        ...['-c', 'unix_socket_directories=', '-c', 'ssl=on'],
        ...['-c', `ssl_cert_file=${folder}/server.crt`, '-c', `ssl_key_file=${folder}/server.key`],
      ],
    },
    targets: ([port]) => [
      [`postgres://postgres:hunter2@${HOST}:${port}`, 'ok'],
      [`postgres://postgres:hunter2@${HOST}:${port}/postgres?query=select 6 * 7&tls=yes`, 'ok'],
      [`postgres://postgres:hunter2@${HOST}:${port}?tls=yes`, UNTRUSTED, { isStranger: true }],
      [`postgres://postgres:hunter2@${HOST}:${port}?query=show server_version`, 'ok'],
      [`postgres://postgres:secret1@${HOST}:${port}`, 'protocol: the user or the password is wrong (28P01)'],
      [`postgres://postgres:hunter2@${HOST}:${port}/nosuch`, 'protocol: the database does not exist (3D000)'],
      [`postgres://postgres:hunter2@${HOST}:${port}?query=select nosuch`, 'protocol: the query is not valid (42703)'],
      [
        `postgres://postgres:hunter2@${HOST}:${port}?query=select nextval(pg_get_serial_sequence('x', 'y'))`,
        /^protocol: the (?:query is not valid|query would change)/,
      ],
      [`mysql://postgres:hunter2@${HOST}:${port}`, /^timeout: /],
    ],
  },
]
