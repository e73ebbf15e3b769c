import t from 'tap'
import { deviceName } from './device-name.ts'

t.test('a session is named after its browser and its operating system', async (t) => {
  const names: [userAgent: string, name: string][] = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0', 'Firefox · Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0 Safari/537.36 Edg/143.0',
      'Edge · Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'Safari · iPhone',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['', ''],
  ]
  for (const [userAgent, name] of names) t.equal(deviceName(userAgent), name)
})
