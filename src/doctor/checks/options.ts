import { isLoopback } from '#src/core/network.ts'
import { type CheckFinding, finding, fine } from '../findings/finding.ts'
import type { Subject } from '../findings/subject.ts'

/** Checks the options that are unsafe together: who can connect, and as which user the server runs. */
export async function checkOptions({ config, server }: Subject): Promise<CheckFinding[]> {
  const { noauth, address, socket, cert, trustedProxy, authHeader } = config
  const isPublic = !socket && !isLoopback(address)
  const found: CheckFinding[] = []
  if (noauth && isPublic) {
    found.push(
      finding(
        'options.noauth',
        'error',
        `With --noauth, everyone who can reach ${address} is an administrator. Listen on this machine only, or remove --noauth.`,
        {
          names: [address],
          lines: { coffer: '--address 127.0.0.1' },
        },
      ),
    )
  }
  if (isPublic && !cert && trustedProxy.length === 0 && !authHeader) {
    found.push(
      finding(
        'options.plain',
        'warning',
        `Coffer accepts unencrypted connections on ${address}: passwords and files can be read on the way. Use a certificate, or listen on this machine only and use a proxy with HTTPS.`,
        {
          names: [address],
          lines: {
            coffer: '--cert FILE --key FILE',
            caddy: 'files.example.com { reverse_proxy 127.0.0.1:8080 }',
          },
        },
      ),
    )
  }
  const peer = server?.untrustedPeer()
  if (peer !== undefined) {
    found.push(
      finding(
        'options.untrusted-proxy',
        'warning',
        `A proxy at ${peer} sends the addresses of clients, but Coffer does not trust it: all clients share the limits of one address.`,
        { names: [peer], lines: { coffer: `--trusted-proxy ${peer}` } },
      ),
    )
  }
  if (process.geteuid?.() === 0) {
    found.push(
      finding(
        'options.root',
        'warning',
        `${server ? 'The server' : 'This command'} runs as root. A fault in the server would then give access to the whole machine.`,
        { lines: { systemd: 'User=coffer\nGroup=coffer' } },
      ),
    )
  }
  return found.length > 0 ? found : [fine('options', 'No option is unsafe.')]
}
