import { isLoopback } from '#src/core/network.ts'
import { type CheckFinding, finding, fine } from '../findings/finding.ts'
import type { Subject } from '../findings/subject.ts'

/** Checks the options that are unsafe together: who can connect, and as which user the server runs. */
export async function checkOptions({ config, server }: Subject): Promise<CheckFinding[]> {
  const { noauth, address, socket, cert, trustedProxy, authHeader } = config
  const isPublic = !socket && !isLoopback(address)
  const found: CheckFinding[] = []
  if (noauth && isPublic) {
    const text = `With --noauth, everyone who can reach ${address} is an administrator. Listen on this machine only, or remove --noauth.`
    const lines = { coffer: '--address 127.0.0.1' }
    found.push(finding('options.noauth', 'error', text, { names: [address], lines }))
  }
  if (isPublic && !cert && trustedProxy.length === 0 && !authHeader) {
    const text = `Coffer accepts unencrypted connections on ${address}: passwords and files can be read on the way. Use a certificate, or listen on this machine only and use a proxy with HTTPS.`
    const caddy = 'files.example.com { reverse_proxy 127.0.0.1:8080 }'
    const lines = { coffer: '--cert FILE --key FILE', caddy }
    found.push(finding('options.plain', 'warning', text, { names: [address], lines }))
  }
  const peer = server?.untrustedPeer()
  if (peer !== undefined) {
    const text = `A proxy at ${peer} sends the addresses of clients, but Coffer does not trust it: all clients share the limits of one address.`
    const lines = { coffer: `--trusted-proxy ${peer}` }
    found.push(finding('options.untrusted-proxy', 'warning', text, { names: [peer], lines }))
  }
  if (process.geteuid?.() === 0) {
    const text = `${server ? 'The server' : 'This command'} runs as root. A fault in the server would then give access to the whole machine.`
    found.push(finding('options.root', 'warning', text, { lines: { systemd: 'User=coffer\nGroup=coffer' } }))
  }
  return found.length > 0 ? found : [fine('options', 'No option is unsafe.')]
}
