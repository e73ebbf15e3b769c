import { checkCertificate } from './checks/certificate.ts'
import { checkCache, checkRoot, checkStateFolder } from './checks/folders.ts'
import { checkHistory } from './checks/history.ts'
import { checkLinks } from './checks/links.ts'
import { checkClock, checkDescriptors } from './checks/machine.ts'
import { checkModes } from './checks/modes.ts'
import { checkOptions } from './checks/options.ts'
import { checkPrograms } from './checks/programs.ts'
import { checkScanner } from './checks/scanner.ts'
import { checkSpace } from './checks/space.ts'
import { checkLeftovers, checkState } from './checks/state.ts'
import { checkPasswords, checkRules, checkScopes, checkShares } from './checks/users.ts'
import type { Check } from './findings/subject.ts'

/** All checks by name, in the order of their findings. */
export const checks: Readonly<Record<string, Check>> = {
  'served folder': checkRoot,
  'state folder': checkStateFolder,
  cache: checkCache,
  'free space': checkSpace,
  modes: checkModes,
  state: checkState,
  leftovers: checkLeftovers,
  history: checkHistory,
  options: checkOptions,
  'open files': checkDescriptors,
  clock: checkClock,
  certificate: checkCertificate,
  'folders of users': checkScopes,
  rules: checkRules,
  shares: checkShares,
  passwords: checkPasswords,
  programs: checkPrograms,
  scanner: checkScanner,
  'symbolic links': checkLinks,
}
