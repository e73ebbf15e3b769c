// What programs need to find their way: where programs are, who runs them, in which language and time zone. Everything
// else stays here: passwords and tokens come to servers in their environment.
const kept = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'TEMP', 'TMP'],
]

/** The environment of the programs that Coffer starts, made of the server's own. */
export function cleanEnvironment(
  from: Readonly<NodeJS.ProcessEnv> = process.env,
): Readonly<Record<string, string>> {
  const entries = Object.entries(from).filter(
    ([name, value]) => value !== undefined && (kept.includes(name.toUpperCase()) || /^LC_[A-Z]+$/.test(name)),
  ) as [string, string][]
  // Nobody reads colours and cursor movements here.
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(entries), TERM: 'dumb' }
}
