import type { Finding } from '#contract/doctor.ts'

type Lines = Finding['lines']

/** The lines of each proxy that have to change, by what is wrong. */
export const proxyLines = {
  body: [
    { where: 'nginx', text: 'client_max_body_size 0;' },
    { where: 'caddy', text: 'request_body {\n    max_size 16MB\n}' },
    { where: 'traefik', text: 'traefik.http.middlewares.NAME.buffering.maxRequestBodyBytes=0' },
  ],
  buffering: [
    { where: 'nginx', text: 'proxy_buffering off;' },
    { where: 'caddy', text: 'reverse_proxy 127.0.0.1:8080 {\n    flush_interval -1\n}' },
    {
      where: 'traefik',
      text: 'traefik.http.services.NAME.loadbalancer.responseforwarding.flushinterval=1ms',
    },
  ],
  socket: [
    {
      where: 'nginx',
      text: 'proxy_http_version 1.1;\nproxy_set_header Upgrade $http_upgrade;\nproxy_set_header Connection "upgrade";',
    },
    { where: 'caddy', text: '# Remove these lines:\nheader_up -Upgrade\nheader_up -Connection' },
    { where: 'traefik', text: '# Remove this middleware:\nheaders.customRequestHeaders.Upgrade' },
  ],
  address: [
    { where: 'nginx', text: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;' },
    { where: 'caddy', text: '# Remove this line:\nheader_up -X-Forwarded-For' },
    { where: 'traefik', text: '# Remove this middleware:\nheaders.customRequestHeaders.X-Forwarded-For' },
  ],
  host: [
    { where: 'nginx', text: 'proxy_set_header Host $http_host;' },
    { where: 'caddy', text: '# Remove lines such as this one:\nheader_up Host {upstream_hostport}' },
    { where: 'traefik', text: 'traefik.http.services.NAME.loadbalancer.passhostheader=true' },
  ],
  scheme: [
    { where: 'nginx', text: 'proxy_set_header X-Forwarded-Proto $scheme;' },
    { where: 'caddy', text: '# Remove this line:\nheader_up -X-Forwarded-Proto' },
    { where: 'traefik', text: '# Remove this middleware:\nheaders.customRequestHeaders.X-Forwarded-Proto' },
  ],
  https: [
    {
      where: 'nginx',
      text: 'listen 443 ssl;\nssl_certificate /etc/ssl/fullchain.pem;\nssl_certificate_key /etc/ssl/key.pem;',
    },
    { where: 'caddy', text: 'files.example.com {\n    reverse_proxy 127.0.0.1:8080\n}' },
    {
      where: 'traefik',
      text: 'traefik.http.routers.NAME.tls=true\ntraefik.http.routers.NAME.tls.certresolver=RESOLVER',
    },
  ],
  clock: [{ where: 'shell', text: 'timedatectl set-ntp true' }],
} satisfies Record<string, Lines>

/** The option with which Coffer trusts the forwarding headers of a proxy. */
export function trustOption(peer: string): Lines {
  return [{ where: 'coffer', text: `--trusted-proxy ${peer.replace(/^::ffff:/, '')}` }]
}
