/**
 * The statements that lead from version n of the schema, at index n, to version n + 1. Released steps never change.
 * Times are in milliseconds since 1970. Paths are relative to the served folder and start with `/`.
 */
export const historySchema: readonly string[] = [
  `
  CREATE TABLE operations (
    id TEXT PRIMARY KEY, time INTEGER NOT NULL, user INTEGER, session TEXT, address TEXT NOT NULL, kind TEXT NOT NULL,
    state TEXT NOT NULL, undo_of TEXT, undone_by TEXT
  ) STRICT;
  -- The changes of an operation on the disk, in JSON.
  CREATE TABLE steps (
    operation TEXT NOT NULL, n INTEGER NOT NULL, step TEXT NOT NULL, PRIMARY KEY (operation, n)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX operations_of_user ON operations (user, time);
  CREATE INDEX operations_running ON operations (id) WHERE state = 'running';

  CREATE TABLE kept (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, place TEXT NOT NULL, path TEXT NOT NULL, time INTEGER NOT NULL,
    user INTEGER, user_name TEXT NOT NULL, operation TEXT NOT NULL, is_folder INTEGER NOT NULL, size INTEGER,
    modified INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX kept_by_path ON kept (kind, path);
  CREATE INDEX kept_by_time ON kept (kind, time);
  CREATE INDEX kept_by_user ON kept (user, time);

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL, user_name TEXT NOT NULL,
    user INTEGER, session TEXT, address TEXT NOT NULL, operation TEXT, paths TEXT NOT NULL, count INTEGER NOT NULL,
    detail TEXT NOT NULL, hash TEXT NOT NULL
  ) STRICT;
  -- Each index also contains seq, so that it returns records in their order.
  CREATE INDEX audit_by_user ON audit (user_name);
  CREATE INDEX audit_by_kind ON audit (kind);
  CREATE INDEX audit_by_address ON audit (address);
  CREATE INDEX audit_by_outcome ON audit (outcome) WHERE outcome <> 'done';
  CREATE TABLE audit_paths (path TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (path, seq)) STRICT, WITHOUT ROWID;
  -- The numbers of records whose time is earlier than that of the record before them: the clock was set back.
  CREATE TABLE audit_jumps (seq INTEGER PRIMARY KEY) STRICT;
  -- Number and size of all records, so that the limit of their size is checked without reading them.
  CREATE TABLE audit_size (records INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO audit_size VALUES (0, 0);
  `,
  `
  -- The starred and the recent paths of each user. In the trash: //trash/, the id of the entry, and what is below it.
  CREATE TABLE user_paths (
    user INTEGER NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL, time INTEGER NOT NULL, is_folder INTEGER NOT NULL,
    PRIMARY KEY (user, kind, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX user_paths_by_path ON user_paths (path);
  `,
  `
  -- What is known about states of files: a cache, whose rows may be deleted at any time. used: a day since 1970.
  -- is_read: the file itself was read, and what is NULL is not in it.
  CREATE TABLE metadata (
    key TEXT PRIMARY KEY, used INTEGER NOT NULL, is_read INTEGER NOT NULL, taken TEXT, width INTEGER, height INTEGER,
    placeholder TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX metadata_by_use ON metadata (used);
  `,
  `
  -- Of a recent path: 1 for a file that was uploaded, more for a folder into which so many files were uploaded at once.
  ALTER TABLE user_paths ADD COLUMN files INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Also contains id, so that it returns items of the same time in their order.
  DROP INDEX kept_by_time;
  CREATE INDEX kept_by_time ON kept (kind, time, id);
  -- Where a version was when it was replaced, while path follows its file. NULL: not known.
  ALTER TABLE kept ADD COLUMN written TEXT;
  UPDATE kept SET written = found.path FROM (
    SELECT step ->> '$.item' AS item, coalesce(step ->> '$.to', step ->> '$.path') AS path
    FROM steps WHERE step LIKE '%"isKept":true%'
  ) AS found WHERE kept.id = found.item AND kept.kind = 'version';
  `,
  `
  -- How shares were used. link: the id. last: a time. day: a day since 1970.
  CREATE TABLE link_use (
    link TEXT PRIMARY KEY, downloads INTEGER NOT NULL, visitors INTEGER NOT NULL, visits INTEGER NOT NULL,
    files INTEGER NOT NULL, bytes INTEGER NOT NULL, last INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE link_days (
    link TEXT NOT NULL, day INTEGER NOT NULL, downloads INTEGER NOT NULL, visits INTEGER NOT NULL,
    files INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (link, day)
  ) STRICT, WITHOUT ROWID;
  -- network: a keyed hash of the address of the network, so that addresses are not kept.
  CREATE TABLE link_visitors (
    link TEXT NOT NULL, network TEXT NOT NULL, PRIMARY KEY (link, network)
  ) STRICT, WITHOUT ROWID;
  -- Files that were received. path: in the share. visit: the id of the visit.
  CREATE TABLE link_files (
    n INTEGER PRIMARY KEY, link TEXT NOT NULL, visit TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL,
    sha256 TEXT NOT NULL, time INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX link_files_by_visit ON link_files (link, visit, n);
  `,
  `
  -- What users are told about their shares. AUTOINCREMENT: no id is used twice. link: the id of the share, or empty.
  -- names: JSON. detail: depends on the kind.
  CREATE TABLE notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user INTEGER NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL,
    link TEXT NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL,
    names TEXT NOT NULL, sender TEXT NOT NULL, detail TEXT NOT NULL, is_read INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX notices_by_user ON notices (user, id);
  -- What was told once already: of a share, with the value for which it was told, such as the time of its end.
  CREATE TABLE notices_told (
    link TEXT NOT NULL, what TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (link, what)
  ) STRICT, WITHOUT ROWID;
  -- Received files that wait for more of the same visit. data: JSON.
  CREATE TABLE notice_batches (id TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT, WITHOUT ROWID;
  -- Notices on their way to a webhook or by e-mail. due: when the next attempt is. status: of the last response.
  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY, user INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL,
    body TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL, status INTEGER,
    reason TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_due ON deliveries (due, id) WHERE state = 'waiting';
  CREATE INDEX deliveries_by_user ON deliveries (user, channel, time);
  -- Where users are told things besides the page. fault: why the webhook was turned off.
  CREATE TABLE webhooks (
    user INTEGER PRIMARY KEY, url TEXT NOT NULL, secret TEXT NOT NULL, is_on INTEGER NOT NULL, fault TEXT NOT NULL
  ) STRICT;
  -- address: confirmed, or empty. wanted: an address that waits for its code, whose keyed hash is code.
  CREATE TABLE mail_addresses (
    user INTEGER PRIMARY KEY, address TEXT NOT NULL, wanted TEXT NOT NULL, code TEXT NOT NULL, sent INTEGER NOT NULL,
    tries INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- What records of the audit log say about shares. owner: the id of its user. path: in the share. bytes: sent or received.
  CREATE TABLE audit_links (
    seq INTEGER PRIMARY KEY, link TEXT NOT NULL, owner INTEGER NOT NULL, path TEXT NOT NULL, bytes INTEGER NOT NULL,
    sender TEXT
  ) STRICT;
  CREATE INDEX audit_links_by_link ON audit_links (link, seq);
  `,
]
