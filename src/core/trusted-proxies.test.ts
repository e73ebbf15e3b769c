import t from 'tap'
import { createProxyCheck } from './trusted-proxies.ts'

t.test('trusts a peer in a configured range or on the unix socket', async (t) => {
  const trusts = createProxyCheck(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])
  for (const peer of ['10.1.2.3', '192.0.2.7', 'fd00::1', '::ffff:10.1.2.3', undefined, '']) {
    t.ok(trusts(peer), String(peer))
  }
  for (const peer of ['11.0.0.1', '192.0.2.8', 'fe80::1', '::1', 'proxy', '10.1.2.3, 10.1.2.4']) {
    t.notOk(trusts(peer), peer)
  }
  t.notOk(createProxyCheck([])('127.0.0.1'), 'without ranges, trusts no peer with an address')
})
