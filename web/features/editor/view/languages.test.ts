import t from 'tap'
import { detectLanguage } from './languages.ts'

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
