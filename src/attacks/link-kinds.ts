import type { ShareRights } from '#contract/shares.ts'

/** A kind of link, and what its visitors may do. */
export interface LinkKind {
  name: string
  entry: 'folder' | 'file'
  /** The body of the request that makes it. */
  settings: { rights: ShareRights; password?: string; slug?: string }
  may: Readonly<Record<Action, boolean>>
}

/** What visitors try. */
export const actions = ['see', 'download', 'archive', 'send', 'save', 'move', 'remove'] as const
export type Action = (typeof actions)[number]

/** What each right allows in a shared folder, and with a shared file. */
const allowed: Readonly<Record<LinkKind['entry'], Partial<Record<ShareRights, readonly Action[]>>>> = {
  folder: {
    view: ['see'],
    download: ['see', 'download', 'archive'],
    upload: ['see', 'send'],
    'upload-view': ['see', 'download', 'archive', 'send'],
    edit: ['see', 'download', 'archive', 'send', 'save', 'move', 'remove'],
  },
  // The archive of one file is the file itself. Nothing appears beside a shared file, and it keeps its name.
  file: {
    view: ['see'],
    download: ['see', 'download', 'archive'],
    edit: ['see', 'download', 'archive', 'save', 'remove'],
  },
}

const variants: Readonly<Record<string, (n: number) => Omit<LinkKind['settings'], 'rights'>>> = {
  plain: () => ({}),
  'with a password': () => ({ password: 'let me in' }),
  'with a name in its address': (n) => ({ slug: `kind-${n}` }),
}

/** Every kind of link: the rights for a folder and for a file, each plain, with a password, and with a name. */
export const linkKinds: readonly LinkKind[] = (['folder', 'file'] as const)
  .flatMap((entry) =>
    Object.entries(allowed[entry]).flatMap(([rights, all]) =>
      Object.entries(variants).map(([variant, settings]) => ({ entry, rights, all, variant, settings })),
    ),
  )
  .map(({ entry, rights, all, variant, settings }, n) => ({
    name: `${rights} of a ${entry}, ${variant}`,
    entry,
    settings: { rights: rights as ShareRights, ...settings(n) },
    may: Object.fromEntries(actions.map((action) => [action, all.includes(action)])) as LinkKind['may'],
  }))

/** The request of an action, to a link with this address. `inside`: the path of a file in the link. */
export function requestOf(
  action: Action,
  address: string,
  inside: string,
): { method: string; url: string; body?: string } {
  const url = `/api/public/resources/${address}`
  const requests = {
    see: { method: 'GET', url: `/api/public/share/${address}${inside}` },
    download: { method: 'GET', url: `/api/public/dl/${address}${inside}` },
    archive: { method: 'GET', url: `/api/public/dl/${address}/?algo=tar` },
    send: { method: 'POST', url: `${url}/sent-${Date.now()}.txt`, body: 'sent' },
    save: { method: 'PUT', url: url + inside, body: 'saved' },
    move: { method: 'PATCH', url: `${url}${inside}?destination=/moved.txt` },
    remove: { method: 'DELETE', url: `${url}/moved.txt` },
  }
  return requests[action]
}
