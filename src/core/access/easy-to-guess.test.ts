import t from 'tap'
import { estimateStrength } from './easy-to-guess.ts'

t.test(
  'common words, sequences, repetitions and the name of the user make a password no harder to guess',
  async (t) => {
    for (const password of ['password', 'qwerty', 'ababababab', 'aaaaaaaa', 'Passw0rd1!', 'anna-anna'])
      t.ok(estimateStrength(password, ['anna']) < 4, password)
  },
)

t.test('unpredictable letters, and several words, make a password hard to guess', async (t) => {
  for (const password of ['vexkilmotru', 'plinth gravel oxbow dune'])
    t.ok(estimateStrength(password, ['anna']) > 8, password)
})
