import { isIP } from 'node:net'
import { loadConfig } from '#src/config/load.ts'
import { StartupProblem } from '#src/core/problem.ts'

/**
 * Returns a systemd socket unit for the address or the socket of these flags. systemd then listens, starts the service
 * `coffer` at the first connection, and keeps later connections while the service restarts.
 *
 * @throws StartupProblem when `serve` would refuse the flags, and for an address that systemd cannot listen on.
 */
export async function socketUnit(argv: readonly string[]): Promise<string> {
  const { address, port, socket, socketPerm } = await loadConfig(argv, {})
  if (socket === undefined && port === 0)
    throw new StartupProblem('--socket-unit needs a port: set --port to the port that systemd listens on.')
  if (socket === undefined && isIP(address) === 0)
    throw new StartupProblem(`--socket-unit needs an IP address: set --address to one; it is "${address}".`)
  const host = isIP(address) === 6 ? `[${address}]` : address
  const lines =
    socket === undefined
      ? [`ListenStream=${host}:${port}`, '# Also while the network starts.', 'FreeBind=yes']
      : [
          `ListenStream=${socket.replaceAll('%', '%%')}`,
          `SocketMode=0${socketPerm.toString(8)}`,
          '# The group of the proxy, such as www-data:',
          '# SocketGroup=www-data',
        ]
  return [
    '# coffer systemd --socket-unit … | sudo tee /etc/systemd/system/coffer.socket',
    '# This unit needs the service: coffer systemd … | sudo tee /etc/systemd/system/coffer.service',
    '# sudo systemctl disable --now coffer.service && sudo systemctl enable --now coffer.socket',
    '',
    '[Unit]',
    'Description=Socket of Coffer, a web file manager',
    '',
    '[Socket]',
    ...lines,
    '',
    '[Install]',
    'WantedBy=sockets.target',
  ].join('\n')
}
