import { posix } from 'node:path'
import type { SiteGenerator, StaticGen, StaticGenInput } from '#contract/publish.ts'
import { Problem } from '#src/core/problem.ts'
import { literalPattern } from '#src/core/text/literal-pattern.ts'
import { isWithin, normalizeSetting, rootPath } from '#src/files/paths/user-path.ts'
import { defaultSite } from '#src/state/defaults.ts'

/**
 * The settings of the website for this generator: the stored ones, or the defaults when there are none or they are for the
 * other generator.
 */
export function siteSettingsOf(generator: SiteGenerator, stored: StaticGen | undefined): StaticGen {
  const isOwn = stored !== undefined && posix.basename(stored.Exe).startsWith(generator)
  return isOwn ? stored : defaultSite(generator)
}

/**
 * Merges the given values and validates them together. The public folder stays beside the root when only the root
 * changes.
 *
 * @throws Problem `request.invalid` with the field.
 */
export function mergedSite(generator: SiteGenerator, current: StaticGen, given: StaticGenInput): StaticGen {
  const root = pathOf(given.Root ?? current.Root, 'Root')
  const previous = given.Public ?? movedWith(current, root)
  const folder = pathOf(previous, 'Public')
  if (folder === root || !isWithin(folder, root)) {
    throw invalid('Public', 'must be a folder inside Root, and not Root itself')
  }
  const [first = ''] = posix.relative(root, folder).split('/')
  if (sources[generator].test(first))
    throw invalid('Public', `cannot be in ${first}, which is a source of the site`)
  const name = (given.Exe ?? current.Exe).trim() || generator
  return {
    Root: root,
    Public: folder,
    Exe: checkProgram(generator, name),
    Args: checkArguments(generator, given.Args ?? current.Args),
    CleanPublic: given.CleanPublic ?? current.CleanPublic,
  }
}

// Folders that the generator reads. It would publish the public folder again.
const sources: Record<SiteGenerator, RegExp> = {
  hugo: /^(archetypes|assets|config|content|data|i18n|layouts|resources|static|themes)$/,
  // Jekyll copies every folder but those that begin with these characters. It reads its own ones.
  jekyll: /^(?![_.#~])|^_(data|drafts|includes|layouts|plugins|posts|sass)$/,
}

function movedWith({ Root, Public }: StaticGen, root: string): string {
  return posix.join(root, posix.relative(Root, Public))
}

function pathOf(written: string, field: string): string {
  try {
    return normalizeSetting(written.trim() || rootPath).path
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw invalid(field, error.message)
  }
}

/**
 * Only a program with the name of the generator. Otherwise an administrator of Coffer could run any program of the
 * machine with the rights of the server, even without `--enable-exec`.
 */
function checkProgram(generator: SiteGenerator, name: string): string {
  const isPlain = name === posix.basename(name)
  const isNamed = new RegExp(`^${literalPattern(generator)}([-.]?[0-9][0-9.]*)?(-extended)?(\\.exe)?$`).test(
    posix.basename(name),
  )
  if (isNamed && (isPlain || posix.isAbsolute(name))) return name
  throw invalid('Exe', `must be ${generator}, or the absolute path of a program with this name`)
}

// Everything else is refused: Coffer sets the folders itself and runs only the build, and generators accept abbreviations
// and combined letters of what would watch, serve, or read and write somewhere else.
const known: Record<SiteGenerator, string> = {
  hugo:
    '--minify --gc --buildDrafts -D --buildExpired -E --buildFuture -F --ignoreCache --enableGitInfo --templateMetrics ' +
    '--templateMetricsHints --verbose -v --quiet --debug --forceSyncStatic --noChmod --noTimes --panicOnWarning ' +
    '--logLevel --environment --theme --disableKinds',
  jekyll:
    '--drafts -D --future --unpublished --limit_posts --lsi --verbose -V --quiet -q --strict_front_matter --safe',
}
const subcommands: Record<SiteGenerator, readonly string[]> = { hugo: [], jekyll: ['build', 'b'] }

/**
 * The arguments as they are stored. A value is written behind `=`.
 *
 * @throws Problem `request.invalid` for every other argument.
 */
function checkArguments(generator: SiteGenerator, given: readonly string[]): string[] {
  const args = given.map((one) => one.trim()).filter((one) => one !== '')
  const own = args.filter((one) => !subcommands[generator].includes(one))
  const allowed = known[generator].split(' ')
  for (const one of own) {
    const [name = ''] = one.split('=', 1)
    if (allowed.includes(name) && /^[^=]+(=[\w.,-]+)?$/.test(one)) continue
    throw invalid('Args', `${one} cannot be used. These can: ${known[generator]}`)
  }
  return [...subcommands[generator].slice(0, 1), ...own]
}

function invalid(field: string, reason: string): Problem {
  return new Problem('request.invalid', { field: `staticGen.${field}`, reason })
}
