import t from 'tap'
import { stemLength } from './stem.ts'

t.test('the stem of a name ends before the file extension', async (t) => {
  const selected = (name: string, isDir = false) => name.slice(0, stemLength(name, isDir))
  t.equal(selected('holiday.jpg'), 'holiday')
  t.equal(selected('back.up.tar.gz'), 'back.up')
  t.equal(selected('.bashrc'), '.bashrc')
  t.equal(selected('README'), 'README')
  t.equal(selected('v1.2', true), 'v1.2')
})
