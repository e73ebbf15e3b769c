import { spawnSync } from 'node:child_process'
import type { BrowserContextOptions } from 'playwright-core'
import type { Test } from 'tap'
import { start } from './browser.ts'

/** Options of a test that runs a generator: why it is skipped, if the program is missing. */
export function needs(program: 'hugo' | 'jekyll'): { skip: string | false } {
  return { skip: spawnSync(program, ['--help']).error ? `${program} is not installed` : false }
}

/** A draft with a comment and a field that the form does not edit. */
export const draft = `---
# about this post
title: "A day: at the sea" # the title
date: 2026-11-01T08:30:00+01:00
draft: true # not yet
tags:
  - sea
  - summer
params:
  deep: 1
---

The waves.
`

const post = (title: string, date: string) => `---\ntitle: ${title}\ndate: ${date}\n---\n\nText.\n`

const layout = (body: string) =>
  `<!doctype html><html lang="en"><title>{{ .Title }}</title><body>${body}</body></html>\n`

/** A website for Hugo, whose root is the served folder. */
export const hugoSite = {
  'hugo.toml': 'baseURL = "https://example.org/"\ntitle = "Waves"\n',
  archetypes: {
    'default.md': '---\ntitle: "{{ replace .Name "-" " " | title }}"\ndraft: true\n---\n',
    'posts.md':
      '---\ntitle: "{{ replace .Name "-" " " | title }}"\ndraft: true\ntags: []\n---\n\nA new post.\n',
  },
  layouts: {
    _default: {
      'single.html': layout('<h1>{{ .Title }}</h1>{{ .Content }}'),
      'list.html': layout(
        '{{ range .Site.RegularPages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}',
      ),
    },
  },
  content: {
    posts: {
      'sea.md': draft,
      'done.md': post('Done', '2026-01-02'),
      'later.md': post('Later', '2096-01-02'),
    },
  },
}

/** A website for Jekyll, whose root is the served folder. */
export const jekyllSite = {
  '_config.yml': 'title: Waves\n',
  _drafts: { 'sea.md': '---\ntitle: Sea\n---\nThe waves.\n' },
  _posts: { '2026-01-02-done.md': '---\ntitle: Done\n---\nText.\n' },
  'index.html': '---\n---\n{% for post in site.posts %}<a>{{ post.title }}</a>{% endfor %}\n',
}

/** Starts a server on a website, and opens a page that is signed in and shows `path`. */
export function startSite(
  t: Test,
  path = '/files/content/posts/',
  options: BrowserContextOptions & { more?: readonly string[] } = {},
) {
  const { more = [], ...rest } = options
  return start(t, hugoSite, { ...rest, path, more: ['--staticgen', 'hugo', ...more] })
}
