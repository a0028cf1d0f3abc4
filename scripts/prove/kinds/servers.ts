// Lists real servers, one row each: how the server is configured and started, and checks with known outcomes. These are servers
// of mail, files, directories and the web; apps.ts lists others.

export interface ServerRow {
  program: string
  /** Number of ports that the server listens on. */
  ports: number
  /** Whether the server listens for datagrams. Absent if it accepts connections. */
  isDatagram?: true
  /**
   * Shell script that starts in an empty folder, and replaces itself with the server. `$0` is the program, `$1` its first port, and
   * `$CERT`, `$KEY` and `$CA` are files. Absent if the target is the kernel.
   */
  script?: string
  /** Targets, each with the error that the check must have, or `ok`. `{1}` is the address of the first port. */
  checks: readonly (readonly [target: string, wanted: string | RegExp, how?: Plan])[]
}

/** Options for the run of a check by the agent. */
export interface Plan {
  /** Fields of the check, without its target. */
  fields?: object
  /** Command that gets the command line of the agent as its arguments, and runs the agent. Absent if the agent runs directly. */
  within?: readonly string[]
  /** Whether the agent runs without the authority that issued the certificates, so that it does not trust them. */
  isStranger?: true
}

/** Returns the fields of a check with one assertion. */
export function assert(assertion: object): { fields: object } {
  return { fields: { assertions: [assertion] } }
}

export const UNTRUSTED = 'tls: the issuer of the certificate is unknown'
const NO_TLS = 'tls: the target does not speak TLS'
const STRANGER = { isStranger: true } as const
const ECHO = { fields: { post_data: 'hello', match_string: 'echo: hello' } }

