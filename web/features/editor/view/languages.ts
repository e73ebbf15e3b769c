import { LanguageSupport, StreamLanguage, type StreamParser } from '@codemirror/language'

/** Syntax highlighting, indentation and folding of a language. Its code is loaded on first use. */
export interface TextLanguage {
  /** The name of the language, never translated. */
  name: string
  load(): Promise<LanguageSupport>
}

type Row = readonly [name: string, files: RegExp, load: () => Promise<LanguageSupport>]

const rows: readonly Row[] = [
  [
    'TypeScript',
    /\.[cm]?ts$/i,
    async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true }),
  ],
  [
    'TSX',
    /\.tsx$/i,
    async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true, jsx: true }),
  ],
  [
    'JavaScript',
    /\.[cm]?jsx?$/i,
    async () => (await import('@codemirror/lang-javascript')).javascript({ jsx: true }),
  ],
  [
    'JSON',
    /\.(json[5lc]?|geojson|map|webmanifest|ipynb)$|^\.(babel|eslint|prettier)rc$/i,
    async () => (await import('@codemirror/lang-json')).json(),
  ],
  ['HTML', /\.(x?html?|vue|svelte|ejs|hbs)$/i, async () => (await import('@codemirror/lang-html')).html()],
  ['CSS', /\.css$/i, async () => (await import('@codemirror/lang-css')).css()],
  [
    'Markdown',
    /\.(md|mdx|mkd|markdown)$/i,
    async () => (await import('@codemirror/lang-markdown')).markdown(),
  ],
  ['Python', /\.pyw?i?$/i, async () => (await import('@codemirror/lang-python')).python()],
  ['YAML', /\.ya?ml$|^\.clang-format$/i, async () => (await import('@codemirror/lang-yaml')).yaml()],
  [
    'XML',
    /\.(xml|svg|xsl|xslt|xsd|rss|atom|plist|gpx|kml|csproj|fxml|xaml)$/i,
    async () => (await import('@codemirror/lang-xml')).xml(),
  ],
  ['SQL', /\.sql$/i, async () => (await import('@codemirror/lang-sql')).sql()],
  ['Java', /\.java$/i, async () => (await import('@codemirror/lang-java')).java()],
  ['C++', /\.([ch]|cc|cpp|cxx|hh|hpp|hxx|ino)$/i, async () => (await import('@codemirror/lang-cpp')).cpp()],
  ['Rust', /\.rs$/i, async () => (await import('@codemirror/lang-rust')).rust()],
  ['Go', /\.go$/i, async () => (await import('@codemirror/lang-go')).go()],
  ['PHP', /\.(php\d?|phtml)$/i, async () => (await import('@codemirror/lang-php')).php()],
  [
    'Shell',
    /\.(sh|bash|zsh|ksh|fish)$|^\.(bash|zsh)?(rc|_profile|profile|_aliases|_login|_logout)$|^\.(bash|zsh)rc$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/shell')).shell),
  ],
  [
    'TOML',
    /\.toml$|^cargo\.lock$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/toml')).toml),
  ],
  [
    'nginx',
    /^nginx.*\.conf$|\.nginx$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/nginx')).nginx),
  ],
  [
    'INI',
    /\.(ini|cfg|conf|properties|env|service|timer|socket|mount|desktop|reg)$|^\.(env|editorconfig|gitconfig|npmrc)(\..*)?$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/properties')).properties),
  ],
  [
    'Dockerfile',
    /^(dockerfile|containerfile)(\..*)?$|\.dockerfile$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile),
  ],
  [
    'Ruby',
    /\.(rb|rake|gemspec)$|^(gemfile|rakefile|vagrantfile)$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/ruby')).ruby),
  ],
  ['Lua', /\.lua$/i, async () => stream((await import('@codemirror/legacy-modes/mode/lua')).lua)],
  ['Perl', /\.p[lm]$/i, async () => stream((await import('@codemirror/legacy-modes/mode/perl')).perl)],
  [
    'PowerShell',
    /\.ps[dm]?1$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/powershell')).powerShell),
  ],
  ['Swift', /\.swift$/i, async () => stream((await import('@codemirror/legacy-modes/mode/swift')).swift)],
  ['Kotlin', /\.kts?$/i, async () => stream((await import('@codemirror/legacy-modes/mode/clike')).kotlin)],
  ['C#', /\.cs$/i, async () => stream((await import('@codemirror/legacy-modes/mode/clike')).csharp)],
  ['Dart', /\.dart$/i, async () => stream((await import('@codemirror/legacy-modes/mode/clike')).dart)],
  ['SCSS', /\.scss$/i, async () => stream((await import('@codemirror/legacy-modes/mode/css')).sCSS)],
  ['Less', /\.less$/i, async () => stream((await import('@codemirror/legacy-modes/mode/css')).less)],
  [
    'Groovy',
    /\.(groovy|gradle)$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/groovy')).groovy),
  ],
  ['Diff', /\.(diff|patch)$/i, async () => stream((await import('@codemirror/legacy-modes/mode/diff')).diff)],
  ['R', /\.r$/i, async () => stream((await import('@codemirror/legacy-modes/mode/r')).r)],
  [
    'LaTeX',
    /\.(tex|sty|cls|bib)$/i,
    async () => stream((await import('@codemirror/legacy-modes/mode/stex')).stex),
  ],
]

/** Interpreters in a first line such as `#!/usr/bin/env python3`, and their languages. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/\b(ba|z|k|da)?sh\b/, 'Shell'],
  [/\bpython[\d.]*\b/, 'Python'],
  [/\b(node|deno|bun)\b/, 'JavaScript'],
  [/\bruby\b/, 'Ruby'],
  [/\bperl\b/, 'Perl'],
  [/\bphp\b/, 'PHP'],
]

/** The language of a text by its file name, else by the interpreter in its first line. Undefined: plain text. */
export function detectLanguage(fileName: string, firstLine = ''): TextLanguage | undefined {
  const found =
    rows.find(([, files]) => files.test(fileName)) ??
    rows.find(([name]) => name === languageOfInterpreter(firstLine))
  return found && { name: found[0], load: found[2] }
}

function languageOfInterpreter(firstLine: string): string | undefined {
  return firstLine.startsWith('#!') ? programs.find(([program]) => program.test(firstLine))?.[1] : undefined
}

function stream(parser: StreamParser<unknown>): LanguageSupport {
  return new LanguageSupport(StreamLanguage.define(parser))
}
