/** The programs of the system that tests start, and the Debian package of each. */
const packages = {
  bash: 'bash',
  caddy: 'caddy',
  clamd: 'clamav-daemon',
  bwrap: 'bubblewrap',
  diff: 'diffutils',
  env: 'coreutils',
  'fail2ban-regex': 'fail2ban',
  fish: 'fish',
  hugo: 'hugo',
  jekyll: 'jekyll',
  losetup: 'mount',
  mkfifo: 'coreutils',
  mount: 'mount',
  'mount.exfat-fuse': 'exfat-fuse',
  nginx: 'nginx-extras',
  openssl: 'openssl',
  perl: 'perl-base',
  python3: 'python3',
  script: 'bsdutils',
  sh: 'dash',
  nsenter: 'util-linux',
  'qemu-aarch64-static': 'qemu-user-static',
  sha256sum: 'coreutils',
  strace: 'strace',
  'systemd-analyze': 'systemd',
  umount: 'mount',
  unshare: 'util-linux',
  zsh: 'zsh',
} as const

/** The name of a program of the system, for tests that start it. Every such program is listed here, with its package. */
export function systemTool(name: keyof typeof packages): string {
  return name
}
