import t from 'tap'
import { readWrittenTime } from './written-time.ts'

t.test('a changed time is written like the old one', async (t) => {
  for (const [written, type, value, next, result] of [
    ['2026-11-01', 'date', '2026-11-01', '2026-12-24', '2026-12-24'],
    [
      '2026-11-01T08:30:00+01:00',
      'datetime-local',
      '2026-11-01T08:30',
      '2026-12-24T18:00',
      '2026-12-24T18:00:00+01:00',
    ],
    [
      '2026-11-01 08:30:15 +0100',
      'datetime-local',
      '2026-11-01T08:30',
      '2026-12-24T18:00',
      '2026-12-24 18:00:15 +0100',
    ],
    ['2026-11-01t08:30Z', 'datetime-local', '2026-11-01T08:30', '2026-12-24T18:00', '2026-12-24t18:00Z'],
    [
      '2026-11-01T08:30:00.5',
      'datetime-local',
      '2026-11-01T08:30',
      '2026-12-24T18:00',
      '2026-12-24T18:00:00.5',
    ],
    ['tomorrow', 'text', 'tomorrow', 'today', 'today'],
  ] as const) {
    const time = readWrittenTime(written)
    t.same([time.type, time.value, time.write(next)], [type, value, result], written)
    t.equal(time.write(time.value), written, 'unchanged')
  }
  for (const [written, zone] of [
    ['2026-11-01T08:30:00Z', 'UTC'],
    ['2026-11-01 08:30:00 z', 'UTC'],
    ['2026-11-01T08:30:00+01:00', '+01:00'],
    ['2026-11-01T08:30:00', ''],
  ] as const)
    t.equal(readWrittenTime(written).zone, zone, written)
  t.match(readWrittenTime('').write('2026-12-24T18:00'), /^2026-12-24T18:00:00[+-]\d\d:\d\d$/)
})
