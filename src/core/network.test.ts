import t from 'tap'
import { networkOf } from './network.ts'
import { createProxyCheck } from './trusted-proxies.ts'

t.test('clients are counted by their IPv4 address or their IPv6 network, in any notation', (t) => {
  const cases = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:c000:0207', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0'],
    ['192.0.2.7:51234', '192.0.2.7'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2'],
    ['unknown', 'unknown'],
    ['', ''],
  ] as const
  for (const [address, network] of cases) t.equal(networkOf(address), network, address)
  t.end()
})

t.test('trusts a peer in a configured range or on the unix socket', async (t) => {
  const isTrusted = createProxyCheck(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])
  for (const peer of ['10.1.2.3', '192.0.2.7', 'fd00::1', '::ffff:10.1.2.3', undefined, '']) {
    t.ok(isTrusted(peer), String(peer))
  }
  for (const peer of ['11.0.0.1', '192.0.2.8', 'fe80::1', '::1', 'proxy', '10.1.2.3, 10.1.2.4']) {
    t.notOk(isTrusted(peer), peer)
  }
  t.notOk(createProxyCheck([])('127.0.0.1'), 'without ranges, trusts no peer with an address')
})
