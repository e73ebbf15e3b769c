import t from 'tap'
import { directionOf } from './direction.ts'
import { detectIndentation } from './indentation.ts'
import { detectLanguage } from './languages.ts'

t.test('the first letter of a text determines its direction', async (t) => {
  t.equal(directionOf('# 1. Plan مرحبا'), 'ltr')
  t.equal(directionOf('\n\n12: مرحبا hello'), 'rtl')
  t.equal(directionOf('« שלום »'), 'rtl')
  t.equal(directionOf('家族'), 'ltr')
  t.equal(directionOf('12 + 3'), undefined)
})

const cases: [string, string | undefined, string][] = [
  ['a\nb', undefined, 'nothing is indented'],
  ['a\n\tb\n\t\tc\n', '\t', 'tabs'],
  ['a\n  b\n    c\n  d\n', '  ', 'two spaces'],
  ['a:\n    b:\n        c\n', '    ', 'four spaces'],
  ['/*\n * a\n * b\n */\nif (a) {\n  b\n}\n', '  ', 'the star of a comment is no indentation'],
]

for (const [text, expected, name] of cases) {
  t.test(`detects the indentation of a text: ${name}`, async (t) => {
    t.equal(detectIndentation(text), expected)
  })
}

const names: Record<string, string | undefined> = {
  'a.ts': 'TypeScript',
  'a.MTS': 'TypeScript',
  'a.tsx': 'TSX',
  'a.jsx': 'JavaScript',
  'package.json': 'JSON',
  'README.md': 'Markdown',
  'docker-compose.yml': 'YAML',
  Dockerfile: 'Dockerfile',
  'dockerfile.dev': 'Dockerfile',
  '.bashrc': 'Shell',
  '.env.local': 'INI',
  'nginx.conf': 'nginx',
  'x.conf': 'INI',
  'picture.svg': 'XML',
  'notes.txt': undefined,
  'a.c.bak': undefined,
  json: undefined,
}

t.test('detects the language by the file name', async (t) => {
  for (const [name, expected] of Object.entries(names)) t.equal(detectLanguage(name)?.name, expected, name)
})

t.test('detects the language by the first line when the name is unknown', async (t) => {
  t.equal(detectLanguage('deploy', '#!/bin/sh -e')?.name, 'Shell')
  t.equal(detectLanguage('deploy', '#!/usr/bin/env python3')?.name, 'Python')
  t.equal(detectLanguage('deploy', 'a shell')?.name, undefined)
})

t.test('loads the languages that the table names', async (t) => {
  for (const name of ['a.ts', 'a.html', 'a.php', 'a.sh', 'a.kt', 'a.scss', 'nginx.conf', 'a.tex', 'a.sql']) {
    t.ok((await detectLanguage(name)?.load())?.language, name)
  }
})
