import t from 'tap'
import { directionOf } from './direction.ts'

t.test('the first letter of a text determines its direction', async (t) => {
  t.equal(directionOf('# 1. Plan مرحبا'), 'ltr')
  t.equal(directionOf('\n\n12: مرحبا hello'), 'rtl')
  t.equal(directionOf('« שלום »'), 'rtl')
  t.equal(directionOf('家族'), 'ltr')
  t.equal(directionOf('12 + 3'), undefined)
})
