/** The programs of the system that tests start, and the Debian package of each. */
const packages = {
  diff: 'diffutils',
  env: 'coreutils',
  losetup: 'mount',
  mkfifo: 'coreutils',
  mount: 'mount',
  'mount.exfat-fuse': 'exfat-fuse',
  openssl: 'openssl',
  'systemd-analyze': 'systemd',
  umount: 'mount',
  unshare: 'util-linux',
} as const

/** The name of a program of the system, for tests that start it. Every such program is listed here, with its package. */
export function systemTool(name: keyof typeof packages): string {
  return name
}
