import type { Finding } from '#contract/doctor.ts'
import type { DoctorReport } from '#src/doctor/doctor.ts'
import { visible } from '../parsing/table.ts'

const titles = { error: 'Errors', warning: 'Warnings', advice: 'Advice', ok: 'In order' } as const
// The colours of ECMA-48: red, yellow, cyan, green.
const colours = { error: 31, warning: 33, advice: 36, ok: 32 } as const
const places = {
  nginx: 'nginx',
  caddy: 'Caddy',
  traefik: 'Traefik',
  systemd: 'systemd unit',
  coffer: 'coffer serve',
  shell: 'command',
} as const

/** The report as text: the findings by level, each with the lines to change. */
export function reportText({ findings, fixed, isServer }: DoctorReport, isColoured: boolean): string {
  const paint = (code: number, text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text)
  const groups = (['error', 'warning', 'advice', 'ok'] as const).flatMap((level) => {
    const found = findings.filter((each) => each.level === level)
    if (found.length === 0) return []
    return ['', paint(colours[level], titles[level]), ...found.flatMap(findingLines)]
  })
  const count = (level: Finding['level']) => findings.filter((each) => each.level === level).length
  const canFix = findings.some(({ fix }) => fix !== undefined)
  return [
    ...fixed.map(visible),
    isServer ? 'Checked by the running server.' : 'Checked by this command, not by a running server.',
    ...groups,
    '',
    `Errors: ${count('error')}. Warnings: ${count('warning')}. Advice: ${count('advice')}.`,
    ...(canFix ? ['coffer doctor --fix can fix what is marked with [fix].'] : []),
  ].join('\n')
}

function findingLines({ text, lines, fix }: Finding): string[] {
  const advice = lines.flatMap(({ where, text: line }) => {
    const [first = '', ...more] = line.split('\n').map(visible)
    const head = `      ${places[where]}: `
    return [head + first, ...more.map((next) => ''.padEnd(head.length) + next)]
  })
  return [`  - ${visible(text)}${fix ? ' [fix]' : ''}`, ...advice]
}
