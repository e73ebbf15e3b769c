import Type, { type Static } from 'typebox'
import { type Address, bodySizes, type Endpoint } from './schema/endpoint.ts'
import { PathParams } from './schema/resource-path.ts'
import { PartialShape, Shape } from './schema/shape.ts'

export const siteGenerators = ['hugo', 'jekyll'] as const
export type SiteGenerator = (typeof siteGenerators)[number]

/** One line of output: no control characters, so that a program gets it as one argument. */
const text = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\0-\\x1f\\x7f]*$' })

/** The settings of the website, with the names that File Browser 1 used (contract/compatibility.md#publishing). */
export const StaticGen = Shape({
  /** Path of the website in the served folder. */
  Root: text(4096),
  /** Path of the folder for the generated files, inside `Root` but not `Root` itself. */
  Public: text(4096),
  /** The generator's program: a name to look up in PATH, or an absolute path outside the served folder. */
  Exe: text(4096),
  /** Arguments of the generator besides those that Coffer sets. */
  Args: Type.Array(text(1024), { maxItems: 64 }),
  /** Whether files of the previous publication that the generator no longer creates are removed. */
  CleanPublic: Type.Boolean(),
})
export type StaticGen = Static<typeof StaticGen>
export const StaticGenInput = PartialShape(StaticGen.properties)
export type StaticGenInput = Static<typeof StaticGenInput>

/** A field of the front matter whose value is one line. Others are edited as text. */
export const FrontMatterField = Shape({
  name: Type.String({ minLength: 1, maxLength: 256 }),
  kind: Type.Enum(['text', 'number', 'boolean', 'date', 'list', 'other']),
  /** A list has its items, `other` the text as written; a date is as written. */
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())]),
})
export type FrontMatterField = Static<typeof FrontMatterField>

/** The front matter of a text. `format` is empty when the text has none. */
export const FrontMatterView = Shape({
  format: Type.Enum(['', 'yaml', 'toml', 'json']),
  fields: Type.Array(FrontMatterField),
  /** Offset of the content after the front matter, in UTF-16 code units. */
  bodyStart: Type.Integer(),
})
export type FrontMatterView = Static<typeof FrontMatterView>

/** What changes in the front matter. null removes the field. */
const FrontMatterChange = Shape({
  name: Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\0-\\x1f]*$' }),
  value: Type.Union([
    Type.String({ maxLength: 64 * 1024 }),
    Type.Number(),
    Type.Boolean(),
    Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1000 }),
    Type.Null(),
  ]),
  /** Whether a text is a time, which YAML and TOML write without quotes. */
  isDate: Type.Optional(Type.Boolean()),
})
export type FrontMatterChange = Static<typeof FrontMatterChange>

/** A publication that waits for its time. Times are RFC 3339. */
export const Schedule = Shape({
  id: Type.String(),
  /** Path from the scope of the requesting user; `/` means the whole site. */
  path: Type.String(),
  at: Type.String(),
  username: Type.String(),
})
export type Schedule = Static<typeof Schedule>

/** One finished run of the generator. */
export const PublishRun = Shape({
  id: Type.String(),
  /** Path of the published file from the scope of the requesting user; `/` means the whole site. */
  path: Type.String(),
  username: Type.String(),
  started: Type.String(),
  /** Milliseconds. */
  duration: Type.Integer(),
  outcome: Type.Enum(['published', 'failed', 'refused']),
  /** When it should have started, if the server was not running at that time. */
  late: Type.Optional(Type.String()),
  /** The last lines of output, or the reason of the refusal. */
  output: Type.String(),
})
export type PublishRun = Static<typeof PublishRun>

/** What the page needs to know about the site, as seen by the requesting user. */
export const SiteView = Shape({
  generator: Type.Enum([...siteGenerators]),
  /** Paths from the scope of the requesting user. */
  root: Type.String(),
  content: Type.Array(Type.String()),
  public: Type.String(),
  /** The configuration file of the site; null: there is none. */
  config: Type.Union([Type.String(), Type.Null()]),
  /** Kinds of new pages. */
  archetypes: Type.Array(Type.String()),
  /** Name of the server's time zone, for times without a zone. */
  timeZone: Type.String(),
})
export type SiteView = Static<typeof SiteView>

/** Whether a content file is visible on the site. `future`: its date has not come. */
export const PublishState = Shape({
  name: Type.String(),
  state: Type.Enum(['draft', 'scheduled', 'future', 'published']),
  /** When it will be published, RFC 3339; only for `scheduled` and `future`. */
  at: Type.Optional(Type.String()),
})
export type PublishState = Static<typeof PublishState>

/** The response to a publication: done, or scheduled. */
export const Published = Shape({
  /** Path of the file after publishing, because Jekyll moves drafts. */
  path: Type.String(),
  /** The generator's output; empty when scheduled. */
  output: Type.String(),
  /** Milliseconds; 0 when scheduled. */
  duration: Type.Integer(),
  scheduled: Type.Optional(Schedule),
})
export type Published = Static<typeof Published>

export const publish = {
  'GET /api/site': {
    access: 'signed-in',
    summary: 'Describe the website: its folders, configuration file and archetypes',
    reply: SiteView,
  },
  'GET /api/site/status/*': {
    access: 'signed-in',
    summary: 'Say which content files of a folder are drafts, scheduled or published',
    params: PathParams,
    reply: Type.Array(PublishState),
  },
  'POST /api/site/pages': {
    changes: 'create',
    access: 'signed-in',
    summary: 'Create a post or page from an archetype',
    maxBodyBytes: bodySizes.small,
    body: Shape({
      kind: Type.String({ maxLength: 255 }),
      title: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\0-\\x1f]*$' }),
      /** Folder below the content folder, such as `posts`; missing: the folder of the kind. */
      folder: Type.Optional(Type.String({ maxLength: 4096 })),
    }),
    reply: Shape({ path: Type.String() }),
  },
  'POST /api/site/preview': {
    changesNothing: true,
    access: 'signed-in',
    summary: 'Build a preview with drafts and future posts and get its address',
    reply: Shape({ url: Type.String() }),
  },
  'GET /api/site/preview/:id/*': {
    access: 'public',
    summary: 'Get a file of a preview; the id in the address is the ticket',
    // A page loads many files, and an unknown id costs one look-up.
    isUnlimited: true,
    params: Shape({ id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), ...PathParams.properties }),
  },
  'POST /api/site/front-matter': {
    changesNothing: true,
    access: 'signed-in',
    summary: 'Parse the front matter of a text, and change fields of it',
    maxBodyBytes: bodySizes.large,
    body: Shape({
      text: Type.String({ maxLength: 10 * 1024 * 1024 }),
      changes: Type.Optional(Type.Array(FrontMatterChange, { maxItems: 32 })),
    }),
    reply: Shape({ text: Type.String(), view: FrontMatterView }),
  },
  'GET /api/publish': {
    access: 'signed-in',
    summary: 'List scheduled publications and the last 50 runs',
    reply: Shape({ scheduled: Type.Array(Schedule), runs: Type.Array(PublishRun) }),
  },
  'POST /api/publish/*': {
    changes: 'publish',
    records: 'always',
    access: 'signed-in',
    summary: 'Publish a file, or the whole site for the root of the site; with `at`, schedule it',
    params: PathParams,
    query: Shape({ at: Type.Optional(Type.String({ maxLength: 64 })) }),
    reply: Published,
  },
  'DELETE /api/publish/*': {
    changes: 'publish',
    records: 'always',
    access: 'signed-in',
    summary: 'Cancel a scheduled publication',
    params: PathParams,
  },
} satisfies Record<Address, Endpoint>
