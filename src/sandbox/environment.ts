// The variables that programs need: the program folders, the user, the language and the time zone. Other variables
// are not passed on, because servers get passwords and tokens in their environment.
const allowed = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'TEMP', 'TMP'],
]

/** The environment of programs that Coffer starts, taken from the server's own environment. */
export function cleanEnvironment(
  from: Readonly<NodeJS.ProcessEnv> = process.env,
): Readonly<Record<string, string>> {
  const entries = Object.entries(from).filter(
    ([name, value]) =>
      value !== undefined && (allowed.includes(name.toUpperCase()) || /^LC_[A-Z]+$/.test(name)),
  ) as [string, string][]
  // The output is read as plain text, without colours and cursor movements.
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(entries), TERM: 'dumb' }
}