export const SERVERS: Readonly<Record<string, ServerRow>> = {
  postfix: {
    program: '/usr/lib/postfix/sbin/master',
    ports: 2,
    script: `
mkdir -p data queue/pid queue/public queue/private
chown postfix data queue/public queue/private
cat >main.cf <<END
compatibility_level = 3.6
queue_directory = $PWD/queue
data_directory = $PWD/data
myhostname = mail.example
inet_interfaces = 127.0.0.1
smtpd_tls_cert_file = $CERT
smtpd_tls_key_file = $KEY
smtpd_tls_security_level = may
END
cat >master.cf <<END
$1 inet n - n - - smtpd
$2 inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
rewrite unix - - n - - trivial-rewrite
tlsmgr unix - - n 1000? 1 tlsmgr
END
exec $0 -c $PWD -d`,
    checks: [
      ['smtp://{1}', 'ok'],
      ['smtp://{1}?starttls=yes', 'ok'],
      ['smtps://{2}', 'ok'],
      ['smtp://ana:hunter2@{1}', /^protocol: the target refused the sign-in: 50\d /],
      ['smtp://{2}', /^timeout: while waiting for the greeting$/],
      ['smtps://{1}', NO_TLS],
      ['imap://{1}', 'protocol: the response is not IMAP'],
      ['tcp://{1}?expect=^220&send=EHLO%20x\\r\\n&expect=STARTTLS&send=STARTTLS\\r\\n&expect=^220&starttls=yes', 'ok'],
    ],
  },
  dovecot: {
    program: '/usr/sbin/dovecot',
    ports: 4,
    script: `
mkdir mail
chown mail mail
cat >dovecot.conf <<END
base_dir = $PWD/run
state_dir = $PWD/state
log_path = /dev/stderr
protocols = imap pop3
listen = 127.0.0.1
ssl = yes
ssl_cert = <$CERT
ssl_key = <$KEY
disable_plaintext_auth = no
first_valid_uid = 1
passdb {
  driver = static
  args = password=hunter2
}
userdb {
  driver = static
  args = uid=mail gid=mail home=$PWD/mail/%u
}
mail_location = maildir:$PWD/mail/%u
service imap-login {
  inet_listener imap {
    port = $1
  }
  inet_listener imaps {
    port = $2
    ssl = yes
  }
}
service pop3-login {
  inet_listener pop3 {
    port = $3
  }
  inet_listener pop3s {
    port = $4
    ssl = yes
  }
}
END
exec $0 -F -c dovecot.conf`,
    checks: [
      ['imap://{1}', 'ok'],
      ['imap://ana:hunter2@{1}?starttls=yes', 'ok'],
      ['imaps://ana:hunter2@{2}', 'ok'],
      ['imaps://ana:secret1@{2}', /^protocol: the target refused the sign-in: NO \[AUTHENTICATIONFAILED\]/],
      ['pop3://{3}', 'ok'],
      ['pop3://ana:hunter2@{3}?starttls=yes', 'ok'],
      ['pop3s://ana:hunter2@{4}', 'ok'],
      ['pop3s://ana:secret1@{4}', /^protocol: the target refused the sign-in: -ERR \[AUTH\]/],
    ],
  },
  sshd: {
    program: '/usr/sbin/sshd',
    ports: 1,
    script: `
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f host_key
exec $0 -D -e -f /dev/null -o ListenAddress=127.0.0.1 -o Port=$1 -o HostKey=$PWD/host_key -o PidFile=none`,
    checks: [
      ['ssh://{1}', 'ok'],
      ['smtp://{1}', 'protocol: the response is not SMTP'],
    ],
  },
  vsftpd: vsftpd('NO', [
    ['ftp://{1}', 'ok'],
    ['ftp://{1}?starttls=yes', 'ok'],
    ['ftp://anonymous:hunter2@{1}?starttls=yes', 'ok'],
    ['ftp://ana:secret1@{1}?starttls=yes', /^protocol: the target refused the sign-in: 530 /],
  ]),
  vsftpds: vsftpd('YES', [
    ['ftps://{1}', 'ok'],
    ['ftps://anonymous:hunter2@{1}', 'ok'],
  ]),
  redis: {
    program: '/usr/bin/redis-server',
    ports: 2,
    script: `exec $0 --port $1 --bind 127.0.0.1 --requirepass hunter2 --save '' --dir $PWD \\
  --tls-port $2 --tls-cert-file $CERT --tls-key-file $KEY --tls-ca-cert-file $CA --tls-auth-clients no`,
    checks: [
      ['redis://:hunter2@{1}', 'ok'],
      ['redis://default:hunter2@{1}', 'ok'],
      ['rediss://:hunter2@{2}', 'ok'],
      ['redis://:secret1@{1}', /^protocol: the target refused the sign-in: -WRONGPASS/],
      ['redis://{1}', /^protocol: the target refused PING: -NOAUTH/],
      ['tcp://{1}?send=AUTH%20hunter2\\r\\n&expect=^.OK&send=PING\\r\\n&expect=PONG', 'ok'],
    ],
  },
  slapd: {
    program: '/usr/sbin/slapd',
    ports: 2,
    script: `
cat >slapd.conf <<END
modulepath /usr/lib/ldap
moduleload back_mdb
include /etc/ldap/schema/core.schema
TLSCACertificateFile $CA
TLSCertificateFile $CERT
TLSCertificateKeyFile $KEY
database mdb
suffix dc=example
rootdn cn=admin,dc=example
rootpw hunter2
directory $PWD
END
exec $0 -d 0 -f slapd.conf -h "ldap://127.0.0.1:$1 ldaps://127.0.0.1:$2"`,
    checks: [
      ['ldap://{1}', 'ok'],
      ['ldap://cn=admin,dc=example:hunter2@{1}?starttls=yes', 'ok'],
      ['ldaps://cn=admin,dc=example:hunter2@{2}', 'ok'],
      ['ldaps://cn=admin,dc=example:secret1@{2}', 'protocol: the target refused the sign-in: invalidCredentials (49)'],
    ],
  },
  nginx: {
    program: '/usr/sbin/nginx',
    ports: 2,
    script: `
cat >nginx.conf <<END
daemon off;
pid pid;
error_log stderr;
events { }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:$1;
    listen 127.0.0.1:$2 ssl;
    ssl_certificate $CERT;
    ssl_certificate_key $KEY;
    location / { return 200 'all is well'; }
    location /json { return 200 '{"state":"up"}'; }
    location /moved { return 302 /; }
    location /loop { return 302 /loop; }
    location /none { return 404; }
  }
}
END
exec $0 -p $PWD -c nginx.conf`,
    checks: [
      ['http://{1}/moved', 'ok', { fields: { match_string: 'all is well' } }],
      ['https://{2}/json', 'ok', assert({ on: 'json', at: '$.state', is: 'eq', value: 'up' })],
      ['http://{1}/none', 'status: the status is 404'],
      ['http://{1}/loop', /^redirect: /],
      ['http://{1}/', /^match: /, { fields: { match_string: 'all is lost' } }],
      ['http://{2}/', 'status: the status is 400'],
      ['https://{1}/', NO_TLS],
      ['https://{2}/', UNTRUSTED, STRANGER],
      ['tls://{2}', 'ok', assert({ on: 'certificate', at: 'days_left', is: 'gt', value: 20 })],
      ['tls://{2}', /^cert_expiry: /, { fields: { cert_expiry_warn_days: 60 } }],
      ['tls://{2}', UNTRUSTED, STRANGER],
      ['tls://{1}', NO_TLS],
    ],
  },
  ws: {
    program: process.execPath,
    ports: 2,
    script: `
npm install --no-audit --no-fund --no-package-lock --ignore-scripts ws
cat >server.mjs <<'END'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { WebSocketServer } from 'ws'
const [plain, secure] = process.argv.slice(2)
const [cert, key] = [process.env.CERT, process.env.KEY].map((file) => readFileSync(file))
for (const [server, port] of [[http.createServer(), plain], [https.createServer({ cert, key }), secure]]) {
  const sockets = new WebSocketServer({ server, path: '/echo' })
  sockets.on('connection', (socket) => socket.on('message', (text) => socket.send('echo: ' + text)))
  server.listen(port, '127.0.0.1')
}
END
exec $0 server.mjs $1 $2`,
    checks: [
      ['ws://{1}/echo', 'ok'],
      ['ws://{1}/echo', 'ok', ECHO],
      ['wss://{2}/echo', 'ok', ECHO],
      ['ws://{1}/echo', /^match: /, { fields: { post_data: 'hello', match_string: 'bye', timeout_sec: 1 } }],
      ['ws://{1}/echo', /^timeout: /, { fields: { match_string: 'x', timeout_sec: 1 } }],
      ['ws://{1}/', 'http: the status is 400 instead of 101, so there is no WebSocket'],
      ['ws://{2}/echo', /^reset: /],
      ['wss://{1}/echo', NO_TLS],
      ['wss://{2}/echo', UNTRUSTED, STRANGER],
    ],
  },
  'grpc-js': {
    program: process.execPath,
    ports: 2,
    script: `
npm install --no-audit --no-fund --no-package-lock --ignore-scripts @grpc/grpc-js grpc-health-check
cat >server.cjs <<'END'
const { readFileSync } = require('node:fs')
const { Server, ServerCredentials } = require('@grpc/grpc-js')
const { HealthImplementation } = require('grpc-health-check')
const [cert_chain, private_key] = [process.env.CERT, process.env.KEY].map((file) => readFileSync(file))
const all = [ServerCredentials.createInsecure(), ServerCredentials.createSsl(null, [{ cert_chain, private_key }])]
for (const [n, port] of process.argv.slice(2).entries()) {
  const server = new Server()
  new HealthImplementation({ '': 'SERVING', 'shop.Orders': 'SERVING', 'shop.Stock': 'NOT_SERVING' }).addToServer(server)
  server.bindAsync('127.0.0.1:' + port, all[n], (error) => { if (error) throw error })
}
END
exec $0 server.cjs $1 $2`,
    checks: [
      ['grpc://{1}', 'ok'],
      ['grpc://{1}/shop.Orders', 'ok', assert({ on: 'grpc_health', is: 'eq', value: 'SERVING' })],
      ['grpcs://{2}/shop.Orders', 'ok'],
      ['grpc://{1}/shop.Stock', 'protocol: the service is NOT_SERVING'],
      ['grpc://{1}/nosuch', 'protocol: the server does not know the service (NOT_FOUND)'],
      ['grpc://{2}', /^(?:reset|protocol): /],
      ['grpcs://{1}', NO_TLS],
      ['grpcs://{2}', UNTRUSTED, STRANGER],
    ],
  },
}

/** Returns the row of an FTP server. TLS begins with the connection, or after a command. */
function vsftpd(isImplicit: 'YES' | 'NO', checks: ServerRow['checks']): ServerRow {
  const script = `
mkdir -p /var/run/vsftpd/empty
cat >vsftpd.conf <<END
listen=YES
background=NO
listen_address=127.0.0.1
listen_port=$1
anonymous_enable=YES
local_enable=NO
secure_chroot_dir=/var/run/vsftpd/empty
seccomp_sandbox=NO
ssl_enable=YES
allow_anon_ssl=YES
implicit_ssl=${isImplicit}
rsa_cert_file=$CERT
rsa_private_key_file=$KEY
END
exec $0 $PWD/vsftpd.conf`
  return { program: '/usr/sbin/vsftpd', ports: 1, script, checks }
}
